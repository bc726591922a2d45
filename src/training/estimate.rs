//! One training step: forward, backward, communication, bubble, optimizer.

use serde::Serialize;

use super::job::TrainingJob;
use super::memo::Memo;
use crate::estimate::{Footprint, OperatorRow, Term};
use crate::units::{Bytes, FlopRate, Flops, Seconds};

/// The estimate of a training job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingEstimate {
    /// One optimizer step.
    pub step: Seconds,
    /// The terms that add up to the step.
    pub terms: Vec<Term>,
    /// Tokens per second over all GPUs.
    pub tokens_per_second: f64,
    /// Tokens per second per GPU.
    pub tokens_per_second_per_gpu: f64,
    /// Model FLOPs utilisation, a fraction: model FLOPs over the step's peak FLOPs at the recipe's precision, or at that of
    /// attention where that is faster (Korthikanti et al. 2022, arXiv 2205.05198).
    pub mfu: f64,
    /// Causal MFU, a fraction: counts only the half of attention that a causal mask leaves, as Megatron-Bridge and
    /// DeepSeek do.
    pub mfu_causal: f64,
    /// Hardware FLOPs utilisation, a fraction: FLOPs done, recomputation included, over the step's peak FLOPs (same
    /// source).
    pub hfu: f64,
    /// FLOPs of the model per step, over all GPUs.
    pub model_flops: Flops,
    /// FLOPs done per step over all GPUs, recomputation included.
    pub hardware_flops: Flops,
    /// Time of the whole run: the recipe's tokens at this throughput, and at least one step.
    pub run: Seconds,
    /// Memory of the fullest GPU.
    pub memory: Footprint,
    /// Memory of the fullest GPU without overheads of software, where the recipe names no software.
    pub bare_memory: Option<Bytes>,
    /// Every operator of one microbatch on one stage.
    pub operators: Vec<OperatorRow>,
    /// Data-parallel replicas.
    pub data_parallel: u32,
    /// Microbatches per replica and step.
    pub microbatches: u32,
}

impl TrainingEstimate {
    /// Returns true if the job fits, or if the recipe names no software and the job fits without overheads of software.
    pub fn may_fit(&self) -> bool {
        self.memory.fits() || self.bare_memory.is_some_and(|bare| bare <= self.memory.capacity)
    }
}

impl TrainingJob<'_> {
    /// The step's time and everything that it is made of.
    pub fn estimate(&self) -> TrainingEstimate {
        let mut operators = Vec::new();
        let layer = self.layer_times(&mut |phase, operator, count, cost| {
            operators.push(OperatorRow::new(phase, operator, count, cost));
        });
        let times = self.stage_times(&layer);
        let terms: Vec<Term> = self.terms(&times).collect();
        let step: Seconds = terms.iter().map(|term| term.time).sum();
        self.assemble(step, terms, operators)
    }

    /// The step's time alone, for rankings.
    pub fn step(&self) -> Seconds {
        Memo::default().step(self)
    }

    pub(crate) fn assemble(
        &self,
        step: Seconds,
        terms: Vec<Term>,
        operators: Vec<OperatorRow>,
    ) -> TrainingEstimate {
        let batch = f64::from(self.recipe.batch);
        let gpus = f64::from(self.gpus);
        let tokens = batch * f64::from(self.recipe.sequence);
        let forward = self.recipe.forward(self.architecture);
        let untrained = self.recipe.untrained(&forward);
        let model_flops = self.recipe.model_flops(&forward) * batch;
        let again = self.again_share();
        let hardware_flops = (forward.hardware(self.recomputed()) * again + forward.model() * (1.0 - again)
            - untrained)
            * batch;
        // Attention multiplies in at least 16 bits, for which a device may have faster units than for the recipe's format.
        let formats = [self.recipe.precision, self.recipe.precision.for_attention()];
        let rates = formats.map(|format| self.system.device.rate(format));
        let peak: FlopRate = rates[0].max(rates[1]) * gpus;
        let tokens_per_second = tokens / step.get();
        TrainingEstimate {
            step,
            terms: terms.into_iter().filter(|term| term.time > Seconds::ZERO).collect(),
            tokens_per_second,
            tokens_per_second_per_gpu: tokens_per_second / gpus,
            mfu: model_flops / step / peak,
            mfu_causal: (forward.causal_model() - untrained) * batch / step / peak,
            hfu: hardware_flops / step / peak,
            model_flops,
            hardware_flops,
            run: step.max(Seconds::new(self.recipe.tokens / tokens_per_second)),
            memory: self.memory(),
            bare_memory: self.bare_memory(),
            operators,
            data_parallel: self.data_parallel(),
            microbatches: self.microbatches(),
        }
    }
}
