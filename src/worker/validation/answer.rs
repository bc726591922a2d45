//! The answer as a whole: headline, filters, figures.

use super::Row;
use crate::answer::{self, Files, html};
use crate::figure::{self, Dot, Measure, Size};
use crate::scenario::{ErrorChoice, Scenario, Topic, Trait, link};
use crate::units::{Bytes, Seconds, format};
use crate::validation::Score;
use crate::worker::desk::Work;

/// All rows of a topic, and what is to be shown of them.
pub(super) struct Answer<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) rows: &'a [Row<'a>],
}

impl Answer<'_> {
    pub(super) fn choice(&self) -> &ErrorChoice {
        &self.scenario.errors
    }

    /// The rows that the filters leave, without heed to one of them.
    pub(super) fn filtered(&self, but: Option<Trait>) -> Vec<&Row<'_>> {
        let fits = |row: &&Row<'_>| {
            Trait::ALL.into_iter().filter(|by| Some(*by) != but).all(|by| {
                let only = self.choice().only(by);
                only.is_empty() || row.point.of(by) == only
            })
        };
        self.rows.iter().filter(fits).collect()
    }

    /// The fragment of the same question with other errors.
    pub(super) fn fragment(&self, errors: ErrorChoice) -> String {
        link::encode(&Scenario { errors, ..self.scenario.clone() })
    }

    /// Everything that is shown.
    pub(super) fn done(&self, size: Size) -> Work {
        let choice = self.choice();
        let rows = self.filtered(None);
        let dots: Vec<Dot<'_>> = rows
            .iter()
            .map(|row| Dot {
                name: &row.point.id,
                group: row.point.of(choice.by),
                measured: row.pair.measured,
                predicted: row.pair.predicted,
                fitted: row.point.used_in_fit,
            })
            .collect();
        let drawn = vec![figure::scatter(&dots, measure(choice.of), size), figure::histogram(&dots, size)];
        let (groups, table) = self.groups();
        let mut figures = self.filters();
        figures.extend(drawn.iter().map(html::figure));
        figures.push_str(&groups);
        figures.push_str(&self.list(&rows));
        let files = Files { figures: drawn, tables: vec![("groups", table)], operators: None };
        Work::Done(answer::Answer { headline: headline(&rows), figures, files })
    }

    /// What is left out, each with a link that brings it back.
    fn filters(&self) -> String {
        let choice = self.choice();
        let chip = |by: Trait| {
            let text = format!("{}: {} ×", by.name(), choice.only(by));
            let back =
                html::link(&format!("any-{}", by.id()), &self.fragment(choice.filtered(by, "")), &text);
            format!(r#"<li>{back}<span class="visually-hidden">, remove this filter</span></li>"#)
        };
        let set = Trait::ALL.into_iter().filter(|by| !choice.only(*by).is_empty());
        let chips: String = set.map(chip).collect();
        if chips.is_empty() {
            return chips;
        }
        format!(r#"<ul class="filters" aria-label="Filters">{chips}</ul>"#)
    }
}

/// Rows that are no measurements: what the code of arXiv 2410.00273 gives, which a set of constants reproduces.
const COMPUTED: &str = "subramanian-2024";

/// Of the rows that nothing was fitted on. What was computed counts only where there is nothing else.
pub(super) fn score(rows: &[&Row<'_>]) -> Score {
    let computed = |row: &Row<'_>| row.point.of(Trait::Source) == COMPUTED;
    let alone = rows.iter().all(|row| computed(row));
    let counted = rows.iter().filter(|row| !row.point.used_in_fit && (alone || !computed(row)));
    Score::of(counted.map(|row| (row.pair.predicted, row.pair.measured)))
}

fn headline(rows: &[&Row<'_>]) -> String {
    let score = score(rows);
    let fitted = rows.iter().filter(|row| row.point.used_in_fit).count();
    let number = |text: String| if score.count == 0 { "–".to_owned() } else { text };
    let fitted = format!("and {} used in a fit, not counted", format::grouped(fitted as f64));
    [
        html::card("rows", "Rows compared", &format::grouped(score.count as f64), &fitted),
        html::card("mean", "Mean error", &number(format::percent(score.mean)), "of the absolute values"),
        html::card("median", "Median error", &number(format::percent(score.median)), "half are closer"),
        html::card(
            "bias",
            "Bias",
            &number(format::signed_percent(score.bias)),
            "above 0: predicted too high",
        ),
        html::card("p90", "90th percentile", &number(format::percent(score.p90)), "nine of ten are closer"),
    ]
    .concat()
}

/// How values of a topic are written.
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
