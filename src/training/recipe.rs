//! The training recipe: batch, sequence, number formats and token budget.

use serde::{Deserialize, Serialize};

use super::framework::Framework;
use super::optimizer::{Optimizer, WEIGHT};
use crate::catalog::architecture::Architecture;
use crate::system::Precision;
use crate::units::{Bytes, Flops};
use crate::workload::flops::ForwardFlops;
use crate::workload::{ACTIVATION, Adapters, AttentionKernel, Targets};

/// The training recipe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingRecipe {
    /// Sequences per step over all replicas.
    pub batch: u32,
    /// Tokens per sequence.
    pub sequence: u32,
    /// Format of matrix operands; weights and activations stay in 16 bits.
    pub precision: Precision,
    /// Kernel that computes attention.
    pub attention: AttentionKernel,
    /// True if dropout runs.
    pub dropout: bool,
    /// Format in which gradients are summed over microbatches and replicas: 32 or 16 bits.
    pub gradients: Gradients,
    /// Parts in which output head and loss are computed, one after the other; only one part's logits are stored.
    pub loss_chunks: u32,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// True if the weights are frozen and only low-rank adapters are trained (LoRA).
    pub frozen: bool,
    /// Rank of the adapters.
    pub rank: u32,
    /// Matrices that have an adapter.
    pub targets: Targets,
    /// Format in which frozen matrices are stored (`QLoRA`); they are unpacked to 16 bits to multiply.
    pub base: Precision,
    /// True if the model's prediction modules (MTP) are trained with it. Ignored while the model's weights are frozen.
    pub prediction: bool,
    /// The software, whose overheads are added.
    pub framework: Framework,
    /// Host time of the consistency check before each collective, µs per member beyond the first; 0 if checks are off.
    /// With `TORCH_DISTRIBUTED_DEBUG=DETAIL`, PyTorch compares the arguments of all members before every collective.
    pub checks_us: u32,
    /// Tokens of the whole run.
    pub tokens: f64,
}

impl Default for TrainingRecipe {
    fn default() -> Self {
        Self {
            batch: 1024,
            sequence: 8192,
            precision: Precision::Bf16,
            attention: AttentionKernel::Flash,
            dropout: false,
            gradients: Gradients::Fp32,
            loss_chunks: 1,
            optimizer: Optimizer::Adam,
            frozen: false,
            rank: 16,
            targets: Targets::Linear,
            base: Precision::Bf16,
            prediction: false,
            framework: Framework::Typical,
            checks_us: 0,
            tokens: 15e12,
        }
    }
}

impl TrainingRecipe {
    /// Steps of the whole run: the token budget in global batches, and at least one.
    pub fn steps(&self) -> f64 {
        (self.tokens / f64::from(self.sequence) / f64::from(self.batch)).max(1.0)
    }

    /// The adapters, if only these are trained.
    pub fn adapters(&self) -> Option<Adapters> {
        self.frozen.then_some(Adapters { rank: self.rank, targets: self.targets })
    }

    /// Returns true if a step of one microbatch may need less memory than a step of several smaller ones: then gradients are
    /// not stored until the next microbatch.
    pub fn saves_with_one_microbatch(&self) -> bool {
        self.framework.frees_gradients() || self.gradients == Gradients::Released
    }

    /// Returns true if prediction modules are trained, provided that the model has some.
    pub const fn predicts(&self) -> bool {
        self.prediction && !self.frozen
    }

    /// Forward operations of one sequence, those of prediction modules included if they are trained.
    pub fn forward(&self, architecture: &Architecture) -> ForwardFlops {
        let tokens = f64::from(self.sequence);
        if self.predicts() {
            ForwardFlops::with_modules(architecture, tokens)
        } else {
            ForwardFlops::of(architecture, tokens)
        }
    }

    /// Storage of one element of a multiply's input that is kept for the backward pass. Transformer Engine, in the
    /// frameworks that use it, keeps the input of an 8- or 4-bit multiply in 8 bits; PyTorch's programs keep it in 16.
    pub(super) fn kept_input(&self) -> Bytes {
        let narrow =
            self.precision.operand() < Bytes::new(ACTIVATION) && self.framework.keeps_narrow_inputs();
        Bytes::new(if narrow { 1.0 } else { ACTIVATION })
    }

    /// Model FLOPs of one sequence, forward and backward. Those of adapters are not counted.
    pub fn model_flops(&self, forward: &ForwardFlops) -> Flops {
        forward.model() - self.untrained(forward)
    }

    /// Bytes of a checkpoint: 16-bit weights and optimizer state. Adapters of frozen weights are about a thousandth of the
    /// model, which is not counted.
    pub fn checkpoint(&self, architecture: &Architecture) -> Bytes {
        if self.frozen {
            return Bytes::ZERO;
        }
        (WEIGHT + self.optimizer.state()) * architecture.parameters().total as f64
    }

    /// FLOPs of the weight gradients that frozen weights do not have.
    pub(super) fn untrained(&self, forward: &ForwardFlops) -> Flops {
        if self.frozen { forward.weight_gradients() } else { Flops::ZERO }
    }
}

/// Format in which gradients are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Gradients {
    /// 32 bits.
    #[default]
    Fp32,
    /// 16 bits.
    Bf16,
    /// 16 bits; if a step has one microbatch, the optimizer runs inside the backward pass and frees each layer's
    /// gradients at once (Lv et al. 2023, LOMO, section 3.1; `optimizer_in_bwd` in torchtune).
    Released,
}

impl Gradients {
    /// Storage of one.
    pub const fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Fp32 => 4.0,
            Self::Bf16 | Self::Released => 2.0,
        })
    }
}
