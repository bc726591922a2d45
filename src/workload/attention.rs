//! Mixers on one GPU: projections, then the attention core in one kernel or in several, or a recurrence.

use super::context::ContextKind;
use super::exchange::Widths;
use super::kernels::{Cut, stream};
use super::layer::NORM_FLOPS;
use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, AttentionKernel, SelectedPrompts, Shard};
use crate::catalog::architecture::Mla;
use crate::catalog::layers::{Gate, HeadNorm, Heads, KeyValues, Latent, Mixer, Seen};
use crate::system::{Attention, Matmul, Stream, Work};
use crate::units::{Bytes, Flops};

/// The attention core of one layer on one GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    /// Query heads.
    pub(super) heads: f64,
    /// Key-value heads.
    pub(super) kv_heads: f64,
    /// Width of a query and a key.
    pub(super) qk_dim: f64,
    /// Width of a value.
    pub(super) v_dim: f64,
    /// Elements cached per token and key-value head.
    pub(super) cached_dim: f64,
    /// Keys that a token attends to.
    pub(super) seen: Seen,
}

impl Shard<'_> {
    /// All operators of a mixer, its output's projection included.
    pub(super) fn mix(&self, mixer: &Mixer, visit: &mut dyn FnMut(Operator)) {
        match mixer {
            Mixer::None => {}
            Mixer::Attention(heads) => self.head_attention(heads, visit),
            Mixer::Latent(latent) => self.latent_attention(latent, visit),
            Mixer::Compressed(compressed) => self.compressed_attention(compressed, visit),
            recurrent => self.recur(recurrent, visit),
        }
    }

    fn head_attention(&self, shape: &Heads, visit: &mut dyn FnMut(Operator)) {
        let heads = f64::from(shape.heads) / self.tensor();
        let kv_heads = self.shared(shape.kv_heads);
        let own = if shape.kv == KeyValues::Earlier { 0.0 } else { kv_heads };
        let (key, value) = (f64::from(shape.head_dim), f64::from(shape.value()));
        let hidden = f64::from(self.architecture.hidden);
        // Values that are keys are not projected.
        let values = if shape.kv == KeyValues::Keys { 0.0 } else { value };
        let gate = shape.gate_width() as f64 / self.tensor();
        if shape.q_lora > 0 {
            let latent = f64::from(shape.q_lora);
            self.matmul("Query down-projection", latent, hidden, Cut::Columns, visit);
            self.matmul("Query up-projection", key * heads, latent, Cut::Columns, visit);
            self.matmul("KV projection", own * (key + values) + gate, hidden, Cut::Columns, visit);
        } else {
            let width = if key.to_bits() == values.to_bits() {
                key * (heads + 2.0 * own)
            } else {
                key * (heads + own) + values * own
            };
            self.matmul("QKV projection", width + gate, hidden, Cut::Columns, visit);
        }
        if shape.relative_positions && self.queries > 1.0 {
            // Once for all sequences of the microbatch (Dai et al. 2019, arXiv 1901.02860); decode has them cached.
            let matmul = Matmul {
                m: self.queries,
                n: key * heads,
                k: hidden,
                count: 1.0,
                precision: self.dense,
                output: ACTIVATION,
            };
            visit(Operator { name: "Position projection", work: Work::Matmul(matmul), role: Role::Plain });
        }
        let elements = self.tokens() * key * (heads + own);
        if !self.fused && shape.qk_norm != HeadNorm::None {
            stream("Query and key norms", elements, 2.0, NORM_FLOPS, 2.0, &mut |norm| {
                visit(norm.expanding());
            });
        }
        if !self.fused && self.architecture.rotary {
            stream("Rotary embedding", elements, 2.0, 6.0, 1.0, visit);
        }
        if let Some(indexer) = shape.seen.indexer() {
            self.index_projections(&indexer, hidden, visit);
            self.select(&indexer, 1.0, visit);
        }
        // Kernels read keys and values of their own widths; what counts is the sum.
        let mean = 0.5 * (key + value);
        let core =
            Core { heads, kv_heads, qk_dim: mean, v_dim: mean, cached_dim: key + value, seen: shape.seen };
        self.attend(&core, visit);
        self.gated_output(shape.gate, heads * value, visit);
    }

    fn latent_attention(&self, shape: &Latent, visit: &mut dyn FnMut(Operator)) {
        let Latent { widths, seen, gate, .. } = *shape;
        let heads = f64::from(shape.heads) / self.tensor();
        let value = f64::from(widths.v);
        let gates = match gate {
            Gate::None => 0.0,
            Gate::Head => heads,
            Gate::Element => heads * value,
        };
        self.latent_projections(heads, &widths, gates, visit);
        if let Some(indexer) = seen.indexer() {
            let input = if widths.q_lora > 0 { widths.q_lora } else { self.architecture.hidden };
            self.index_projections(&indexer, f64::from(input), visit);
            self.select(&indexer, 1.0, visit);
        }
        let latent = f64::from(widths.kv_lora);
        let cached = latent + f64::from(widths.qk_rope);
        let query = f64::from(widths.qk_nope + widths.qk_rope);
        let expanded = Core { heads, kv_heads: heads, qk_dim: query, v_dim: value, cached_dim: cached, seen };
        // Decode attends in the latent space that all heads share; prefill expands keys and values.
        let absorbed = Core { kv_heads: 1.0, qk_dim: cached, v_dim: latent, ..expanded };
        // Sparse kernels read selected latents, also in prefill (deepseek-ai/FlashMLA@9241ae3). Prompts of which all tokens are
        // selected are expanded, and attend to all of them.
        let sparse = matches!(seen, Seen::Selected(_) | Seen::Reused(_)).then(|| seen.most()).flatten();
        let core = match sparse.map(f64::from) {
            _ if self.queries <= 1.0 => absorbed,
            Some(most) if self.selected == SelectedPrompts::Gathered && self.keys > most => absorbed,
            Some(_) => Core { seen: Seen::All, ..expanded },
            None => expanded,
        };
        self.attend(&core, visit);
        self.gated_output(gate, heads * value, visit);
    }

    /// The output gate, if any, and the output projection of `width` elements of this GPU's heads.
    fn gated_output(&self, gate: Gate, width: f64, visit: &mut dyn FnMut(Operator)) {
        if gate != Gate::None {
            stream("Output gate", self.tokens() * width, 3.0, 5.0, 1.5, visit);
        }
        let hidden = f64::from(self.architecture.hidden);
        self.matmul("Attention output", hidden, width, Cut::Rows, visit);
    }

    /// Multi-head latent attention: queries and keys through low-rank projections, expanded per head.
    ///
    /// In decode the key and value expansions are absorbed into the query and output projections (DeepSeek-V2),
    /// which leaves the same products with one token each.
    fn latent_projections(&self, heads: f64, mla: &Mla, gates: f64, visit: &mut dyn FnMut(Operator)) {
        let hidden = f64::from(self.architecture.hidden);
        let query = heads * f64::from(mla.qk_nope + mla.qk_rope);
        if mla.q_lora > 0 {
            self.matmul("Query down-projection", f64::from(mla.q_lora), hidden, Cut::Columns, visit);
            self.matmul("Query up-projection", query, f64::from(mla.q_lora), Cut::Columns, &mut |up| {
                visit(up.expanding());
            });
        } else {
            self.matmul("Query projection", query, hidden, Cut::Columns, visit);
        }
        let latent = f64::from(mla.kv_lora + mla.qk_rope);
        self.matmul("KV down-projection", latent, hidden, Cut::Columns, visit);
        let expanded = heads * f64::from(mla.qk_nope + mla.v);
        self.matmul("KV up-projection", expanded, f64::from(mla.kv_lora), Cut::Columns, &mut |up| {
            visit(up.expanding());
        });
        if gates > 0.0 {
            self.matmul("Output gate projection", gates, hidden, Cut::Columns, visit);
        }
        if !self.fused {
            let rotated = self.tokens() * (heads + 1.0) * f64::from(mla.qk_rope);
            stream("Rotary embedding", rotated, 2.0, 6.0, 1.0, visit);
        }
    }

    /// The attention core, with the exchange of keys and values between parts of a sequence.
    pub(super) fn attend(&self, core: &Core, visit: &mut dyn FnMut(Operator)) {
        let Core { heads, kv_heads, qk_dim, v_dim, cached_dim, seen } = *core;
        let parts = self.head_parts();
        let kv_part = if parts > 1.0 { libm::ceil(kv_heads / parts) } else { kv_heads };
        let widths = Widths {
            queries: heads * qk_dim,
            // Fewer key-value heads than parts are sent to several.
            cached: kv_part * parts * (qk_dim + v_dim),
            output: heads * v_dim,
        };
        self.exchange(widths, visit);
        let causal = self.architecture.is_causal();
        let shared = self.mesh.context.size > 1 && self.mesh.exchange != ContextKind::Ulysses;
        let window = match seen {
            Seen::Chunk(_) => None,
            _ => seen.most().map(f64::from),
        };
        // Parts of a sequence are distributed such that all GPUs attend to the same number of keys on average: half of
        // a causal square.
        let (causal, window, keys) = match window {
            _ if !shared => (causal, window, self.keys),
            Some(window) => (false, None, self.keys.min(window)),
            None if causal => (false, None, 0.5 * (self.keys + 1.0)),
            None => (false, None, self.keys),
        };
        let (heads, queries, kv_heads) = (heads / parts, self.queries * parts, kv_part);
        let (batch, queries, keys) = match seen {
            Seen::Chunk(size) => chunked(self.batch, queries, keys, f64::from(size)),
            _ => (self.batch, queries, keys),
        };
        match self.kernel {
            AttentionKernel::Flash | AttentionKernel::Flash2 => visit(Operator {
                name: "Attention core",
                work: Work::Attention(Attention {
                    batch,
                    heads,
                    kv_heads,
                    qk_dim,
                    v_dim,
                    cached_dim,
                    queries,
                    keys,
                    window,
                    causal,
                    precision: self.precision,
                    kv_element: self.kv_element,
                    backward: false,
                }),
                role: Role::Core,
            }),
            AttentionKernel::Unfused => self.unfused_attention((heads, queries), qk_dim, v_dim, visit),
        }
        self.restore(widths, visit);
    }

    /// Attention in separate kernels over the full square: scores, softmax, dropout and weighted values (Megatron-LM before
    /// FlashAttention).
    pub(super) fn unfused_attention(
        &self,
        (heads, queries): (f64, f64),
        qk_dim: f64,
        v_dim: f64,
        visit: &mut dyn FnMut(Operator),
    ) {
        let keys = self.keys;
        let scores = self.batch * heads * queries * keys;
        let mut product = |name, n, k, output| {
            let matmul = Matmul {
                m: queries,
                n,
                k,
                count: self.batch * heads,
                precision: self.precision.for_attention(),
                output,
            };
            visit(Operator { name, work: Work::Matmul(matmul), role: Role::Core });
        };
        let score = self.score.get();
        product("Attention scores", keys, qk_dim, score);
        product("Attention values", v_dim, keys, ACTIVATION);
        let mut core = |name, bytes, flops: f64, backward| {
            let work = Work::Stream(Stream {
                bytes: Bytes::new(scores * bytes),
                flops: Flops::new(scores * flops),
                backward,
            });
            visit(Operator { name, work, role: Role::Core });
        };
        // Softmax reads and writes the scores; backward it reads its output and the gradient, and writes one.
        if self.fused || (self.batch * heads) % HEADS_OF_BLOCK == 0.0 {
            core("Softmax", 2.0 * score, 5.0, 1.5);
        } else {
            core("Score widening", score + WIDE, 0.0, 1.0);
            for name in ["Score scaling", "Score mask"] {
                core(name, 2.0 * WIDE, 1.0, 1.0);
            }
            core("Softmax", 2.0 * WIDE, 5.0, 1.5);
            core("Score narrowing", score + WIDE, 0.0, 1.0);
        }
        if score > ACTIVATION {
            core("Score conversion", score + ACTIVATION, 0.0, 1.0);
        }
        if self.dropout {
            core("Attention dropout", 2.0 * ACTIVATION + 1.0, 1.0, 1.0);
        }
    }
}

/// Divisor of heads × sequences that Megatron-LM's fused softmax requires in training (`get_batch_per_block` of
/// `scaled_upper_triang_masked_softmax`, from 129 keys on). Otherwise PyTorch's operators run separately, in 32 bits
/// (`FusedScaleMaskSoftmax.is_kernel_available`).
const HEADS_OF_BLOCK: f64 = 4.0;

/// Size of a score in 32 bits, bytes.
const WIDE: f64 = 4.0;

/// Sequences, queries and keys of attention inside chunks. Each chunk is a separate sequence; a single query is in its
/// middle on average.
fn chunked(batch: f64, queries: f64, keys: f64, size: f64) -> (f64, f64, f64) {
    if keys <= size {
        return (batch, queries, keys);
    }
    let part = queries.min(size);
    (batch * queries / part, part, 0.5 * (size + part))
}
