//! Reads the `hf_quant_config.json` that NVIDIA's Model Optimizer writes beside a checkpoint's `config.json`: the formats of
//! weights and KV cache (NVIDIA/Model-Optimizer, `modelopt/torch/export/unified_export_hf.py` and `quant_utils.py`).

use super::config::Config;
use super::quantization;
use crate::json::Json;
use crate::system::Precision;

/// What an `hf_quant_config.json` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quantized {
    /// Number format of the weights; `None` if it is not stated or unknown.
    pub weights: Option<Precision>,
    /// Number format of the KV cache; `None` if it is not stated or unknown.
    pub kv_cache: Option<Precision>,
    /// Differences from the checkpoint's own formats and keys that were not understood, a sentence each.
    pub warnings: Vec<String>,
}

/// Names of formats of the KV cache, with that of 16 bits for none.
const CACHES: [(&str, Precision); 6] = [
    ("FP8", Precision::Fp8),
    ("INT8", Precision::Int8),
    ("NVFP4", Precision::Fp4),
    ("NVFP4_AFFINE", Precision::Fp4),
    ("NONE", Precision::Bf16),
    ("none", Precision::Bf16),
];

/// Reads the formats; `None` if the text is another kind of file.
pub fn quantized(text: &str) -> Option<Quantized> {
    let file = Json::parse(text).ok()?;
    let file = Config::new(&file);
    let inner = file.inside("quantization")?;
    let stated = ["quant_algo", "kv_cache_quant_algo", "quantized_layers"].iter().any(|key| inner.has(key));
    // A config.json may have the same object. It states its shape or its type too.
    let model = ["model_type", "architectures", "num_hidden_layers", "hidden_size"];
    if !stated || model.iter().any(|key| file.has(key)) {
        return None;
    }
    file.implied(&["producer", "quant_method"]);
    let named = inner.text("quant_algo").is_some() || inner.get("quantized_layers").is_some();
    let weights = if named { quantization::weights(&[&file]) } else { None };
    inner.implied(&["exclude_modules"]);
    let name = inner.text("kv_cache_quant_algo");
    let kv_cache = name.and_then(|name| CACHES.iter().find(|(known, _)| *known == name));
    if let (Some(name), None) = (name, kv_cache) {
        let shown: String = name.chars().take(32).collect();
        file.audit().note(format!("config.json: the number format of the KV cache (`{shown}`) is unknown"));
    }
    // The warnings begin with the name of the file that is read elsewhere.
    let warnings = file.audit().warnings().into_iter().map(|warning| format!("hf_quant_{warning}"));
    Some(Quantized { weights, kv_cache: kv_cache.map(|(_, format)| *format), warnings: warnings.collect() })
}
