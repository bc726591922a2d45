//! Megatron-LM's arguments that describe the model, derived from its shape.

use super::line::Line;
use super::writer::Writer;
use crate::catalog::architecture::{Architecture, Bias, Moe, Norm};

/// Appends the arguments of the model's shape, and notes what else the command needs.
pub(super) fn write(writer: &mut Writer<'_>, line: &mut Line) {
    let Ok(model) = writer.question.architecture() else { return };
    line.value("--num-layers", model.layers);
    line.value("--hidden-size", model.hidden);
    line.value("--num-attention-heads", model.heads);
    attention(model, line);
    if model.ffn > 0 {
        line.value("--ffn-hidden-size", model.ffn);
    }
    if model.gated {
        line.switch("--swiglu");
    }
    if model.norm == Norm::Rmsnorm {
        line.value("--normalization", "RMSNorm");
    }
    if model.bias != Bias::All {
        line.switch("--disable-bias-linear");
    }
    if model.bias == Bias::Qkv {
        line.switch("--add-qkv-bias");
    }
    if model.rotary {
        line.value("--position-embedding-type", "rope");
    }
    if !model.tied {
        line.switch("--untie-embeddings-and-output-weights");
    }
    line.value("--vocab-size", model.vocab);
    line.value("--max-position-embeddings", model.max_sequence.max(writer.question.recipe.sequence));
    if let Some(moe) = &model.moe {
        experts(model, moe, line);
    }
    writer.note("Add the arguments of data, tokenizer, learning rate and number of steps");
    if !is_described(model) {
        writer.note(
            "Add the remaining arguments of the model: this command lacks those of its other kinds of layers",
        );
    } else if model.rotary {
        writer.note("Add --rotary-base: the catalogue has no value for it, and it does not affect speed");
    }
}

/// Appends the arguments of attention.
fn attention(model: &Architecture, line: &mut Line) {
    if let Some(latent) = model.mla {
        line.switch("--multi-latent-attention");
        if latent.q_lora > 0 {
            line.value("--q-lora-rank", latent.q_lora);
        }
        line.value("--kv-lora-rank", latent.kv_lora);
        line.value("--qk-head-dim", latent.qk_nope);
        line.value("--qk-pos-emb-head-dim", latent.qk_rope);
        line.value("--v-head-dim", latent.v);
    } else {
        if model.kv_heads < model.heads {
            line.switch("--group-query-attention");
            line.value("--num-query-groups", model.kv_heads);
        }
        if model.head_dim.saturating_mul(model.heads) != model.hidden {
            line.value("--kv-channels", model.head_dim);
        }
    }
    // With latent attention this norms the latents.
    if model.qk_norm || model.mla.is_some() {
        line.switch("--qk-layernorm");
    }
}

/// Appends the arguments of a mixture of experts.
fn experts(model: &Architecture, moe: &Moe, line: &mut Line) {
    line.value("--num-experts", moe.experts);
    line.value("--moe-router-topk", moe.top_k);
    line.switch("--moe-grouped-gemm");
    line.value("--moe-ffn-hidden-size", moe.ffn);
    if moe.shared_ffn > 0 {
        line.value("--moe-shared-expert-intermediate-size", moe.shared_ffn);
    }
    let dense = model.dense_layers();
    if dense > 0 {
        // A list with 1 for each layer that has experts.
        line.value("--moe-layer-freq", format!("([0]*{dense}+[1]*{})", model.layers - dense));
    }
}

/// Returns true if the arguments describe every part of the model that affects its speed: equal layers of plain attention over
/// all tokens, and experts without parts of their own.
fn is_described(model: &Architecture) -> bool {
    let plain = model.stack.is_empty()
        && model.window.is_none()
        && model.norms_per_layer == 2
        && model.bias != Bias::Qkvo
        && (model.rotary || model.learned_positions > 0);
    let special = model.parallel_block
        || model.attention_sinks
        || model.embedding_norm
        || model.relative_position_projection
        || model.vision.is_some()
        || model.audio.is_some()
        || model.extra > 0;
    let experts = model.moe.as_ref().is_none_or(|moe| {
        !moe.router_bias && !moe.expert_bias && !moe.shared_gate && moe.latent == 0 && moe.idle_experts == 0
    });
    plain && !special && experts
}
