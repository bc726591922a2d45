//! The attention block: projections, then the attention core in one kernel or in several.

use super::context::ContextKind;
use super::exchange::Widths;
use super::kernels::{Cut, stream};
use super::operator::Operator;
use super::shard::{ACTIVATION, AttentionKernel, Shard};
use crate::catalog::architecture::Mla;
use crate::system::{Attention, Matmul, Stream, Work};
use crate::units::{Bytes, Flops};

impl Shard<'_> {
    pub(super) fn projections(&self, visit: &mut dyn FnMut(Operator)) {
        let head = f64::from(self.architecture.head_dim);
        let heads = f64::from(self.architecture.heads) / self.tensor();
        let width = head * (heads + 2.0 * self.kv_heads());
        let hidden = f64::from(self.architecture.hidden);
        self.project("QKV projection", width, hidden, Cut::Columns, visit);
        if self.architecture.relative_position_projection && self.queries > 1.0 {
            // Once for all sequences of the microbatch (Dai et al. 2019, arXiv 1901.02860); decode has them cached.
            let local = head * heads;
            let matmul = Matmul {
                m: self.queries,
                n: local,
                k: hidden,
                count: 1.0,
                precision: self.projection,
                output: ACTIVATION,
            };
            visit(Operator { name: "Position projection", work: Work::Matmul(matmul), core: false });
        }
        if !self.fused && self.architecture.rotary {
            let elements = self.tokens() * head * (heads + self.kv_heads());
            stream("Rotary embedding", elements, 2.0, 6.0, 1.0, visit);
        }
    }

    /// Multi-head latent attention: queries and keys through low-rank projections, expanded per head.
    ///
    /// In decode the key and value expansions are absorbed into the query and output projections (DeepSeek-V2),
    /// which leaves the same products with one token each.
    pub(super) fn latent_projections(&self, mla: &Mla, visit: &mut dyn FnMut(Operator)) {
        let hidden = f64::from(self.architecture.hidden);
        let heads = f64::from(self.architecture.heads) / self.tensor();
        let query = heads * f64::from(mla.qk_nope + mla.qk_rope);
        if mla.q_lora > 0 {
            self.project("Query down-projection", f64::from(mla.q_lora), hidden, Cut::Columns, visit);
            self.project("Query up-projection", query, f64::from(mla.q_lora), Cut::Columns, visit);
        } else {
            self.project("Query projection", query, hidden, Cut::Columns, visit);
        }
        let latent = f64::from(mla.kv_lora + mla.qk_rope);
        self.project("KV down-projection", latent, hidden, Cut::Columns, visit);
        let expanded = heads * f64::from(mla.qk_nope + mla.v);
        self.project("KV up-projection", expanded, f64::from(mla.kv_lora), Cut::Columns, visit);
        if !self.fused {
            let rotated = self.tokens() * (heads + 1.0) * f64::from(mla.qk_rope);
            stream("Rotary embedding", rotated, 2.0, 6.0, 1.0, visit);
        }
    }

    pub(super) fn attention(&self, windowed: bool, visit: &mut dyn FnMut(Operator)) {
        let architecture = self.architecture;
        let heads = f64::from(architecture.heads) / self.tensor();
        let window = architecture.window.as_ref().filter(|_| windowed).map(|window| f64::from(window.size));
        let dim = f64::from(architecture.head_dim);
        let decode = self.queries <= 1.0;
        let (kv_heads, qk_dim, v_dim, cached_dim) = match &architecture.mla {
            // Decode attends in the latent space that all heads share; prefill expands keys and values.
            Some(mla) if decode => {
                let latent = f64::from(mla.kv_lora);
                let cached = latent + f64::from(mla.qk_rope);
                (1.0, cached, latent, cached)
            }
            Some(mla) => {
                let query = f64::from(mla.qk_nope + mla.qk_rope);
                (heads, query, f64::from(mla.v), f64::from(mla.kv_lora + mla.qk_rope))
            }
            None => (self.kv_heads(), dim, dim, 2.0 * dim),
        };
        let parts = self.head_parts();
        let kv_part = if parts > 1.0 { libm::ceil(kv_heads / parts) } else { kv_heads };
        let widths = Widths {
            queries: heads * qk_dim,
            // Fewer key-value heads than parts are sent to several.
            cached: kv_part * parts * (qk_dim + v_dim),
            output: heads * v_dim,
        };
        self.exchange(widths, visit);
        let causal = architecture.is_causal();
        let shared = self.mesh.context.size > 1 && self.mesh.exchange != ContextKind::Ulysses;
        // Parts of a sequence are dealt out so that all GPUs see as many keys on average: half of a causal square.
        let (causal, window, keys) = match window {
            _ if !shared => (causal, window, self.keys),
            Some(window) => (false, None, self.keys.min(window)),
            None if causal => (false, None, 0.5 * (self.keys + 1.0)),
            None => (false, None, self.keys),
        };
        let (heads, queries, kv_heads) = (heads / parts, self.queries * parts, kv_part);
        match self.kernel {
            AttentionKernel::Flash | AttentionKernel::Flash2 => visit(Operator {
                name: "Attention core",
                work: Work::Attention(Attention {
                    batch: self.batch,
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
                core: true,
            }),
            AttentionKernel::Unfused => self.unfused_attention((heads, queries), qk_dim, v_dim, visit),
        }
        self.restore(widths, visit);
    }

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
            visit(Operator { name, work: Work::Matmul(matmul), core: true });
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
            visit(Operator { name, work, core: true });
        };
        // Softmax reads and writes the scores; backward it reads its output and the gradient, and writes one.
        core("Softmax", 2.0 * score, 5.0, 1.5);
        if score > ACTIVATION {
            core("Score conversion", score + ACTIVATION, 0.0, 1.0);
        }
        if self.dropout {
            core("Attention dropout", 2.0 * ACTIVATION + 1.0, 1.0, 1.0);
        }
    }
}
