//! One speed-up in detail: its causes, what it takes, and the same under other assumptions.

use super::{configurations, variants};
use crate::figure::{self, Size};
use crate::scenario::Scenario;
use crate::units::Amount;
use crate::view::{Card, Notice, Part};

/// The detailed comparison. If it has no answer, the rest of the view is unaffected.
#[derive(Debug)]
pub(super) struct Causes {
    /// The speed-up.
    pub(super) card: Option<Card>,
    /// Causes, both configurations, and other assumptions.
    pub(super) parts: Vec<Part>,
}

impl Causes {
    pub(super) fn of(question: &Scenario, size: Size) -> Self {
        let found = match question.waterfall() {
            Ok(found) => found,
            Err(problems) => {
                return Self { card: None, parts: vec![Notice::refused("waterfall", &problems).into()] };
            }
        };
        let label = format!("{} over {}, training, as asked", found.to.name, found.from.name);
        let configured = variants::describe(&question.comparison);
        let first = if question.comparison.tuned { "with its own best plan" } else { "as asked" };
        let second = format!("in {configured},");
        let note = match variants::claimed(&question.comparison) {
            Some(claimed) => format!("{configured}; {claimed}"),
            None => configured,
        };
        let card = Card::new("speedup-asked", label, Amount::times(found.speedup)).noted(note);
        let mut waterfall = figure::waterfall(&found, [first, &second], size);
        waterfall.assumptions.insert(
            0,
            "The second device has its own best plan in the format that is named; the other speed-ups in training let each device \
             have its own best format too, or the plan of the first one"
                .to_owned(),
        );
        let mut parts: Vec<Part> = vec![waterfall.into()];
        parts.extend(configurations::part(question, &found).map(Part::from));
        parts.push(match question.variants() {
            Ok(all) => variants::part(question, &all).into(),
            Err(problems) => Notice::refused("variants", &problems).into(),
        });
        Self { card: Some(card), parts }
    }
}
