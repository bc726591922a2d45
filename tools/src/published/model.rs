//! The architecture of a published model.

use super::row::Model;
use foretoken::catalog::architecture::{Bias, Mla, Moe, Norm, Uncounted, Window};
use foretoken::catalog::{self, Architecture};
use foretoken::scenario::Choice;
use foretoken::validation::Skip;

/// The architecture of a published model: the catalogue's if name and shape agree, otherwise one built from the row.
///
/// A name without a shape refers to the catalogue's model; a name that the catalogue lacks requires a shape.
pub fn model(model: &Model) -> Result<Choice<Architecture>, Skip> {
    let known = catalog::model_named(&model.name);
    match known.filter(|known| agrees(known, model)) {
        Some(known) => Ok(Choice::Named(known.id.clone())),
        None => spelled_out(model, known).map(Box::new).map(Choice::Explicit),
    }
}

/// Returns true if every stated dimension agrees with the catalogue's model.
fn agrees(known: &Architecture, model: &Model) -> bool {
    let same = |given: Option<u32>, known: u32| given.is_none_or(|given| given == known);
    let mixture = match &known.moe {
        None => model.n_experts.is_none_or(|experts| experts <= 1),
        Some(moe) => {
            let expert = model.moe_ffn_hidden_size.or(model.ffn_hidden_size.filter(|_| known.ffn == 0));
            same(model.n_experts, moe.experts) && same(model.moe_top_k, moe.top_k) && same(expert, moe.ffn)
        }
    };
    same(model.n_layers, known.layers)
        && same(model.hidden_size, known.hidden)
        && same(model.n_heads, known.heads)
        && (known.mla.is_some() || same(model.n_kv_heads, known.kv_heads))
        && (known.ffn == 0 || same(model.ffn_hidden_size, known.ffn))
        && mixture
        // Frameworks pad vocabularies differently.
        && model.vocab_size.is_none_or(|vocab| vocab.abs_diff(known.vocab) < 2048)
}

/// Builds the architecture from the row's dimensions. Missing ones are those of the catalogue's model of that name, if
/// any, otherwise those of most models: gated blocks have RMS norms and rotary positions, other blocks biases and
/// learned positions.
fn spelled_out(model: &Model, known: Option<&Architecture>) -> Result<Architecture, Skip> {
    let layers = model.n_layers.ok_or(Skip::Missing("model.n_layers"))?;
    let hidden = model.hidden_size.ok_or(Skip::Missing("model.hidden_size"))?;
    let heads = model.n_heads.filter(|heads| *heads > 0).ok_or(Skip::Missing("model.n_heads"))?;
    let ffn = model.ffn_hidden_size.ok_or(Skip::Missing("model.ffn_hidden_size"))?;
    let kv_heads = model.n_kv_heads.unwrap_or(heads);
    let gated = model.gated_mlp.or(known.map(|known| known.gated)).unwrap_or(false);
    let grouped = kv_heads < heads;
    let max_sequence = model.seq_len_tokens.unwrap_or(2048);
    let moe = moe(model, layers, ffn)?;
    let every_layer = moe.as_ref().is_some_and(|moe| moe.dense_layers == 0);
    Ok(Architecture {
        id: "published".to_owned(),
        name: model.name.clone(),
        family: String::new(),
        kind: known.map(|known| known.kind).unwrap_or_default(),
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim: model.head_dim.unwrap_or(hidden / heads),
        ffn: if every_layer { 0 } else { ffn },
        gated,
        vocab: model.vocab_size.unwrap_or(0),
        max_sequence,
        rotary: known.map_or(gated || grouped, |known| known.rotary),
        learned_positions: if gated || grouped || known.is_some() { 0 } else { max_sequence },
        tied: model.tied_embeddings.or(known.map(|known| known.tied)).unwrap_or(!gated),
        bias: known.map_or(if gated || grouped { Bias::None } else { Bias::All }, |known| known.bias),
        norm: known.map_or(if gated { Norm::Rmsnorm } else { Norm::Layernorm }, |known| known.norm),
        norms_per_layer: known.map_or(2, |known| known.norms_per_layer),
        qk_norm: known.is_some_and(|known| known.qk_norm),
        parallel_block: known.is_some_and(|known| known.parallel_block),
        attention_sinks: known.is_some_and(|known| known.attention_sinks),
        embedding_norm: known.is_some_and(|known| known.embedding_norm),
        relative_position_projection: known.is_some_and(|known| known.relative_position_projection),
        window: model.sliding_window.filter(|size| *size > 0).map(|size| Window { size, layers }),
        moe,
        mla: model.attention.as_deref().and_then(mla).or_else(|| known.and_then(|known| known.mla)),
        parameters_published: None,
        active_published: None,
        uncounted: Uncounted::default(),
        source: "Spelled out in the row".to_owned(),
        recalled: false,
        notes: None,
        stack: Vec::new(),
        extra: 0,
        prediction: None,
        vision: None,
        audio: None,
        warnings: Vec::new(),
        weights: None,
    })
}

