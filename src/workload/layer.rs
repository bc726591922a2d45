//! The forward pass of one transformer layer on one GPU.

use serde::{Deserialize, Serialize};

use super::context::{ContextKind, Widths};
use super::operator::Operator;
use crate::catalog::architecture::{Architecture, Mla, Moe};
use crate::system::{
    AllReduce, Attention, Collective, Experts, Group, Load, Matmul, Operation, Precision, Stream, Work,
};
use crate::units::{Bytes, Flops};

/// How attention is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttentionKernel {
    /// One kernel, scores never leave the chip (FlashAttention).
    #[default]
    Flash,
    /// The same, written for Ampere's matrix units (FlashAttention 1 and 2), which leaves those of later devices idle
    /// in part.
    Flash2,
    /// Scores, softmax and weighted values as kernels of their own, scores written to memory; the whole square
    /// is computed even where a causal mask discards half of it.
    Unfused,
}

/// What sort of layer: models mix them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerKind {
    /// Whether the feed-forward block is a mixture of experts.
    pub experts: bool,
    /// Whether attention sees only a window of the sequence.
    pub windowed: bool,
}

/// The groups beside the tensor-parallel one that share a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// GPUs that share each sequence.
    pub context: Group,
    /// How these get at each other's keys and values.
    pub exchange: ContextKind,
    /// Panels in which matrices are multiplied that the tensor and the context group cut as a grid; 0 where the
    /// tensor group alone cuts them, along one side.
    pub panels: u32,
    /// GPUs over which experts are spread.
    pub expert: Group,
    /// GPUs that share each expert's matrices.
    pub expert_tensor: Group,
}

impl Mesh {
    /// Neither sequences nor experts are spread, beyond the tensor-parallel group.
    pub const fn of_tensor(group: Group) -> Self {
        Self {
            context: Group::ALONE,
            exchange: ContextKind::Overlapped,
            panels: 0,
            expert: Group::ALONE,
            expert_tensor: group,
        }
    }
}

/// One GPU's part of one microbatch in one layer.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The tensor-parallel group.
    pub group: Group,
    /// The other groups.
    pub mesh: Mesh,
    /// Whether norms, residuals and dropouts are sharded over the group along the sequence.
    pub sequence_parallel: bool,
    /// Sequences in the microbatch.
    pub batch: f64,
    /// Tokens per sequence that go through the layer on this GPU: all of them, a part with context parallelism, or 1
    /// in decode.
    pub queries: f64,
    /// Tokens per sequence that the last of them sees.
    pub keys: f64,
    /// Format of weights and matrix operands.
    pub precision: Precision,
    /// Format of the attention projections, which quantised models may leave wider.
    pub projection: Precision,
    /// Groups like this one that each attend to their own sequences and share the experts of all.
    pub replicas: u32,
    /// All GPUs of these groups, where their tokens meet at the experts.
    pub meeting: Group,
    /// Parts into which the experts are dealt over all these groups; within a part each expert is cut.
    pub expert_parts: u32,
    /// Storage of one element of the keys and values.
    pub kv_element: Bytes,
    /// How attention is computed.
    pub kernel: AttentionKernel,
    /// Storage of one attention score, where scores are written to memory.
    pub score: Bytes,
    /// Whether dropout runs (after attention, after each block).
    pub dropout: bool,
    /// Whether residual and norm are one kernel and attention rotates its queries itself, as in serving engines.
    pub fused: bool,
    /// How the tensor-parallel group adds up.
    pub all_reduce: AllReduce,
}

/// Which side of a matrix the tensor group cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Output features, so that each member has a part of the result; or none where every member has the matrix.
    Columns,
    /// Input features, so that the members' results are to be summed.
    Rows,
}

/// Activations between kernels are 16-bit.
const ACTIVATION: f64 = 2.0;

/// Operations per element of a norm: mean, variance, scale and shift.
const NORM_FLOPS: f64 = 9.0;

/// Operations per element of an activation function.
const ACTIVATION_FLOPS: f64 = 8.0;

