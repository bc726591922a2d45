//! One GPU's part of one microbatch in one layer.

use super::context::ContextKind;
use super::dispatch::{ExpertDispatch, ExpertExchange};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{Latent, Layer, Mixer};
use crate::system::{AllReduce, Group, Precision, ScanLibrary};
use crate::units::Bytes;

/// Bytes of an element with 16 bits: activations between kernels, and weights that are not quantised.
pub(crate) const ACTIVATION: f64 = 2.0;

/// Kernel that computes attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AttentionKernel {
    /// One kernel, scores never leave the chip (FlashAttention).
    #[default]
    Flash,
    /// FlashAttention 1 and 2, written for Ampere's matrix units: slower than [`Self::Flash`] on later devices, whose
    /// matrix units it leaves idle in part.
    Flash2,
    /// Scores, softmax and weighted values as kernels of their own, scores written to memory; the whole square
    /// is computed even where a causal mask discards half of it.
    Unfused,
}

impl AttentionKernel {
    /// All kernels.
    pub const ALL: [Self; 3] = [Self::Flash, Self::Flash2, Self::Unfused];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flash => "Fused (FlashAttention)",
            Self::Flash2 => "Fused, written for Ampere (FlashAttention 2)",
            Self::Unfused => "Unfused",
        }
    }
}

/// Groups other than the tensor-parallel group that share a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// GPUs that share each sequence.
    pub context: Group,
    /// Exchange of keys and values between the GPUs of the context-parallel group.
    pub exchange: ContextKind,
    /// Panels in which matrices are multiplied that the tensor and the context group cut as a grid; 0 where the
    /// tensor group alone cuts them, along one side.
    pub panels: u32,
    /// GPUs over which experts are spread.
    pub expert: Group,
    /// GPUs that share each expert's matrices.
    pub expert_tensor: Group,
    /// Dispatch of tokens to the GPUs of their experts.
    pub dispatch: ExpertDispatch,
}

impl Mesh {
    /// A mesh with tensor parallelism only: no context or expert parallelism.
    pub const fn of_tensor(group: Group) -> Self {
        Self {
            context: Group::ALONE,
            exchange: ContextKind::Overlapped,
            panels: 0,
            expert: Group::ALONE,
            expert_tensor: group,
            dispatch: ExpertDispatch::AllToAll,
        }
    }
}

/// How prompts attend in layers whose queries select keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectedPrompts {
    /// A kernel gathers the keys of each query.
    Gathered,
    /// Every query attends to all keys: llama.cpp and MLX have no such kernel.
    Whole,
}

/// One GPU's part of one microbatch in one layer.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The tensor-parallel group.
    pub group: Group,
    /// The context-parallel and expert-parallel groups.
    pub mesh: Mesh,
    /// True if norms, residuals and dropouts are sharded over the group along the sequence.
    pub sequence_parallel: bool,
    /// Sequences in the microbatch.
    pub batch: f64,
    /// Tokens per sequence that go through the layer on this GPU: all of them, a part with context parallelism, or 1
    /// in decode.
    pub queries: f64,
    /// Tokens per sequence to which the last of them attends.
    pub keys: f64,
    /// Format of weights and matrix operands.
    pub precision: Precision,
    /// Format of weights and operands of the matrices outside of the routed experts, which some quantised mixtures leave wider.
    pub dense: Precision,
    /// Attention replicas: tensor groups that each serve their own sequences and share all experts.
    pub replicas: u32,
    /// All GPUs of the attention replicas, over which tokens travel to the experts.
    pub meeting: Group,
    /// Parts into which the experts are divided over all replicas' GPUs; within a part each expert is sharded.
    pub expert_parts: u32,
    /// Kernels of experts on other GPUs.
    pub exchange: ExpertExchange,
    /// Storage of one element of the keys and values.
    pub kv_element: Bytes,
    /// Storage of one element of a multiply's input that is kept for the backward pass.
    pub kept_input: Bytes,
    /// Kernel that computes attention.
    pub kernel: AttentionKernel,
    /// Storage of one attention score, where scores are written to memory.
    pub score: Bytes,
    /// Attention of prompts in layers that select keys.
    pub selected: SelectedPrompts,
    /// Library of recurrences.
    pub scans: ScanLibrary,
    /// True if dropout runs (after attention, after each block).
    pub dropout: bool,
    /// True if residual and norm are one kernel and attention rotates its queries itself, as in serving engines.
    pub fused: bool,
    /// All-reduce algorithm of the tensor-parallel group.
    pub all_reduce: AllReduce,
}

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
    pub(super) fn local_tokens(&self) -> f64 {
        if self.sequence_parallel { self.tokens() / self.tensor() } else { self.tokens() }
    }

    /// Number of key-value heads on one GPU: at least one, which is then replicated.
    pub fn shared(&self, kv_heads: u32) -> f64 {
        libm::ceil(f64::from(kv_heads) / self.tensor())
    }

    /// Elements of a layer's keys and values per token on one GPU of the tensor-parallel group, expanded from a latent
    /// if there is one.
    fn cached_width(&self, layer: &Layer) -> f64 {
        let width = |mixer: Mixer| match mixer {
            Mixer::Latent(Latent { heads, widths, .. }) => {
                let heads = f64::from(heads) / self.tensor();
                heads * f64::from(widths.qk_nope + widths.qk_rope + widths.v)
            }
            Mixer::Attention(heads) => {
                self.shared(heads.own_kv_heads()) * (f64::from(heads.head_dim) + f64::from(heads.value()))
            }
            Mixer::Compressed(compressed) => f64::from(compressed.head_dim),
            _ => 0.0,
        };
        layer.mixers().map(width).sum()
    }

    /// Width of the cached values of the layer with the most.
    pub(super) fn widest_cache(&self) -> f64 {
        self.architecture.layer_kinds().map(|layer| self.cached_width(&layer)).fold(0.0, f64::max)
    }
}
