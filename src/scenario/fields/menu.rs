//! Contents of the form's lists.

use super::field::Field;
use super::options::Opt;
use super::value::{Mismatch, Value};
use crate::scenario::Scenario;

/// The option for a value that the link gives explicitly.
pub const CUSTOM: &str = "custom";

/// The options of a field, and which of them holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Menu {
    /// Neighbours of the same heading together, under that heading.
    pub groups: Vec<(Option<String>, Vec<Opt>)>,
    /// The text of the value, which is on offer.
    pub chosen: String,
}

impl Menu {
    /// The list of a field. A value that only a link can set is listed first.
    pub fn of(field: &Field, options: fn(&Scenario) -> Vec<Opt>, scenario: &Scenario) -> Self {
        let mut options = options(scenario);
        let value = field.get(scenario);
        let chosen = match value {
            Value::Absent => String::new(),
            Value::Text(text) => text.to_owned(),
            Value::Entry(_) => CUSTOM.to_owned(),
            Value::Switch(on) => on.to_string(),
            Value::Whole(whole) => whole.to_string(),
            Value::Number(number) => number.to_string(),
        };
        if options.iter().all(|option| option.value != chosen) {
            let label = if let Value::Entry(name) = value {
                format!("{name}, from the link")
            } else {
                chosen.clone()
            };
            options.insert(0, Opt::new(&chosen, &label));
        }
        let mut groups: Vec<(Option<String>, Vec<Opt>)> = Vec::new();
        for option in options {
            match groups.last_mut() {
                Some((heading, members)) if *heading == option.group => members.push(option),
                _ => groups.push((option.group.clone(), vec![option])),
            }
        }
        Self { groups, chosen }
    }
}

impl Field {
    /// Sets an option by its text. Entries that the link gives explicitly stay unchanged.
    pub fn choose(&self, scenario: &mut Scenario, option: &str) -> Result<(), Mismatch> {
        match self.get(scenario) {
            Value::Entry(_) if option == CUSTOM => Ok(()),
            Value::Whole(_) => self.set(scenario, option.parse().map_or(Value::Text(option), Value::Whole)),
            _ => self.set(scenario, Value::Text(option)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Choice;
    use crate::scenario::fields::{Kind, field};

    fn menu(path: &str, scenario: &Scenario) -> Menu {
        let field = field(path).expect("a field of the table");
        let Kind::Select(options) = field.kind else { panic!("{path} has no list") };
        Menu::of(field, options, scenario)
    }

    #[test]
    fn lists_stand_under_their_headings() {
        let scenario = Scenario::default();
        let menu = menu("system.accelerator", &scenario);
        assert!(menu.groups.len() > 1 && menu.groups.iter().all(|(heading, _)| heading.is_some()));
        assert_eq!(Value::Text(&menu.chosen), scenario.at("system.accelerator").expect("a field"));
    }

    #[test]
    fn what_only_a_link_says_stands_first() {
        let mut scenario = Scenario::default();
        scenario.system.accelerator = Choice::Named("nosuch".to_owned());
        let named = menu("system.accelerator", &scenario);
        assert_eq!((named.groups[0].1[0].label.as_str(), named.chosen.as_str()), ("nosuch", "nosuch"));
        let device = crate::catalog::accelerator("h100-sxm").expect("a device").clone();
        scenario.system.accelerator = Choice::Explicit(Box::new(device));
        let spelled = menu("system.accelerator", &scenario);
        assert_eq!(
            (spelled.groups[0].1[0].label.as_str(), spelled.chosen.as_str()),
            ("H100 SXM 80 GB, from the link", CUSTOM)
        );
    }

    #[test]
    fn options_are_chosen_by_their_text() {
        let mut scenario = Scenario::default();
        let mut choose = |path: &str, option: &str| {
            field(path).expect("a field of the table").choose(&mut scenario, option)
        };
        assert_eq!(choose("parallelism.zero", "3"), Ok(()));
        assert_eq!(choose("system.accelerator", "b200"), Ok(()));
        assert!(choose("parallelism.zero", "x").is_err());
        assert_eq!(scenario.parallelism.zero, 3);
        assert_eq!(scenario.system.accelerator, Choice::Named("b200".to_owned()));
    }
}
