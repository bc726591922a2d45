//! Groups of layers that share a format: `config_groups` of compressed-tensors and Model Optimizer, and
//! `global_quant_config` of AMD's Quark.

use super::stored::{Kind, Mixed, Stored};
use crate::json::Json;
use crate::scenario::huggingface::config::Config;

/// The format of the group that contains the feed-forward blocks, otherwise of the first group; `None` without groups.
pub(super) fn groups<'a>(config: &Config<'a>, method: &'a str) -> Option<Mixed<'a>> {
    let quark = config.get("global_quant_config");
    config.implied(&["layer_quant_config", "layer_type_quant_config", "export", "algo_config", "format"]);
    let (group, mixed) = match config.get("config_groups") {
        Some(Json::Object(groups)) => {
            let all = || groups.iter().map(|(_, group)| group);
            (all().find(|group| has_feed_forward(group)).or_else(|| all().next())?, groups.len() > 1)
        }
        _ => (quark?, false),
    };
    let weights = group.get("weights").or_else(|| group.get("weight"))?;
    let inputs = group.get("input_activations").or_else(|| group.get("input_tensors"));
    let kind = weights.get("type").or_else(|| weights.get("dtype")).and_then(Json::as_text).unwrap_or("int");
    let size = weights.get("group_size").and_then(Json::as_number).unwrap_or(0.0);
    let float = ["float", "fp", "mx"].iter().any(|prefix| kind.starts_with(prefix));
    let stored = Stored {
        method,
        bits: bits(weights)?.min(32),
        kind: if float { Kind::Float } else { Kind::Integer },
        group: if size > 0.0 { size as u32 } else { 0 },
        blocks: weights.get("strategy").and_then(Json::as_text) == Some("block"),
        packed: false,
        activations: inputs.filter(|inputs| **inputs != Json::Null).and_then(bits),
    };
    Some(Mixed { stored, mixed })
}

/// Returns true if a group names feed-forward blocks or experts as targets.
fn has_feed_forward(group: &Json<'_>) -> bool {
    let mut names = group.list("targets").iter().filter_map(Json::as_text);
    names.any(|name| name.contains("mlp") || name.contains("expert"))
}

/// Bits of a tensor: `num_bits`, or the number in the name of its `dtype`.
fn bits(tensor: &Json<'_>) -> Option<u32> {
    let bits = tensor.get("num_bits").and_then(Json::as_number).map(|bits| bits as u32);
    let word = tensor.get("dtype").and_then(Json::as_text).unwrap_or_default();
    let digits = word.chars().skip_while(|mark| !mark.is_ascii_digit()).take_while(char::is_ascii_digit);
    bits.or_else(|| digits.collect::<String>().parse().ok())
}
