//! All published rows with their predictions, each of which is made once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use foretoken::validation::{Case, Outcome};

use super::left_out::LeftOut;

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

/// Rows that a thread takes at a time.
const SHARE: usize = 32;

impl<'a> Predictions<'a> {
    /// Predicts all rows, on as many threads as there are processors.
    pub fn of(cases: &'a [Case]) -> Self {
        let next = AtomicUsize::new(0);
        let shares: Vec<&[Case]> = cases.chunks(SHARE).collect();
        let done: Mutex<Vec<(usize, Vec<Row<'a>>)>> = Mutex::new(Vec::new());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((place, share)) = take(&next, &shares) {
                        let rows = share.iter().map(Row::of).collect();
                        if let Ok(mut done) = done.lock() {
                            done.push((place, rows));
                        }
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_default();
        done.sort_by_key(|(place, _)| *place);
        Self { rows: done.into_iter().flat_map(|(_, rows)| rows).collect() }
    }

    /// The rows' outcomes with all constants, one row after the other.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome<'a>> {
        self.of_rows().flatten()
    }

    /// The outcomes of each row with all constants.
    pub fn of_rows(&self) -> impl Iterator<Item = &[Outcome<'a>]> {
        self.rows.iter().map(|row| row.outcomes[0].as_slice())
    }

    /// Rows that no constant was fitted on, with their outcomes without the constants that are left out.
    pub fn scored(&self, left_out: LeftOut) -> impl Iterator<Item = (&'a Case, &[Outcome<'a>])> {
        self.rows.iter().filter_map(move |row| {
            let place = LeftOut::ALL.iter().position(|other| *other == left_out)?;
            let outcomes = row.outcomes.get(place)?;
            (!row.case.used_in_fit).then_some((row.case, outcomes.as_slice()))
        })
    }
}

/// The next share of the rows, with its place.
fn take<'a>(next: &AtomicUsize, shares: &[&'a [Case]]) -> Option<(usize, &'a [Case])> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    shares.get(place).map(|share| (place, *share))
}

impl<'a> Row<'a> {
    fn of(case: &'a Case) -> Self {
        // A run under a paper's own constants has none that could be left out.
        let all = if case.used_in_fit || case.source == "subramanian-2024" { 1 } else { LeftOut::ALL.len() };
        let outcomes =
            LeftOut::ALL[..all].iter().map(|left_out| case.outcomes_with(&left_out.replaced(case)));
        Self { case, outcomes: outcomes.collect() }
    }
}
