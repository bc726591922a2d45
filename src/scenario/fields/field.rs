//! One row of the table of fields, and how it is written.

use super::form::Form;
use super::group::Group;
use super::number::{Number, Otherwise};
use super::options::Opt;
use super::value::{Mismatch, Value};
use crate::scenario::{Scenario, View};
use crate::sizing::SizingJob;
use crate::units::format;

/// A field of a scenario: its names, its meaning, and the values that it takes.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The path in a document, e.g. `parallelism.tensor`.
    pub path: &'static str,
    /// The key in a link, e.g. `tp`.
    ///
    /// Old links use these names for ever: keys are added, never renamed. No key may begin like an HTML entity that
    /// works without a semicolon (`micro`, `para`, `reg`, `times`): in HTML text, `&microbatch=` shows as `µbatch=`.
    pub key: &'static str,
    /// Label of the control.
    pub label: &'static str,
    /// Unit of the input; empty if it has none.
    pub unit: &'static str,
    /// Meaning, and effect of a change, in one sentence without a full stop.
    pub help: &'static str,
    /// Heading of the field.
    pub group: Group,
    /// True if its control is folded away at first.
    pub advanced: bool,
    /// The views whose answer it changes and whose form has a control for it; none for what only links set.
    pub views: &'static [View],
    /// The job that it belongs to in the Sizing view's form; none for both.
    pub sized: Option<SizingJob>,
    /// Condition that a form with the control meets.
    pub when: fn(Form) -> bool,
    /// The views in which its control takes a row of its own.
    pub wide: &'static [View],
    /// Kind of input.
    pub kind: Kind,
    pub(super) get: for<'a> fn(&'a Scenario) -> Value<'a>,
    pub(super) set: fn(&mut Scenario, Value<'_>) -> Result<(), Mismatch>,
}

/// Kind of input of a field.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number(Number),
    /// One of several, which may depend on the rest of the scenario.
    Select(fn(&Scenario) -> Vec<Opt>),
    /// On or off.
    Switch,
    /// Free text, which has no control.
    Text,
}

/// A row of the table: its link key, and the field that path and accessors follow from.
macro_rules! field {
    ($key:literal, $first:ident $(. $rest:ident)*) => {
        $crate::scenario::fields::field::Field::new(
            $key,
            concat!(stringify!($first) $(, ".", stringify!($rest))*),
            |scenario| $crate::scenario::fields::value::Scalar::value(&scenario.$first $(.$rest)*),
            |scenario, value| $crate::scenario::fields::value::Scalar::set(&mut scenario.$first $(.$rest)*, value),
        )
    };
}
pub(super) use field;

impl Field {
    /// A row without a control, for [`field!`].
    pub(super) const fn new(
        key: &'static str,
        path: &'static str,
        get: for<'a> fn(&'a Scenario) -> Value<'a>,
        set: fn(&mut Scenario, Value<'_>) -> Result<(), Mismatch>,
    ) -> Self {
        Self {
            path,
            key,
            label: "",
            unit: "",
            help: "",
            group: Group::Page,
            advanced: false,
            views: &[],
            sized: None,
            when: |_| true,
            wide: &[],
            kind: Kind::Text,
            get,
            set,
        }
    }

    const fn named(mut self, label: &'static str, help: &'static str, kind: Kind) -> Self {
        (self.label, self.help, self.kind) = (label, help, kind);
        self
    }

    /// A whole number between two bounds, which arrow keys double and halve.
    pub(super) const fn whole(self, label: &'static str, help: &'static str, low: f64, high: f64) -> Self {
        self.named(label, help, Kind::Number(Number { whole: true, ..Number::between(low, high) }))
    }

    /// A number between two bounds, in units of the document.
    pub(super) const fn number(self, label: &'static str, help: &'static str, low: f64, high: f64) -> Self {
        self.named(label, help, Kind::Number(Number::between(low, high)))
    }

    /// One of several.
    pub(super) const fn select(
        self,
        label: &'static str,
        help: &'static str,
        options: fn(&Scenario) -> Vec<Opt>,
    ) -> Self {
        self.named(label, help, Kind::Select(options))
    }

    /// On or off.
    pub(super) const fn switch(self, label: &'static str, help: &'static str) -> Self {
        self.named(label, help, Kind::Switch)
    }

    /// Free text.
    pub(super) const fn text(self, label: &'static str, help: &'static str) -> Self {
        self.named(label, help, Kind::Text)
    }

