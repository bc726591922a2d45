//! Speculative decoding: a small draft model proposes tokens that the model then verifies in one pass.
//!
//! The draft's time is a given share of the model's decode step, or, for a model named in the catalogue, follows from
//! its shapes; a named draft also prefills every prompt and keeps weights and a KV cache of its own.

use super::law::LoadFault;
use super::load::InferenceLoad;
use crate::catalog::architecture::Architecture;

/// A model of the catalogue that proposes tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draft {
    /// The model.
    pub architecture: &'static Architecture,
    /// True if the draft is sharded over the tensor group like the model; otherwise each GPU runs it whole.
    pub shared: bool,
}

impl Draft {
    /// The load of the draft model for the requests and formats of `load`.
    pub(super) fn load(&self, load: &InferenceLoad) -> InferenceLoad {
        InferenceLoad {
            tensor: if self.shared { load.tensor } else { 1 },
            data: 1,
            expert: 1,
            workers: 1,
            prefill_workers: 0,
            draft: 0,
            ..load.resident()
        }
    }

    /// Checks the laws of a draft model for `model`.
    pub fn check(&self, load: &InferenceLoad, model: &Architecture) -> Result<(), LoadFault> {
        let fault = |name, message| Err(LoadFault::new("speculation.", name, message));
        let Architecture { name, vocab, .. } = self.architecture;
        if load.draft == 0 {
            return Ok(());
        }
        if *vocab != model.vocab || !self.architecture.is_causal() {
            let message = format!(
                "{name} has a vocabulary of {vocab} tokens and {} one of {}: a draft needs the vocabulary of the model",
                model.name, model.vocab
            );
            return fault("model", message);
        }
        if load.pipeline > 1 || load.context > 1 {
            let message = "a draft model is modelled without pipeline or context parallelism";
            return fault("model", message.to_owned());
        }
        let prefilling = load.prefilling();
        for load in std::iter::once(load).chain((load.prefill_workers > 0).then_some(&prefilling)) {
            self.load(load).check(self.architecture).or_else(|broken| fault("shared", broken.message))?;
        }
        Ok(())
    }
}
