//! Models that are refused, because they have parts that are not modelled.

use super::Import;
use super::config::problem;
use super::values;
use crate::scenario::Problem;

/// Keys of features that are modelled only in Gemma's small models, with the features.
const SMALL_GEMMA: &[(&str, &str)] = &[
    ("altup_num_inputs", "alternating updates of several residual streams (Gemma 3n)"),
    ("hidden_size_per_layer_input", "embeddings per layer (Gemma 3n)"),
    ("num_kv_shared_layers", "layers that share keys and values of others"),
];

/// Keys of features that are not modelled, with the features.
const NOT_MODELLED: &[(&str, &str)] = &[
    ("shared_blocks", "blocks that several layers share"),
    ("num_mem_blocks", "blocks that several layers share (Zamba2)"),
    ("compress_block_size", "native sparse attention"),
    ("moba_chunk_size", "mixture of block attention"),
    ("moe_args", "experts in the format of Llama 4's params.json"),
    ("cross_attention_layers", "layers that attend to an encoder (Llama 3.2 Vision)"),
    ("attention_types", "alternating local and global attention (GPT-Neo)"),
];

/// Keys that describe features which are switched off if the model is not refused.
const SWITCHED_OFF: &[&str] = &[
    "vocab_size_per_layer_input",
    "altup_active_idx",
    "altup_coef_clip",
    "altup_correct_scale",
    "laurel_rank",
    "attention_layers",
];

impl Import<'_> {
    /// Refuses models that are not decoders.
    pub(super) fn check_decoder(&self) -> Result<(), Problem> {
        let encoder = "says that the model has an encoder and a decoder, or attends to another model, which is not modelled";
        for key in ["is_encoder_decoder", "add_cross_attention", "use_cross_attention"] {
            if [self.config].into_iter().chain(self.levels).any(|level| level.flag(key) == Some(true)) {
                return Err(problem(key, encoder));
            }
        }
        self.config.implied(&["cross_attention_hidden_size"]);
        Ok(())
    }

    /// Refuses models with features of layers that are not modelled.
    pub(super) fn check_layers(&self) -> Result<(), Problem> {
        let others = if self.is_small_gemma() { &[] } else { SMALL_GEMMA };
        for (key, feature) in NOT_MODELLED.iter().chain(others) {
            let present = self.config.get(key).is_some_and(|value| !values::empty(value));
            if present {
                return Err(problem(key, format!("says that the model has {feature}: this is not modelled")));
            }
        }
        self.config.implied(SWITCHED_OFF);
        Ok(())
    }
}
