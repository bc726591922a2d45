//! An inference job, and the steps of one batch from its beginning to its end.

use super::draft::Draft;
use super::engine::EngineOverheads;
use super::load::InferenceLoad;
use crate::catalog::architecture::Architecture;
use crate::system::System;

/// An inference question in which everything has been looked up and every law holds.
#[derive(Clone, Copy, Debug)]
pub struct InferenceJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The machine.
    pub system: &'a System,
    /// What is served.
    pub load: &'a InferenceLoad,
    /// What the engine adds to the kernels.
    pub overheads: EngineOverheads,
    /// The draft, where it is named.
    pub draft: Option<Draft>,
}

/// A part of a request's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All prompt tokens at once.
    Prefill,
    /// One token per request.
    Decode,
}
