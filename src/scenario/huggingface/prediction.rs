//! Multi-token-prediction (MTP) modules of a `config.json`.

use super::Import;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{FeedForward, Layer, Mixer, Prediction, Seen};

/// Keys of the number of modules.
const NUMBERS: [&str; 4] =
    ["num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", "mtp_num_layers"];

/// Keys of modules whose values do not change the cost.
const SETTINGS: &[&str] = &["mtp_layers_block_type"];

/// Blocks of Nemotron's modules: one of attention, one of experts.
const ATTENTION_AND_EXPERTS: &str = "*E";

impl Import<'_> {
    /// The prediction modules behind the layers of this model; `None` without any.
    pub(super) fn prediction(&self, architecture: &Architecture) -> Option<Prediction> {
        let config = self.config;
        let modules = config.positive(&NUMBERS);
        let used = config.flag("use_mtp") != Some(false);
        let layers = config.number(&["mtp_transformer_layers"]);
        let pattern = config.text("mtp_hybrid_override_pattern");
        let embeddings = config.flag("mtp_use_dedicated_embeddings");
        config.implied(SETTINGS);
        let modules = modules.filter(|_| used)?;
        let note = |what: &str| config.audit().note(format!("config.json: {what}"));
        if layers.is_some_and(|layers| layers != 1) {
            note(
                "prediction modules (MTP) are counted with one layer each, not as `mtp_transformer_layers` says",
            );
        }
        if pattern.is_some_and(|pattern| pattern != ATTENTION_AND_EXPERTS) {
            note(
                "`mtp_hybrid_override_pattern` is not understood: attention and experts are assumed in each prediction module",
            );
        }
        if embeddings == Some(true) {
            note(
                "embeddings of the prediction modules' own (`mtp_use_dedicated_embeddings`) are not counted",
            );
        }
        let place = |like: &dyn Fn(&Layer) -> bool| {
            let place = architecture.layer_kinds().position(|layer| like(&layer))?;
            u32::try_from(place).ok()
        };
        let dense = |layer: &Layer| matches!(layer.ffn, FeedForward::Dense(_));
        let windowed = |layer: &Layer| match layer.mixer {
            Mixer::Attention(heads) => matches!(heads.seen, Seen::Window(_)),
            Mixer::Compressed(compressed) => compressed.ratio == 0,
            _ => false,
        };
        let layer = match self.model_type {
            // The last entries of `layer_types` are the modules' windows; their blocks are dense.
            "step3p5" => place(&|layer| windowed(layer) && dense(layer)),
            // One attention block and one dense block (vLLM, `longcat_flash_mtp.py`).
            "longcat_flash" => place(&dense),
            // The last entry of `compress_ratios` is the module's, 0: a window alone.
            "deepseek_v4" => place(&windowed),
            _ => None,
        };
        Some(Prediction { modules, layer })
    }
}