/// Mixture of experts of a row with more than one expert. Experts without a stated width have the block's inner width.
fn moe(model: &Model, layers: u32, ffn: u32) -> Result<Option<Moe>, Skip> {
    let Some(experts) = model.n_experts.filter(|experts| *experts > 1) else { return Ok(None) };
    let width = model.moe_ffn_hidden_size.unwrap_or(ffn);
    Ok(Some(Moe {
        experts,
        top_k: model.moe_top_k.ok_or(Skip::Missing("model.moe_top_k"))?,
        ffn: width,
        shared_ffn: model.n_shared_experts.unwrap_or(0).saturating_mul(width),
        dense_layers: model.n_dense_layers.unwrap_or(0).min(layers.saturating_sub(1)),
        router_bias: false,
        expert_bias: false,
        shared_gate: false,
        ..Moe::default()
    }))
}

/// Parses latent attention, e.g. `MLA (q_lora 1536, kv_lora 512, qk_nope 128, qk_rope 64, v 128)`.
fn mla(attention: &str) -> Option<Mla> {
    let inside = attention.strip_prefix("MLA")?.trim().trim_start_matches('(').trim_end_matches(')');
    let width = |name: &str| {
        let mut widths = inside.split(',').filter_map(|part| part.trim().split_once(' '));
        widths.find(|(key, _)| *key == name).and_then(|(_, width)| width.trim().parse().ok())
    };
    Some(Mla {
        q_lora: width("q_lora").unwrap_or(0),
        kv_lora: width("kv_lora")?,
        qk_nope: width("qk_nope")?,
        qk_rope: width("qk_rope")?,
        v: width("v")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_that_differs_is_spelled_out() {
        let proxy = Model {
            name: "Llama-3.1-405B (proxy, 7 layers)".to_owned(),
            n_layers: Some(7),
            hidden_size: Some(16384),
            n_heads: Some(128),
            n_kv_heads: Some(8),
            ffn_hidden_size: Some(53248),
            ..Model::default()
        };
        let Ok(Choice::Explicit(architecture)) = model(&proxy) else { panic!("not spelled out") };
        assert_eq!((architecture.layers, architecture.head_dim, architecture.rotary), (7, 128, true));
        let whole = Model { n_layers: Some(126), ..proxy.clone() };
        assert_eq!(model(&whole), Ok(Choice::Named("llama-3.1-405b".to_owned())));
        let nameless = Model { name: "A model".to_owned(), n_layers: None, ..proxy };
        assert_eq!(model(&nameless), Err(Skip::Missing("model.n_layers")));
    }

    #[test]
    fn latent_attention_is_read() {
        let mla = mla("MLA (q_lora 1536, kv_lora 512, qk_nope 128, qk_rope 64, v 128)");
        assert_eq!(mla, Some(Mla { q_lora: 1536, kv_lora: 512, qk_nope: 128, qk_rope: 64, v: 128 }));
    }
}
