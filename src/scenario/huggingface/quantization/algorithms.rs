//! Algorithms of NVIDIA's Model Optimizer, by their names in `quant_algo` (NVIDIA/Model-Optimizer,
//! `modelopt/torch/export/model_config.py`; NVIDIA/TensorRT-LLM, `tensorrt_llm/quantization/mode.py`).

use super::stored::Kind::{Float, Integer};
use super::stored::Stored;
use crate::json::Json;

/// The format of an algorithm; `None` if its name is unknown.
pub(super) fn algorithm(name: &str) -> Option<Stored<'static>> {
    let both = |bits, kind, group| Stored { bits, kind, group, activations: Some(bits), ..Stored::default() };
    Some(match name {
        "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" => both(8, Float, 0),
        "FP8_PB_WO" | "FP8_PB_REAL" | "FP8_BLOCK" => Stored { blocks: true, ..both(8, Float, 0) },
        "NVFP4" | "NVFP4_AWQ" => both(4, Float, 16),
        "W4A16_NVFP4" => Stored { activations: None, ..both(4, Float, 16) },
        "W4A8_NVFP4_FP8" => Stored { activations: Some(8), ..both(4, Float, 16) },
        "MXFP8" => both(8, Float, 32),
        "MXFP4" | "W4A16_MXFP4" => Stored { activations: None, ..both(4, Float, 32) },
        "W4A8_MXFP4_FP8" => Stored { activations: Some(8), ..both(4, Float, 32) },
        "INT4_AWQ" | "W4A16_AWQ" => Stored { activations: None, ..both(4, Integer, 128) },
        "W4A8_AWQ" => Stored { activations: Some(8), ..both(4, Integer, 128) },
        "W8A16" => Stored { activations: None, ..both(8, Integer, 0) },
        "INT8_SQ" | "W8A8_SQ_PER_CHANNEL" => both(8, Integer, 0),
        _ => return None,
    })
}

/// Name of the algorithm that `quantized_layers` gives to experts, otherwise to feed-forward blocks, otherwise to any
/// layer.
pub(super) fn of_layers<'a>(layers: &'a Json<'_>) -> Option<&'a str> {
    let Json::Object(layers) = layers else { return None };
    let of = |part: &str| {
        let layer = layers.iter().find(|(name, _)| name.contains(part));
        layer.and_then(|(_, layer)| layer.get("quant_algo")?.as_text())
    };
    of("experts").or_else(|| of("mlp")).or_else(|| of("ffn")).or_else(|| of(""))
}
