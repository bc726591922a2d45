//! Modules that predict further tokens (multi-token prediction, MTP): DeepSeek-V3, arXiv 2412.19437, section 2.2.

use serde::{Deserialize, Serialize};

use super::{Cut, FeedForward, Layer, Matrix, Mixer};
use crate::catalog::architecture::Architecture;

/// Modules after the last layer. Module k predicts the token k places after the next one.
///
/// A module norms the hidden state and the embedding of the following token, h wide each, projects both together from 2h to
/// h (equation 21), and passes the result through one layer of the model (equation 22) and a norm. Embedding and output
/// head are those of the model (equation 23).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Number of modules.
    pub modules: u32,
    /// Place in [`Architecture::layer_kinds`] of the layer that a module has, from 0; `None` for the last one with attention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<u32>,
}

/// Norms of a module without those of its layer: of the hidden state, of the embedding, and before the output head.
const NORMS: u64 = 3;

impl Prediction {
    /// Modules that repeat the model's last layer with attention.
    pub const fn of(modules: u32) -> Self {
        Self { modules, layer: None }
    }

    /// The layer of the modules; its count is the number of modules.
    ///
    /// Where attention and feed-forward blocks are layers of their own (Nemotron), a module has the last of each.
    pub fn layer(&self, architecture: &Architecture) -> Layer {
        let last = |like: fn(&Layer) -> bool| architecture.layer_kinds().filter(like).last();
        let named = self.layer.and_then(|place| architecture.layer_kinds().nth(place as usize));
        let attending = named.or_else(|| last(|layer| layer.mixer.attends()));
        let mixing = attending.or_else(|| last(|layer| layer.mixer.is_some())).unwrap_or_default();
        let whole = Layer { count: self.modules, copies: None, ..mixing };
        match last(|layer| layer.ffn != FeedForward::None) {
            Some(transforming) if whole.ffn == FeedForward::None => {
                let alone = transforming.mixer == Mixer::None;
                let norms = if alone { whole.norms + transforming.norms } else { transforming.norms };
                Layer { ffn: transforming.ffn, norms, ..whole }
            }
            _ => whole,
        }
    }

    /// The projection of hidden state and embedding, one per module. Serving engines keep it whole, in the format of the output
    /// head, on every GPU of a tensor group (vLLM, `deepseek_mtp.py`); Megatron-LM cuts its columns
    /// (`multi_token_prediction.py`).
    pub const fn projection(hidden: u32) -> Matrix {
        let hidden = hidden as u64;
        Matrix::new("Prediction projection", 2 * hidden, hidden, Cut::Whole)
    }

    /// Parameters of all modules: those which are stored, and those that a token which passes all modules is multiplied
    /// with.
    ///
    /// Embedding and output head are not counted, though some checkpoints have copies of them for each module.
    pub fn parameters(&self, architecture: &Architecture) -> (u64, u64) {
        let layer = self.layer(architecture);
        let beside = Self::projection(architecture.hidden).elements() + Self::norms(architecture);
        let (total, active) = architecture.layer_parameters(&layer);
        let modules = u64::from(self.modules);
        (modules * (total + beside), modules * (active + beside))
    }

    /// Elements of the norms of one module, without those of its layer.
    pub fn norms(architecture: &Architecture) -> u64 {
        NORMS * architecture.norm_width()
    }
}
