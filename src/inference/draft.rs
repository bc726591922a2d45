//! Speculative decoding: a draft proposes tokens that the model then verifies in one pass.
//!
//! The draft's time is a given share of the model's decode step, or follows from shapes: those of a small model of the
//! catalogue, or those of the model's own prediction modules (MTP). Both also read every prompt and keep weights and a KV
//! cache.

use super::law::LoadFault;
use super::load::InferenceLoad;
use crate::catalog::architecture::Architecture;

/// The drafter of speculative decoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draft {
    /// A model of the catalogue.
    Model(DraftModel),
    /// The prediction modules (MTP) of the model itself, on the GPUs that share the model.
    Modules,
}

/// A model of the catalogue that proposes tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DraftModel {
    /// The model.
    pub architecture: &'static Architecture,
    /// True if the draft is sharded over the tensor group like the model; otherwise each GPU runs it whole.
    pub shared: bool,
}

impl DraftModel {
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

    /// Checks that the drafter has the vocabulary of `model`.
    fn check_vocabulary(&self, model: &Architecture) -> Result<(), String> {
        let Architecture { name, vocab, .. } = self.architecture;
        if *vocab == model.vocab && self.architecture.is_causal() {
            return Ok(());
        }
        Err(format!(
            "{name} has a vocabulary of {vocab} tokens and {} one of {}: a draft needs the vocabulary of the model",
            model.name, model.vocab
        ))
    }
}

impl Draft {
    /// Checks the laws of a draft for `model`: a vocabulary or modules that fit, and parallelism that is modelled.
    pub fn check(&self, load: &InferenceLoad, model: &Architecture) -> Result<(), LoadFault> {
        let fault = |name, message| Err(LoadFault::new("speculation.", name, message));
        if load.draft == 0 {
            return Ok(());
        }
        let fits = match self {
            Self::Model(draft) => draft.check_vocabulary(model),
            Self::Modules if model.prediction.is_some() => Ok(()),
            Self::Modules => {
                Err(format!("{} has no prediction modules (MTP): choose another draft", model.name))
            }
        };
        fits.or_else(|message| fault("model", message))?;
        if load.pipeline > 1 || load.context > 1 {
            let message = "drafting is modelled without pipeline or context parallelism";
            return fault("model", message.to_owned());
        }
        let Self::Model(draft) = self else { return Ok(()) };
        let prefilling = load.prefilling();
        for load in std::iter::once(load).chain((load.prefill_workers > 0).then_some(&prefilling)) {
            draft.load(load).check(draft.architecture).or_else(|broken| fault("shared", broken.message))?;
        }
        Ok(())
    }
}
