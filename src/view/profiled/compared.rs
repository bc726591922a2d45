//! A profile beside its predictions, term by term.

use super::pairs::{Pair, is_idle};
use crate::estimate::Term;
use crate::figure::{Profile, ProfileTerm};
use crate::scenario::Activities;

/// A profile and its predictions.
pub(super) struct Compared {
    pub(super) profile: Profile,
    /// Scope of each term.
    pub(super) notes: Vec<&'static str>,
    /// Predicted terms that a row sums.
    pub(super) details: Vec<Detail>,
    /// Hidden communication, if a profile of steps and the model have it. It is not part of the total.
    pub(super) hidden: Option<ProfileTerm>,
}

/// A predicted term as a part of a row.
pub(super) struct Detail {
    /// Label of the row.
    pub(super) of: &'static str,
    pub(super) term: ProfileTerm,
}

/// Sum of times. [`Iterator::sum`] of no numbers is −0.0, which would be shown with a minus sign.
fn sum(times: impl Iterator<Item = f64>) -> f64 {
    times.fold(0.0, |sum, time| sum + time)
}

impl Compared {
    /// Compares times if the profile has the time of a `step`, otherwise shares of the time; `None` without a profile.
    pub(super) fn of(
        own: &Activities,
        step: Option<f64>,
        pairs: &[Pair],
        predicted: &[(&'static str, Vec<Term>)],
    ) -> Option<Self> {
        // A summary of kernels has no idle time, so the row is omitted for the predictions too.
        let pairs: Vec<&Pair> = pairs.iter().filter(|pair| !is_idle(pair) || own.idle.is_some()).collect();
        let spent = |pair: &&Pair| sum(pair.measured.iter().filter_map(|activity| own.get(*activity)));
        let measured: Vec<f64> = pairs.iter().map(spent).collect();
        let total = sum(measured.iter().copied());
        if total <= 0.0 {
            return None;
        }
        let time_of = |terms: &[Term], id: &str| {
            sum(terms.iter().filter(|term| term.id == id).map(|term| term.time.get()))
        };
        let of = |terms: &[Term], pair: &Pair| sum(pair.predicted.iter().map(|id| time_of(terms, id)));
        let mut scales = vec![1.0; predicted.len() + 1];
        if step.is_none() {
            let of_all = |terms: &[Term]| sum(pairs.iter().map(|pair| of(terms, pair)));
            let totals = std::iter::once(total).chain(predicted.iter().map(|(_, terms)| of_all(terms)));
            scales = totals.map(|total| if total > 0.0 { total.recip() } else { 0.0 }).collect();
        }
        let mut columns = vec![measured];
        columns.extend(predicted.iter().map(|(_, terms)| pairs.iter().map(|pair| of(terms, pair)).collect()));
        for (times, scale) in columns.iter_mut().zip(&scales) {
            for time in times {
                *time *= scale;
            }
        }
        let places = (0..pairs.len()).filter(|place| columns.iter().any(|times| times[*place] > 0.0));
        let (mut terms, mut notes, mut details) = (Vec::new(), Vec::new(), Vec::new());
        for place in places {
            let pair = pairs[place];
            let told = |column: &usize| *column > 0 || !pair.measured.is_empty();
            let value = |column: usize| Some(column).filter(told).map(|column| columns[column][place]);
            terms.push(ProfileTerm { name: pair.name, values: (0..columns.len()).map(value).collect() });
            notes.push(pair.note);
            // The parts of compute have no names that a reader could tell apart in a profile.
            if is_idle(pair) && pair.predicted.len() > 1 {
                details.extend(parts_of(pair, predicted, &scales));
            }
        }
        let sources = std::iter::once("Measured").chain(predicted.iter().map(|(name, _)| *name)).collect();
        Some(Self {
            profile: Profile { sources, terms, shares: step.is_none() },
            notes,
            details,
            hidden: None,
        })
    }
}

/// The predicted terms of a row, of which the profile measures the sum.
fn parts_of<'a>(
    pair: &'a Pair,
    predicted: &'a [(&'static str, Vec<Term>)],
    scales: &'a [f64],
) -> impl Iterator<Item = Detail> + 'a {
    pair.predicted.iter().filter_map(move |id| {
        let found = |terms: &'a [Term]| terms.iter().find(|term| term.id == *id);
        let name = predicted.iter().find_map(|(_, terms)| found(terms))?.label;
        let value = |((_, terms), scale): (&'a (&'static str, Vec<Term>), &'a f64)| {
            Some(found(terms).map_or(0.0, |term| term.time.get() * scale))
        };
        let values = std::iter::once(None).chain(predicted.iter().zip(&scales[1..]).map(value)).collect();
        Some(Detail { of: pair.name, term: ProfileTerm { name, values } })
    })
}
