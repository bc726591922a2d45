//! An inference job: a load on a machine, with the engine that serves it.

use super::draft::Draft;
use super::load::InferenceLoad;
use super::overheads::EngineOverheads;
use crate::catalog::architecture::Architecture;
use crate::system::System;

/// A resolved inference job: the catalogue entries are looked up and the load obeys every law.
#[derive(Clone, Copy, Debug)]
pub struct InferenceJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The accelerator and its network.
    pub system: &'a System,
    /// Requests, parallelism, formats and engine.
    pub load: &'a InferenceLoad,
    /// Overheads of the serving engine.
    pub overheads: EngineOverheads,
    /// The draft model of speculative decoding, if one is named.
    pub draft: Option<Draft>,
}

/// A phase of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Prefill: all prompt tokens.
    Prefill,
    /// Decode: one token per request and step.
    Decode,
}
