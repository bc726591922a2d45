//! Tables and figures of two papers, computed with the model and compared with their published values.
//!
//! Each result has a module. To add one: add a row to [`EXHIBITS`] with its name and description, write a module here
//! with its [`Entry`], and list the entry in [`entries`]. The menu, the gallery, the result's page, `docs/papers.md`
//! and the tests are derived from these. Each figure's id is also listed in [`crate::figure::FIGURES`].

mod found;
mod known;
mod kundu;
mod printed;
mod subramanian;

use std::fmt;

pub use found::{
    Bar, Bars, Chart, Data, Dot, Dots, Found, Limit, Line, Lines, Look, Origin, Pair, Point, Quantity,
    Question, Share, Source,
};
pub use known::{Known, known};
pub use printed::{Printed, beside};

use crate::published::{EXHIBITS, Exhibit};

/// Computation of a table or figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Id in [`EXHIBITS`].
    pub id: &'static str,
    /// Assumptions of the computation that the paper does not state: one sentence each, without a full stop.
    pub inferred: &'static [&'static str],
    /// The computation.
    pub begin: Begin,
}

/// Kind of computation, by its duration.
#[derive(Clone, Copy, Debug)]
pub enum Begin {
    /// A few milliseconds of work, in one call.
    Once(fn() -> Found),
    /// Longer work, divided into steps.
    Steps(fn() -> Box<dyn Computing>),
}

/// A result that is computed in steps of a few milliseconds.
pub trait Computing: fmt::Debug {
    /// Name of the data file, served beside the program, that the next step needs.
    fn needs(&self) -> Option<&'static str> {
        None
    }

    /// Supplies the text of that file. The error is a sentence without a full stop.
    fn supply(&mut self, text: &str) -> Result<(), String> {
        let _ = text;
        Ok(())
    }

    /// Number of steps done, and total number of steps.
    fn progress(&self) -> (u32, u32);

    /// Computes the next step.
    fn advance(&mut self);

    /// The result so far.
    fn found(&self) -> Found;
}

/// All computations, in the order of [`EXHIBITS`].
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    kundu::entries().chain(subramanian::entries())
}

/// The computation of an exhibit.
pub fn entry(id: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.id == id)
}

impl Entry {
    /// The exhibit that is computed.
    pub fn exhibit(&self) -> Option<&'static Exhibit> {
        EXHIBITS.iter().find(|exhibit| exhibit.id == self.id)
    }

    /// Computes all steps. `read` returns the text of a data file by its name.
    pub fn compute(&self, read: impl Fn(&str) -> Result<String, String>) -> Result<Found, String> {
        let mut computing = match self.begin {
            Begin::Once(compute) => return Ok(compute()),
            Begin::Steps(begin) => begin(),
        };
        while let (done, all) = computing.progress()
            && done < all
        {
            if let Some(file) = computing.needs() {
                computing.supply(&read(file)?)?;
            }
            computing.advance();
        }
        Ok(computing.found())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_exhibit_has_one_computation() {
        let exhibits: Vec<&str> = EXHIBITS.iter().map(|exhibit| exhibit.id).collect();
        let results: Vec<&str> = entries().map(|entry| entry.id).collect();
        assert_eq!(exhibits, results);
        for exhibit in EXHIBITS {
            assert!(!exhibit.shows.ends_with('.') && !exhibit.name.is_empty(), "{}", exhibit.id);
            assert_eq!(EXHIBITS.iter().filter(|other| other.id == exhibit.id).count(), 1, "{}", exhibit.id);
        }
        let inferred = || entries().flat_map(|entry| entry.inferred);
        assert!(inferred().all(|sentence| !sentence.ends_with('.')));
    }
}
