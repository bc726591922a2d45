//! Reads the header of a safetensors file: its length, then a JSON object with the type and the shape of each tensor
//! (huggingface/safetensors, README.md).

use std::collections::BTreeSet;

use serde_json::json;

use super::header::{Fault, Header};
use super::tensors::{Storage, Tensor};
use crate::json::Json;
use crate::scenario::Problem;

/// Maximum length of a header by the definition of the format, bytes.
const LONGEST: u64 = 100_000_000;

/// Number of bytes that hold the length of the header.
const LENGTH: usize = 8;

/// Length of the header in bytes, from the first bytes of a file; `None` if the file is not a safetensors file.
pub(super) fn length(beginning: &[u8]) -> Option<u64> {
    let length = beginning.get(..LENGTH)?.try_into().map(u64::from_le_bytes).ok()?;
    (beginning.get(LENGTH) == Some(&b'{') && (2..=LONGEST).contains(&length)).then_some(length)
}

/// Reads a header from the beginning of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Header, Fault> {
    let invalid = |reason: &str| Fault::Invalid(reason.to_owned());
    let length = length(bytes).ok_or_else(|| invalid("is not a safetensors file"))?;
    let length = usize::try_from(length).map_err(|_| invalid("has a header that is too long"))?;
    let text = bytes.get(LENGTH..LENGTH.saturating_add(length)).ok_or(Fault::Short)?;
    let text = std::str::from_utf8(text).map_err(|_| invalid("has a header that is not UTF-8 text"))?;
    let Ok(Json::Object(fields)) = Json::parse(text) else {
        return Err(invalid("has a header that is not a JSON object"));
    };
    let mut header = Header::default();
    for (name, field) in fields.iter().filter(|(name, _)| name != "__metadata__") {
        let shape = field.list("shape").iter().map(|length| match length {
            Json::Whole(length) => Some(*length),
            _ => None,
        });
        let storage = field.get("dtype").and_then(Json::as_text).map(Storage::of_safetensors);
        let (Some(shape), Some(storage)) = (shape.collect::<Option<Vec<u64>>>(), storage) else {
            return Err(invalid("has a tensor without a type or a shape"));
        };
        header.tensors.push(Tensor { name: name.to_string(), shape, storage });
    }
    Ok(header)
}

/// The text of the `config.json` of a dense model with Llama's tensor names. The names identify no other models.
pub(super) fn config(header: &Header) -> Result<String, Problem> {
    let shape = |suffix: &str| {
        let tensor = header.tensor(suffix)?;
        Some((*tensor.shape.first()?, tensor.shape.get(1).copied().unwrap_or(1)))
    };
    let refused = |reason: &str| {
        Problem::new(
            "file",
            format!("{reason}: open the checkpoint's config.json instead, which describes the model"),
        )
    };
    let (vocabulary, hidden) = shape("embed_tokens.weight")
        .ok_or_else(|| refused("has no embedding, or is not the first file of its checkpoint"))?;
    let queries = shape("layers.0.self_attn.q_proj.weight");
    let keys = shape("layers.0.self_attn.k_proj.weight");
    let block = shape("layers.0.mlp.up_proj.weight");
    let (Some((queries, _)), Some((keys, _)), Some((width, _))) = (queries, keys, block) else {
        return Err(refused("has layers with tensor names other than Llama's"));
    };
    let layers = layers(header).filter(|_| shape("model.norm.weight").is_some());
    let layers = layers.ok_or_else(|| refused("is one file of several of its checkpoint"))?;
    let normed = shape("layers.0.self_attn.q_norm.weight");
    // The norms of heads have the width of a head. Without them no tensor gives it; nearly all models have heads of 128
    // elements, and small ones of 64.
    let head = normed.map_or(if hidden < 2048 { 64 } else { 128 }, |(width, _)| width).max(1);
    let gated = shape("layers.0.mlp.gate_proj.weight").is_some();
    let fields = json!({
        // Arcee's models are like Llama's, with blocks of two matrices.
        "model_type": if gated { "llama" } else { "arcee" },
        "_name_or_path": "safetensors header",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "vocab_size": vocabulary,
        "num_attention_heads": queries / head,
        "num_key_value_heads": keys / head,
        "head_dim": head,
        "intermediate_size": width,
        "tie_word_embeddings": shape("lm_head.weight").is_none(),
        "use_qk_norm": normed.is_some(),
        "qkv_bias": shape("layers.0.self_attn.q_proj.bias").is_some(),
    });
    Ok(fields.to_string())
}

/// Number of layers; `None` without layers, or if the tensors of a layer are missing.
fn layers(header: &Header) -> Option<u64> {
    let place = |name: &str| name.split("layers.").nth(1)?.split('.').next()?.parse::<u64>().ok();
    let places: BTreeSet<u64> = header.tensors.iter().filter_map(|tensor| place(&tensor.name)).collect();
    let count = places.last()?.checked_add(1)?;
    (places.len() as u64 == count).then_some(count)
}
