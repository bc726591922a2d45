//! The format in which a model's weights are published.

use super::{Choice, Scenario};
use crate::catalog::Architecture;
use crate::system::Precision;
use crate::words::Word as _;

/// Models whose published weights are narrower than 16 bits, by `quantization_config` of their `config.json` or the
/// source that is named.
const NARROW: [(&str, Precision); 21] = [
    // "quant_method": "fp8", "weight_block_size": [128, 128].
    ("deepseek-v3", Precision::Fp8Block),
    ("deepseek-v3.2", Precision::Fp8Block),
    ("mimo-v2-flash", Precision::Fp8Block),
    ("kimi-k2", Precision::Fp8Block),
    ("minimax-m2.5", Precision::Fp8Block),
    ("minimax-m2.7", Precision::Fp8Block),
    // "strategy": "block", 128 x 128 (vllm-project/vllm-ascend, tests of compressed-tensors).
    ("mistral-large-3-675b", Precision::Fp8Block),
    // "precision: fp8" of the instruct models: vllm-project/recipes@8959cf6, models/mistralai.
    ("ministral-3-3b", Precision::Fp8),
    ("ministral-3-8b", Precision::Fp8),
    ("ministral-3-14b", Precision::Fp8),
    ("mistral-small-4-119b", Precision::Fp8),
    ("mistral-medium-3.5-128b", Precision::Fp8),
    // "format": "pack-quantized", 4-bit integers per group of 32, for the routed experts.
    ("kimi-k2-thinking", Precision::Int4),
    ("kimi-k2.5", Precision::Int4),
    ("kimi-k2.6", Precision::Int4),
    ("kimi-k2.7-code", Precision::Int4),
    // Experts in FP4 and the rest in FP8, by the models' cards.
    ("deepseek-v4-flash", Precision::Mxfp4),
    ("deepseek-v4-pro", Precision::Mxfp4),
    // "format": "mxfp4-pack-quantized", for the routed experts.
    ("kimi-k3", Precision::Mxfp4),
    // "quant_method": "mxfp4", for the experts, which hold nearly all weights.
    ("gpt-oss-120b", Precision::Mxfp4),
    ("gpt-oss-20b", Precision::Mxfp4),
];

/// The published format of a model's weights; 16 bits if unknown.
fn native(model: &Choice<Architecture>) -> Precision {
    let id = match model {
        Choice::Named(id) => id,
        Choice::Explicit(model) => {
            if let Some(format) = model.weights.as_deref().and_then(Precision::named) {
                return format;
            }
            &model.id
        }
    };
    NARROW.iter().find(|(known, _)| known == id).map_or(Precision::Bf16, |(_, format)| *format)
}

impl Scenario {
    /// The published number format of the model's weights; 16 bits if unknown.
    pub fn native_precision(&self) -> Precision {
        native(&self.model)
    }

    /// After another model was picked in place of `before`: serves it in its own format, unless the visitor had chosen
    /// another format than that of the model before.
    pub fn serve_native(&mut self, before: &Choice<Architecture>) {
        if self.inference.precision == native(before) || self.inference.precision == Precision::Bf16 {
            self.inference.precision = native(&self.model);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    fn pick(scenario: &mut Scenario, id: &str) -> Precision {
        let before = std::mem::replace(&mut scenario.model, Choice::Named(id.to_owned()));
        scenario.serve_native(&before);
        scenario.inference.precision
    }

    #[test]
    fn a_picked_model_is_served_as_it_is_published() {
        let mut scenario = Scenario::default();
        assert_eq!(pick(&mut scenario, "deepseek-v3"), Precision::Fp8Block);
        assert_eq!(pick(&mut scenario, "gpt-oss-120b"), Precision::Mxfp4);
        assert_eq!(pick(&mut scenario, "kimi-k2.5"), Precision::Int4);
        assert_eq!(pick(&mut scenario, "llama-3.1-8b"), Precision::Bf16);
        scenario.inference.precision = Precision::Int4;
        assert_eq!(pick(&mut scenario, "deepseek-v3"), Precision::Int4);
    }

    #[test]
    fn every_narrow_model_is_in_the_catalogue() {
        for (id, format) in NARROW {
            assert!(
                catalog::architecture(id).is_some() && format.element() < Precision::Bf16.element(),
                "{id}"
            );
        }
    }
}
