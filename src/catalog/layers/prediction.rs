//! Modules that predict further tokens (multi-token prediction, MTP): DeepSeek-V3, arXiv 2412.19437, section 2.2.

use serde::{Deserialize, Serialize};

use super::{Cut, Matrix};

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
    /// Place in [`Architecture::layer_kinds`](crate::catalog::Architecture::layer_kinds) of the layer that a module has, from 0;
    /// `None` for the last one with attention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<u32>,
}

impl Prediction {
    /// Modules that repeat the model's last layer with attention.
    pub const fn of(modules: u32) -> Self {
        Self { modules, layer: None }
    }

    /// The projection of hidden state and embedding, one per module. Serving engines keep it whole, in the format of the output
    /// head, on every GPU of a tensor group (vLLM, `deepseek_mtp.py`); Megatron-LM cuts its columns
    /// (`multi_token_prediction.py`).
    pub const fn projection(hidden: u32) -> Matrix {
        let hidden = hidden as u64;
        Matrix::new("Prediction projection", 2 * hidden, hidden, Cut::Whole)
    }
}
