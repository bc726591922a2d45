//! Cards, filters and figures of the Validation view.

use super::own::{self, OwnRow};
use crate::figure::{self, Dot, Measure, Size};
use crate::scenario::{ErrorChoice, Scenario, Topic, Trait, link};
use crate::system::AssumptionSet;
use crate::units::{Amount, Bytes, Seconds, Unit, format};
use crate::validation::points::{Pair, Point, trait_name};
use crate::validation::{Score, abroad};
use crate::view::{Answer, Card, Link, Notice, Part};

/// A row that is shown: a point, its measured and its predicted value.
pub(super) struct Row<'a> {
    pub(super) point: &'a Point,
    pub(super) pair: Pair,
}

/// All rows of a topic, and the question whose filters select among them.
pub(super) struct Parts<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) rows: &'a [Row<'a>],
    /// The visitor's own rows.
    pub(super) own: &'a [OwnRow],
}

impl Parts<'_> {
    pub(super) fn choice(&self) -> &ErrorChoice {
        &self.scenario.errors
    }

    /// The rows that pass the filters, one of which may be ignored.
    pub(super) fn filtered(&self, but: Option<Trait>) -> Vec<&Row<'_>> {
        let fits = |row: &&Row<'_>| {
            Trait::ALL.into_iter().filter(|by| Some(*by) != but).all(|by| {
                let only = self.choice().only(by);
                only.is_empty() || row.point.of(by) == only
            })
        };
        self.rows.iter().filter(fits).collect()
    }

    /// The visitor's rows that pass the filters. They have no source, so that a filter of sources does not apply to them.
    pub(super) fn own_filtered(&self) -> impl Iterator<Item = &OwnRow> {
        let has = |own: &OwnRow, by: Trait| {
            let only = self.choice().only(by);
            only.is_empty()
                || match by {
                    Trait::Source => true,
                    // Published names of a format differ, so the format of the rows of this name counts.
                    Trait::Precision => self.rows.iter().any(|row| {
                        let published = row.point.scenario().map(Scenario::precision);
                        row.point.of(by) == only && published == Some(own.scenario.precision())
                    }),
                    _ => own.scenario.has_trait(by, only),
                }
        };
        self.own.iter().filter(move |own| Trait::ALL.into_iter().all(|by| has(own, by)))
    }

    /// Link of the question with another selection of errors.
    pub(super) fn elsewhere(&self, errors: ErrorChoice) -> String {
        link::encode(&Scenario { errors, ..self.scenario.clone() })
    }

    /// Everything that is shown.
    pub(super) fn answer(&self, size: Size) -> Answer {
        let choice = self.choice();
        let rows = self.filtered(None);
        let counted = counted(&rows);
        let published = rows.iter().map(|row| Dot {
            name: &row.point.id,
            group: row.point.name(choice.by),
            measured: row.pair.measured,
            predicted: row.pair.predicted,
            counted: counted(row),
            link: row.point.opened().into(),
            own: false,
        });
        let dots: Vec<Dot<'_>> = published.chain(own::dots(self.own)).collect();
        let filters = self.filters().map(Part::from);
        // It belongs to all rows, predicted with the page's own constants.
        let scenario = self.scenario;
        let own = scenario.constants.is_empty() && scenario.assumptions == AssumptionSet::default();
        let abroad = abroad(choice.of).filter(|_| filters.is_none() && own);
        let mut parts: Vec<Part> = vec![
            figure::scatter(&dots, measure(choice.of), size).into(),
            figure::histogram(&dots, size).into(),
            self.groups().into(),
        ];
        parts.extend(self.league(&rows).map(Part::from));
        parts.push(self.list(&rows).into());
        Answer {
            lead: lead(&rows, choice.of, abroad),
            cards: cards(&rows, abroad),
            parts: filters.into_iter().chain(parts).collect(),
            ..Answer::default()
        }
    }

    /// A link for each active filter, which removes it; `None` without filters.
    fn filters(&self) -> Option<Notice> {
        let choice = self.choice();
        let set = Trait::ALL.into_iter().filter(|by| !choice.only(*by).is_empty());
        let links: Vec<Link> = set
            .map(|by| {
                let text = format!("{}: {} ×", by.name(), trait_name(by, choice.only(by)));
                Link::at(text, self.elsewhere(choice.filtered(by, ""))).hinted("remove this filter")
            })
            .collect();
        (!links.is_empty()).then(|| Notice::new("filters", "Filters", links))
    }
}

