//! The architecture of a published model.

use super::super::Skip;
use super::row::Model;
use crate::catalog::Architecture;
use crate::scenario::Choice;
use serde_json::json;

/// The architecture of a published model: the catalogue's where its shape is the same, or else spelled out.
pub fn model(model: &Model) -> Result<Choice<Architecture>, Skip> {
    let need = |field: Option<u32>, name| field.ok_or(Skip::Missing(name));
    if model.name.starts_with("DeepSeek") {
        return Ok(Choice::Named("deepseek-v3".to_owned()));
    }
    let (hidden, heads) =
        (need(model.hidden_size, "model.hidden_size")?, need(model.n_heads, "model.n_heads")?);
    let ffn = need(model.ffn_hidden_size, "model.ffn_hidden_size")?;
    let moe = model.n_experts.filter(|n| *n > 0).map(|experts| json!({"experts": experts, "top_k": model.moe_top_k.unwrap_or(2), "ffn": model.moe_ffn_hidden_size.unwrap_or(ffn), "dense_layers": model.n_dense_layers.unwrap_or(0)}));
    let mut entry = json!({
        "id": model.name, "name": model.name, "layers": need(model.n_layers, "model.n_layers")?, "hidden": hidden,
        "heads": heads, "kv_heads": model.n_kv_heads.unwrap_or(heads),
        "head_dim": model.head_dim.unwrap_or(hidden / heads), "ffn": if moe.is_some() && model.n_dense_layers.unwrap_or(0)==0 {0} else {ffn},
        "gated": model.gated_mlp.unwrap_or(false), "vocab": need(model.vocab_size, "model.vocab_size")?,
        "max_sequence": 4096, "tied": model.tied_embeddings.unwrap_or(false)
    });
    if let Some(moe) = moe {
        entry["moe"] = moe;
    }
    serde_json::from_value(entry)
        .map(|a| Choice::Explicit(Box::new(a)))
        .map_err(|e| Skip::Refused(e.to_string()))
}
