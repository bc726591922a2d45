//! Computation of a result of a paper: in one call, or in steps.

use std::fmt;

use super::Found;
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
