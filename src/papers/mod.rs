//! Tables and figures of two papers, computed beside their published values.
//!
//! One file a result. To add one: a row in [`EXHIBITS`], which names it and says what it shows, and a file here with
//! its [`Entry`], listed in [`entries`]. The menu, the gallery, the page of the result, `docs/papers.md` and the tests
//! follow from these. Every figure's id is listed in [`crate::figure::FIGURES`] too.

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

/// How a table or figure of a paper is computed.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its machine name in [`EXHIBITS`].
    pub id: &'static str,
    /// What the computation assumes that the paper does not say, a sentence each without a full stop.
    pub inferred: &'static [&'static str],
    /// The computation.
    pub begin: Begin,
}

/// A computation that has not begun.
#[derive(Clone, Copy, Debug)]
pub enum Begin {
    /// Some milliseconds of work.
    Once(fn() -> Found),
    /// Longer work, in steps.
    Steps(fn() -> Box<dyn Computing>),
}

/// A result that is computed in steps of some milliseconds.
pub trait Computing: fmt::Debug {
    /// The file beside the program that is needed before the next step.
    fn needs(&self) -> Option<&'static str> {
        None
    }

    /// Takes the text of that file, or says what is wrong with it in a sentence without a full stop.
    fn supply(&mut self, text: &str) -> Result<(), String> {
        let _ = text;
        Ok(())
    }

    /// Steps that are done, and steps in all.
    fn progress(&self) -> (u32, u32);

    /// Takes the next step.
    fn advance(&mut self);

    /// What is known so far.
    fn found(&self) -> Found;
}

/// All computations; their order is that of [`EXHIBITS`].
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

    /// Computes everything at once; `read` gives the text of a file beside the program.
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