    /// Strips the field's unit from a typed text: after the number, or before it for a currency.
    pub fn without_unit<'t>(&self, text: &'t str) -> &'t str {
        let text = text.trim();
        if let Some(dollars) = text.strip_prefix('$').filter(|_| self.unit.contains('$')) {
            return dollars;
        }
        let number = text.strip_suffix(self.unit).filter(|_| !self.unit.is_empty());
        number.map_or(text, str::trim_end)
    }

    /// Sets the unit of the input.
    pub(super) const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// The amount that one press of an arrow key adds, in the shown unit.
    pub(super) const fn by(mut self, step: f64) -> Self {
        if let Kind::Number(number) = &mut self.kind {
            number.step = Some(step);
        }
        self
    }

    /// The shown unit, in units of the document.
    pub(super) const fn scaled(mut self, scale: f64) -> Self {
        if let Kind::Number(number) = &mut self.kind {
            number.scale = scale;
        }
        self
    }

    /// The number that holds where an optional field is left out, in the shown unit, or a word for it.
    pub(super) const fn otherwise(mut self, otherwise: Otherwise) -> Self {
        if let Kind::Number(number) = &mut self.kind {
            number.otherwise = Some(otherwise);
        }
        self
    }

    /// The heading and the views in which it has a control; no views for what only links set.
    pub(super) const fn on(mut self, group: Group, views: &'static [View]) -> Self {
        (self.group, self.views) = (group, views);
        self
    }

    /// Leaves it out of the Sizing view's form unless this job is sized.
    pub(super) const fn sized(mut self, job: SizingJob) -> Self {
        self.sized = Some(job);
        self
    }

    /// Shows the control only in forms that meet this condition.
    pub(super) const fn when(mut self, condition: fn(Form) -> bool) -> Self {
        self.when = condition;
        self
    }

    /// Folds its control away.
    pub(super) const fn advanced(mut self) -> Self {
        self.advanced = true;
        self
    }

    /// Gives its control a row of its own in these views.
    pub(super) const fn wide(mut self, views: &'static [View]) -> Self {
        self.wide = views;
        self
    }

    /// The label within a sentence: `global batch`, but `GPUs` and `TTFT limit`.
    pub fn spoken(&self) -> String {
        let mut letters = self.label.chars();
        match (letters.next(), letters.clone().next()) {
            (Some(first), Some(second)) if second.is_ascii_lowercase() => {
                first.to_lowercase().chain(letters).collect()
            }
            _ => self.label.to_owned(),
        }
    }

    /// Returns true if the field has a control in this form.
    pub fn is_in(&self, form: Form) -> bool {
        let sized = || self.sized.is_none_or(|job| job == form.job);
        self.views.contains(&form.view) && (form.view != View::Sizing || sized()) && (self.when)(form)
    }

    /// The value in a scenario.
    pub fn get<'a>(&self, scenario: &'a Scenario) -> Value<'a> {
        (self.get)(scenario)
    }

    /// Sets the value in a scenario, unless it does not fit the field's type; its range is checked later.
    pub fn set(&self, scenario: &mut Scenario, value: Value<'_>) -> Result<(), Mismatch> {
        (self.set)(scenario, value).map_err(|mismatch| match mismatch {
            Mismatch::Expected { what, found } => {
                Mismatch::Expected { what: self.wanted(scenario).unwrap_or(what), found }
            }
            unknown @ Mismatch::Unknown { .. } => unknown,
        })
    }

    /// The values of a number in links and documents, in words; none for what is no number.
    pub(in crate::scenario) fn wanted(&self, scenario: &Scenario) -> Option<String> {
        match self.kind {
            Kind::Number(number) => Some(number.wanted(self.unit)),
            Kind::Select(options) if matches!(self.get(scenario), Value::Whole(_)) => {
                let known: Vec<String> =
                    options(scenario).into_iter().map(|option| format!("`{}`", option.value)).collect();
                Some(format!("one of {}", known.join(", ")))
            }
            _ => None,
        }
    }

    /// The numbers that the field may take, in units of the document.
    pub fn range(&self) -> Option<(f64, f64)> {
        if let Kind::Number(number) = self.kind { Some(number.range) } else { None }
    }

    /// The value in a scenario as its control shows it, with its unit; a dash for a missing value.
    pub fn shown(&self, scenario: &Scenario) -> String {
        let value = self.get(scenario);
        match self.kind {
            Kind::Number(number) if value == Value::Absent => {
                number.placeholder(scenario).unwrap_or_else(|| "–".to_owned())
            }
            Kind::Number(number) => {
                let (text, shown) = (number.text(value), value.as_number().map(|value| value / number.scale));
                match shown {
                    Some(1.0) => format!("1 {}", format::singular(self.unit)),
                    // A large number with a fraction is shown without it.
                    Some(many) if many.fract() == 0.0 || many >= 1e4 => {
                        format!("{} {}", format::grouped(many), self.unit)
                    }
                    _ => format!("{text} {}", self.unit),
                }
                .trim_end()
                .to_owned()
            }
            Kind::Select(options) => {
                let text = value.as_text().map(str::to_owned);
                let text = text.or_else(|| value.as_number().map(|number| number.to_string()));
                let entry = if let Value::Entry(name) = value { name } else { "–" };
                let chosen =
                    options(scenario).into_iter().find(|option| Some(&option.value) == text.as_ref());
                chosen.map_or_else(|| text.unwrap_or_else(|| entry.to_owned()), |option| option.label)
            }
            Kind::Switch => if value == Value::Switch(true) { "on" } else { "off" }.to_owned(),
            Kind::Text => value.as_text().unwrap_or("–").to_owned(),
        }
    }

    /// Heading and label, e.g. "Parallelism: Tensor"; the label alone of what is under no heading.
    pub fn name(&self) -> String {
        match self.group {
            Group::Page => self.label.to_owned(),
            group => format!("{}: {}", group.name(), self.label),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::fields::field;

    #[test]
    fn a_number_may_be_typed_with_its_unit() {
        let typed = |path: &str, text: &'static str| field(path).expect(path).without_unit(text);
        assert_eq!(typed("measured.mfu", " 38 % "), "38");
        assert_eq!(typed("measured.ttft_ms", "210ms"), "210");
        assert_eq!(typed("measured.ttft_ms", "2 s"), "2 s");
        assert_eq!(typed("economics.usd_per_gpu", "$30"), "30");
        assert_eq!(typed("model", "llama"), "llama");
    }
}
