//! All published rows with their predictions, each of which is made once.

use foretoken::validation::{Case, Outcome};

use super::left_out::LeftOut;
use crate::parallel;

/// A row's outcomes by what is left out.
struct Row<'a> {
    case: &'a Case,
    /// In the order of [`LeftOut::ALL`]; the first alone for rows that are not scored.
    outcomes: Vec<Vec<Outcome<'a>>>,
}

/// Published rows with their predictions.
pub struct Predictions<'a> {
    rows: Vec<Row<'a>>,
}

impl<'a> Predictions<'a> {
    /// Predicts all rows.
    pub fn of(cases: &'a [Case]) -> Self {
        Self { rows: parallel::each(cases, Row::of) }
    }

    /// The rows' outcomes with all constants, one row after the other.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome<'a>> {
        self.of_rows().flatten()
    }

    /// The outcomes of each row with all constants.
    pub fn of_rows(&self) -> impl Iterator<Item = &[Outcome<'a>]> {
        self.rows.iter().map(|row| row.outcomes[0].as_slice())
    }

    /// Scored rows, with their outcomes without the constants that are left out.
    pub fn scored(&self, left_out: LeftOut) -> impl Iterator<Item = (&'a Case, &[Outcome<'a>])> {
        self.rows.iter().filter_map(move |row| {
            let place = LeftOut::ALL.iter().position(|other| *other == left_out)?;
            let outcomes = row.outcomes.get(place)?;
            is_scored(row.case).then_some((row.case, outcomes.as_slice()))
        })
    }
}

/// Returns true for a measured row that no constant was fitted on.
fn is_scored(case: &Case) -> bool {
    !case.used_in_fit && case.is_measured()
}

impl<'a> Row<'a> {
    fn of(case: &'a Case) -> Self {
        let variants = if is_scored(case) { &LeftOut::ALL[..] } else { &[LeftOut::Nothing] };
        let outcomes = variants.iter().map(|left_out| case.outcomes_with(&left_out.replaced(case)));
        Self { case, outcomes: outcomes.collect() }
    }
}