impl Shard<'_> {
    /// Tokens of the microbatch.
    pub fn tokens(&self) -> f64 {
        self.batch * self.queries
    }

    /// GPUs that share the layer.
    pub fn tensor(&self) -> f64 {
        f64::from(self.group.size)
    }

    /// Tokens whose norms and residuals this GPU computes.
    fn local_tokens(&self) -> f64 {
        if self.sequence_parallel { self.tokens() / self.tensor() } else { self.tokens() }
    }

    /// Key-value heads on one GPU: never fewer than one, which is then replicated.
    pub fn kv_heads(&self) -> f64 {
        libm::ceil(f64::from(self.architecture.kv_heads) / self.tensor())
    }

    /// All operators of the forward pass in order.
    pub fn forward(&self, kind: LayerKind, visit: &mut impl FnMut(Operator)) {
        self.between_blocks("Attention norm", "Residual and attention norm", visit);
        self.enter(visit);
        match &self.architecture.mla {
            Some(mla) => self.latent_projections(mla, visit),
            None => self.projections(visit),
        }
        self.attention(kind.windowed, visit);
        let hidden = f64::from(self.architecture.hidden);
        self.project("Attention output", hidden, self.value_width() / self.tensor(), Cut::Rows, visit);
        // In a parallel block both halves read one norm's output and are summed before one collective.
        if !self.architecture.parallel_block {
            self.leave(visit);
            if !self.fused {
                self.residual("Attention residual", visit);
            }
            self.between_blocks("MLP norm", "Residual and MLP norm", visit);
            if !self.dispatched(kind) {
                self.enter(visit);
            }
        }
        match (&self.architecture.moe, kind.experts) {
            (Some(moe), true) => {
                self.meet("Expert all-gather", Operation::AllGather, moe, visit);
                self.experts(moe, visit);
                self.meet("Expert reduce-scatter", Operation::ReduceScatter, moe, visit);
            }
            _ => self.mlp(f64::from(self.architecture.ffn), visit),
        }
        if !self.dispatched(kind) && (self.replicas == 1 || !kind.experts) {
            self.leave(visit);
        }
        if !self.fused {
            self.residual("MLP residual", visit);
        }
    }

    /// Whether a block's tokens go from each member of the tensor group straight to their experts and back, so that
    /// the group need not gather them.
    fn dispatched(&self, kind: LayerKind) -> bool {
        let whole = self.architecture.moe.as_ref().is_some_and(|moe| moe.shared_ffn == 0);
        kind.experts && whole && self.sequence_parallel && self.mesh.expert_tensor.size != self.group.size
    }

    /// The norm at a block's entrance, which a fused kernel joins with the residual before it.
    fn between_blocks(&self, alone: &'static str, fused: &'static str, visit: &mut impl FnMut(Operator)) {
        self.statistics(visit);
        let elements = self.local_tokens() * f64::from(self.architecture.hidden);
        // Backward reads the input, the gradient and the residual's gradient, and writes one.
        if self.fused {
            stream(fused, elements, 4.0, NORM_FLOPS + 1.0, 2.0, visit);
        } else {
            stream(alone, elements, 2.0, NORM_FLOPS, 2.0, visit);
        }
    }

    /// Width of all heads' values together.
    fn value_width(&self) -> f64 {
        let per_head = self.architecture.mla.as_ref().map_or(self.architecture.head_dim, |mla| mla.v);
        f64::from(self.architecture.heads) * f64::from(per_head)
    }

    fn projections(&self, visit: &mut impl FnMut(Operator)) {
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
    fn latent_projections(&self, mla: &Mla, visit: &mut impl FnMut(Operator)) {
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

    fn attention(&self, windowed: bool, visit: &mut impl FnMut(Operator)) {
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

    /// Elements of keys and values per token on one GPU of the tensor group, expanded where they come from a latent.
    pub(super) fn cached_width(&self) -> f64 {
        match &self.architecture.mla {
            Some(mla) => {
                let heads = f64::from(self.architecture.heads) / self.tensor();
                heads * f64::from(mla.qk_nope + mla.qk_rope + mla.v)
            }
            None => 2.0 * self.kv_heads() * f64::from(self.architecture.head_dim),
        }
    }

    fn unfused_attention(
        &self,
        (heads, queries): (f64, f64),
        qk_dim: f64,
        v_dim: f64,
        visit: &mut impl FnMut(Operator),
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

    fn mlp(&self, ffn: f64, visit: &mut impl FnMut(Operator)) {
        let gates = if self.architecture.gated { 2.0 } else { 1.0 };
        let hidden = f64::from(self.architecture.hidden);
        let local = ffn / self.tensor();
        self.matmul("MLP up-projection", gates * local, hidden, Cut::Columns, visit);
        stream("MLP activation", self.tokens() * local, gates + 1.0, ACTIVATION_FLOPS, 1.5, visit);
        self.matmul("MLP down-projection", hidden, local, Cut::Rows, visit);
    }

    fn experts(&self, moe: &Moe, visit: &mut impl FnMut(Operator)) {
        let gates = if self.architecture.gated { 2.0 } else { 1.0 };
        let hidden = f64::from(self.architecture.hidden);
        let experts = f64::from(moe.experts);
        let parts = f64::from(self.expert_parts);
        let replicas = f64::from(self.replicas);
        let sharers = f64::from(self.mesh.expert_tensor.size);
        let local = f64::from(moe.ffn) * parts / (sharers * replicas);
        self.matmul("Router", experts, hidden, Cut::Columns, visit);
        if self.fused {
            let work = Work::Experts(Experts {
                tokens: self.tokens() * replicas,
                hidden,
                width: local,
                gates,
                top_k: f64::from(moe.top_k),
                experts,
                local: libm::ceil(experts / parts),
                load: Load::Skewed,
                precision: self.precision,
            });
            visit(Operator { name: "Experts", work, core: false });
        } else {
            self.grouped_experts(moe, local, gates, visit);
        }
        if moe.shared_ffn > 0 {
            self.mlp(f64::from(moe.shared_ffn), visit);
        }
    }

    /// Experts as grouped multiplies between kernels that sort and sum the tokens, as training issues them; with
    /// expert parallelism tokens travel to the GPUs of their experts and back.
    fn grouped_experts(&self, moe: &Moe, local: f64, gates: f64, visit: &mut impl FnMut(Operator)) {
        let hidden = f64::from(self.architecture.hidden);
        // Copies of tokens that this GPU sends out, and as many come to its expert-tensor group.
        let sent =
            self.tokens() * f64::from(moe.top_k) * f64::from(self.mesh.expert_tensor.size) / self.tensor();
        let experts = f64::from(moe.experts);
        // Experts that at least one token of a uniformly routed batch reaches.
        let everywhere = self.tokens() * f64::from(self.mesh.expert.size);
        let reached = 1.0 - libm::pow(1.0 - f64::from(moe.top_k) / experts, everywhere);
        let active = reached * experts / f64::from(self.mesh.expert.size);
        stream("Expert dispatch", sent * hidden, 2.0, 0.0, 1.0, visit);
        self.travel("Expert all-to-all", sent, visit);
        let mut grouped = |name, n, k| {
            let matmul = Matmul {
                m: sent / active,
                n,
                k,
                count: active,
                precision: self.precision,
                output: ACTIVATION,
            };
            visit(Operator { name, work: Work::Matmul(matmul), core: false });
        };
        grouped("Expert up-projection", gates * local, hidden);
        grouped("Expert down-projection", hidden, local);
        stream("Expert activation", sent * local, gates + 1.0, ACTIVATION_FLOPS, 1.5, visit);
        self.travel("Expert all-to-all back", sent, visit);
        stream("Expert combine", sent * hidden, 2.0, 2.0, 1.0, visit);
    }

    /// Tokens to or from the GPUs of their experts; what arrives is sorted by expert once more.
    fn travel(&self, name: &'static str, tokens: f64, visit: &mut impl FnMut(Operator)) {
        let group = self.mesh.expert;
        if group.size <= 1 {
            return;
        }
        let elements = tokens * f64::from(self.architecture.hidden);
        let bytes = Bytes::new(elements * ACTIVATION);
        let work = Work::Collective(Collective {
            operation: Operation::AllToAll,
            bytes,
            group,
            algorithm: AllReduce::Library,
        });
        visit(Operator { name, work, core: false });
        stream("Expert sort", elements, 2.0, 0.0, 1.0, visit);
    }

    /// Bias, dropout and residual at a block's end, in one kernel.
    fn residual(&self, name: &'static str, visit: &mut impl FnMut(Operator)) {
        let elements = self.local_tokens() * f64::from(self.architecture.hidden);
        let mask = if self.dropout { 0.5 } else { 0.0 };
        // Backward, the residual's gradient passes through; only the dropout mask is applied.
        let backward = if self.dropout { 0.7 } else { 0.0 };
        stream(name, elements, 3.0 + mask, 2.0, backward, visit);
    }

    fn matmul(&self, name: &'static str, n: f64, k: f64, cut: Cut, visit: &mut impl FnMut(Operator)) {
        self.multiply(name, (n, k), cut, self.precision, visit);
    }

    /// A projection of the attention block.
    fn project(&self, name: &'static str, n: f64, k: f64, cut: Cut, visit: &mut impl FnMut(Operator)) {
        self.multiply(name, (n, k), cut, self.projection, visit);
    }

    /// A multiply of the tokens by this GPU's part of a matrix, k × n where the tensor group cuts one side of it.
    pub(super) fn multiply(
        &self,
        name: &'static str,
        (n, k): (f64, f64),
        cut: Cut,
        precision: Precision,
        visit: &mut impl FnMut(Operator),
    ) {
        if self.mesh.panels > 0 {
            let whole = match cut {
                Cut::Columns => (n, k),
                Cut::Rows => (n / self.tensor(), k * self.tensor()),
            };
            return self.panelled(name, whole, precision, visit);
        }
        let matmul = Matmul { m: self.tokens(), n, k, count: 1.0, precision, output: ACTIVATION };
        visit(Operator { name, work: Work::Matmul(matmul), core: false });
    }

    /// Tokens of all replicas come to the experts, or the experts' sums go back: whole tokens to everyone, or each
    /// token to its experts alone where that is less.
    fn meet(&self, name: &'static str, operation: Operation, moe: &Moe, visit: &mut impl FnMut(Operator)) {
        if self.replicas == 1 {
            return;
        }
        let copies = f64::from(self.replicas).min(f64::from(moe.top_k));
        let bytes = self.tokens() * copies * f64::from(self.architecture.hidden) * ACTIVATION;
        let (bytes, group) = (Bytes::new(bytes), self.meeting);
        let work = Work::Collective(Collective { operation, bytes, group, algorithm: AllReduce::Library });
        visit(Operator { name, work, core: false });
    }

    /// Communication before a block: with sequence parallelism the tokens are gathered.
    fn enter(&self, visit: &mut impl FnMut(Operator)) {
        if self.sequence_parallel {
            self.communicate("Tensor-parallel all-gather", Operation::AllGather, visit);
        }
    }

    /// Communication after a block: partial sums are added up.
    fn leave(&self, visit: &mut impl FnMut(Operator)) {
        if self.sequence_parallel {
            self.communicate("Tensor-parallel reduce-scatter", Operation::ReduceScatter, visit);
        } else {
            self.communicate("Tensor-parallel all-reduce", Operation::AllReduce, visit);
        }
    }

    fn communicate(&self, name: &'static str, operation: Operation, visit: &mut impl FnMut(Operator)) {
        // In panels, operands travel rather than whole results.
        if self.group.size <= 1 || self.mesh.panels > 0 {
            return;
        }
        let bytes = Bytes::new(self.tokens() * f64::from(self.architecture.hidden) * ACTIVATION);
        let work =
            Work::Collective(Collective { operation, bytes, group: self.group, algorithm: self.all_reduce });
        visit(Operator { name, work, core: false });
    }
}

/// A kernel over 16-bit elements: how often each is read or written, operations, backward traffic.
fn stream(
    name: &'static str,
    elements: f64,
    accesses: f64,
    flops: f64,
    backward: f64,
    visit: &mut impl FnMut(Operator),
) {
    let work = Work::Stream(Stream {
        bytes: Bytes::new(elements * accesses * ACTIVATION),
        flops: Flops::new(elements * flops),
        backward,
    });
    visit(Operator { name, work, core: false });
}
