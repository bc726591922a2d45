//! The header of a safetensors file: a JSON object with the type and the shape of each tensor, after its length
//! (huggingface/safetensors, README.md).

use serde_json::{Map, Value as Tree, json};

use super::gguf::{Fault, Header};
use super::tensors::{Storage, Tensor};
use crate::json::Json;
use crate::scenario::Problem;

/// Bytes of the longest header, by the format's definition.
const LONGEST: u64 = 100_000_000;

/// Bytes of the length at the beginning.
const LENGTH: usize = 8;

/// The header's length, if a file with this beginning is one.
pub(super) fn length(beginning: &[u8]) -> Option<u64> {
    let length = beginning.get(..LENGTH)?.try_into().map(u64::from_le_bytes).ok()?;
    (beginning.get(LENGTH) == Some(&b'{') && (2..=LONGEST).contains(&length)).then_some(length)
}

/// Reads a header from the beginning of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Header, Fault> {
    let wrong = |message: &str| Fault::Wrong(message.to_owned());
    let length = length(bytes).ok_or_else(|| wrong("is neither a GGUF nor a safetensors file"))?;
    let length = usize::try_from(length).map_err(|_| wrong("has a header that is too long"))?;
    let text = bytes.get(LENGTH..LENGTH.saturating_add(length)).ok_or(Fault::Short)?;
    let text = std::str::from_utf8(text).map_err(|_| wrong("has a header that is no text"))?;
    let Ok(Json::Object(fields)) = Json::parse(text) else {
        return Err(wrong("has a header that is no JSON object"));
    };
    let mut header = Header::default();
    for (name, field) in fields.iter().filter(|(name, _)| name != "__metadata__") {
        let shape = field.list("shape").iter().map(|length| match length {
            Json::Whole(length) => Some(*length),
            _ => None,
        });
        let storage = field.get("dtype").and_then(Json::as_text).map(Storage::of_safetensors);
        let (Some(shape), Some(storage)) = (shape.collect::<Option<Vec<u64>>>(), storage) else {
            return Err(wrong("has a tensor without a type or a shape"));
        };
        header.tensors.push(Tensor { name: name.to_string(), shape, storage });
    }
    Ok(header)
}

/// The shape of a dense Llama-like model, as a `config.json`: names of tensors say no more.
pub(super) fn config(header: &Header) -> Result<String, Problem> {
    let shape = |end: &str| {
        let tensor = header.tensors.iter().find(|tensor| tensor.name.ends_with(end));
        tensor.and_then(|tensor| Some((*tensor.shape.first()?, tensor.shape.get(1).copied().unwrap_or(1))))
    };
    let instead = |what: &str| {
        Problem::new(
            "file",
            format!("{what}: drop the checkpoint's config.json instead, which describes the model"),
        )
    };
    let (vocabulary, hidden) = shape("embed_tokens.weight")
        .ok_or_else(|| instead("has no embedding, or is not its model's first part"))?;
    let queries = shape("layers.0.self_attn.q_proj.weight");
    let keys = shape("layers.0.self_attn.k_proj.weight");
    let block = shape("layers.0.mlp.up_proj.weight");
    let (Some((queries, _)), Some((keys, _)), Some((width, _))) = (queries, keys, block) else {
        return Err(instead("has layers that are not a Llama's"));
    };
    let normed = shape("layers.0.self_attn.q_norm.weight");
    // Without norms of heads, their width is nowhere: 128 in nearly all, 64 in small models.
    let head = normed.map_or(if hidden < 2048 { 64 } else { 128 }, |(width, _)| width).max(1);
    let place = |name: &str| name.split("layers.").nth(1)?.split('.').next()?.parse::<u64>().ok();
    let layers =
        header.tensors.iter().filter_map(|tensor| place(&tensor.name)).max().map_or(0, |last| last + 1);
    let mut seen: Vec<u64> = header.tensors.iter().filter_map(|tensor| place(&tensor.name)).collect();
    seen.sort_unstable();
    seen.dedup();
    let tied = shape("lm_head.weight").is_none();
    if seen.len() as u64 != layers || layers == 0 || shape("model.norm.weight").is_none() {
        return Err(instead("is a part of a checkpoint"));
    }
    let gated = shape("layers.0.mlp.gate_proj.weight").is_some();
    let mut fields = Map::new();
    let kind = if gated { "llama" } else { "arcee" };
    for (key, value) in [
        ("model_type", json!(kind)),
        ("_name_or_path", json!("safetensors header")),
        ("num_hidden_layers", json!(layers)),
        ("hidden_size", json!(hidden)),
        ("vocab_size", json!(vocabulary)),
        ("num_attention_heads", json!(queries / head)),
        ("num_key_value_heads", json!(keys / head)),
        ("head_dim", json!(head)),
        ("intermediate_size", json!(width)),
        ("tie_word_embeddings", json!(tied)),
        ("use_qk_norm", json!(normed.is_some())),
        ("qkv_bias", json!(shape("layers.0.self_attn.q_proj.bias").is_some())),
    ] {
        fields.insert(key.to_owned(), value);
    }
    Ok(Tree::Object(fields).to_string())
}
