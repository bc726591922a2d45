//! Values of a `config.json` that mean absence, and irrelevant keys of nested objects.

use super::keys::irrelevant;
use crate::json::Json;

/// Irrelevant objects whose keys the file chooses, so that they cannot be listed.
const FREE: &[&str] =
    &["id2label", "label2id", "auto_map", "task_specific_params", "producer", "exllama_config", "meta"];

/// Objects whose members have names that the file chooses; the members' own keys are known.
pub(super) const PARTS: &[&str] = &["config_groups", "quantized_layers", "layer_quant_config"];

/// Irrelevant keys of nested objects: position encodings, and number formats, whose relevant keys are read in
/// [`super::quantization`].
const INSIDE: &[&str] = &[
    "type",
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "beta_fast",
    "beta_slow",
    "beta",
    "apply_scale",
    "mscale",
    "mscale_all_dim",
    "short_mscale",
    "long_mscale",
    "attention_factor",
    "short_factor",
    "long_factor",
    "mrope_interleaved",
    "full_attention",
    "sliding_attention",
    "main",
    "compress",
    "alpha",
    "finetuned",
    "truncate",
    "extrapolation_factor",
    "llama_4_scaling_beta",
    "max_position_embeddings",
    "format",
    "targets",
    "weights",
    "weight",
    "input_activations",
    "output_activations",
    "input_tensors",
    "output_tensors",
    "bias",
    "num_bits",
    "dtype",
    "group_size",
    "quant_algo",
    "strategy",
    "symmetric",
    "dynamic",
    "is_dynamic",
    "qscheme",
    "ch_axis",
    "round_method",
    "scale_type",
    "scale_format",
    "observer_cls",
    "actorder",
    "block_structure",
    "observer",
    "observer_kwargs",
    "scale_dtype",
    "zp_dtype",
];

/// Prefixes of keys that switch a part on or give a number. A value of zero or false then means that the part is absent.
const SWITCHES: &[&str] = &["use_", "add_", "enable_", "with_", "has_", "is_", "do_", "num_", "n_"];

/// Suffixes of such keys.
const SWITCH_ENDS: &[&str] = &["_bias", "_enabled", "_layers", "_size", "_rank", "_freq", "_norm"];

/// Collects the unknown keys of an irrelevant object, with their paths.
pub(super) fn unknown_inside<'a>(
    path: &str,
    key: &str,
    value: &'a Json<'_>,
    found: &mut Vec<(String, &'a str)>,
) {
    let Json::Object(fields) = value else { return };
    if FREE.contains(&key) {
        return;
    }
    for (inner, value) in fields {
        let path = format!("{path}{key}.");
        if INSIDE.contains(&&**inner) || irrelevant(inner) {
            unknown_inside(&path, inner, value, found);
        } else if !says_nothing(inner, value) {
            found.push((path, inner));
        }
    }
}

/// Returns true if a value is null, false, zero or empty.
pub(super) fn empty(value: &Json<'_>) -> bool {
    match value {
        Json::Null | Json::Bool(false) | Json::Whole(0) => true,
        Json::Number(number) => *number == 0.0,
        Json::Text(text) => text.is_empty(),
        Json::List(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Returns true if a key with this value means that a part is absent, so that ignoring the key leaves nothing out.
pub(super) fn says_nothing(key: &str, value: &Json<'_>) -> bool {
    let switch = SWITCHES.iter().any(|part| key.starts_with(part))
        || SWITCH_ENDS.iter().any(|part| key.ends_with(part));
    match value {
        Json::Bool(_) | Json::Whole(_) | Json::Number(_) => switch && empty(value),
        _ => empty(value),
    }
}