/// Rows that a score counts: those outside all fits. Computed rows count only if there are no measured ones.
fn counted(rows: &[&Row<'_>]) -> impl Fn(&Row<'_>) -> bool + use<> {
    let alone = rows.iter().all(|row| row.point.is_computed());
    move |row| !row.point.used_in_fit && (alone || !row.point.is_computed())
}

/// Score of the counted rows.
pub(super) fn score(rows: &[&Row<'_>]) -> Score {
    let counted = counted(rows);
    let rows = rows.iter().filter(|row| counted(row));
    Score::of(rows.map(|row| (row.pair.predicted, row.pair.measured)))
}

/// The errors in a sentence, that on unmeasured software and devices first; empty if no row counts.
fn lead(rows: &[&Row<'_>], of: Topic, abroad: Option<Score>) -> String {
    let score = score(rows);
    if score.count == 0 {
        return String::new();
    }
    let errors = |score: Score| {
        format!("{} on average, half within {}", Amount::percent(score.mean), Amount::percent(score.median))
    };
    let rows = Amount::new(score.count as f64, Unit::Count);
    let with = format!("{} over {rows} rows that no constant was fitted on", errors(score));
    let (of, abroad) = (of.name(), abroad.map(errors));
    abroad.map_or_else(
        || format!("{of}: predictions are off by {with}"),
        |abroad| {
            format!("{of}: on unmeasured software and devices predictions are off by {abroad}; with all constants, by {with}")
        },
    )
}

fn cards(rows: &[&Row<'_>], abroad: Option<Score>) -> Vec<Card> {
    let score = score(rows);
    let fitted = rows.iter().filter(|row| row.point.used_in_fit).count();
    let fitted = Amount::new(fitted as f64, Unit::Count);
    let known = |value: f64, unit| (score.count > 0).then_some(Amount::new(value, unit));
    let card = |id, label, value, note: &str| Card::known(id, label, known(value, Unit::Percent)).noted(note);
    let abroad = abroad.map(|abroad| {
        Card::new("abroad", "Mean error, unmeasured", Amount::percent(abroad.mean)).noted(format!(
            "without the constants of each row's software and device; median {}",
            Amount::percent(abroad.median)
        ))
    });
    let own = [
        Card::new("rows", "Rows compared", Amount::new(score.count as f64, Unit::Count))
            .noted(format!("and {fitted} used in a fit, not counted")),
        card("mean", "Mean error", score.mean, "of the absolute values"),
        card("median", "Median error", score.median, "half are closer"),
        Card::known("bias", "Bias (geometric mean)", known(score.bias, Unit::SignedPercent))
            .noted("of predicted / measured; above 0: too high"),
        card("p90", "90th percentile", score.p90, "nine of ten are closer"),
    ];
    abroad.into_iter().chain(own).collect()
}

/// Unit and text of a topic's values.
pub(super) fn measure(topic: Topic) -> Measure {
    let (unit, show): (&str, fn(f64) -> String) = match topic {
        Topic::Step => ("s", |seconds| format::time(Seconds::new(seconds))),
        Topic::Memory => ("GiB", |gib| format::memory(Bytes::from_gib(gib))),
        Topic::Ttft | Topic::Tpot | Topic::Request => {
            ("ms", |millis| format::time(Seconds::new(millis * 1e-3)))
        }
        Topic::Throughput => ("tokens/s", |rate| format!("{}/s", format::digits(rate))),
        Topic::Kernel => ("µs", |micros| format::time(Seconds::new(micros * 1e-6))),
    };
    Measure { name: topic.name(), unit, show }
}
