//! Time and memory overheads of training frameworks beyond their kernels.

use super::framework::{Execution, Framework};
use crate::catalog::Accelerator;
use crate::order::geometric_median;
use crate::system::{Assumed, AssumptionSet, Corrections};
use crate::units::{Bytes, Seconds};

/// Overheads of a framework beyond kernel times and tensor sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameworkOverheads {
    /// Host time per operator launch of a layer.
    pub issue: Seconds,
    /// Exponent p that combines host time and device time of a pass as a p-norm. With few kernels in the queue, each
    /// side sometimes waits for the other; the wait decreases with p. One value serves all software: fits that leave
    /// out any one framework come within 0.05 points of their least error with it (`make overheads`).
    pub uneven: f64,
    /// Time per step beyond the passes and the optimizer's memory traffic, per layer of the fullest stage and per level
    /// of nodes (1 + log2 of the number of scale-up domains). It covers gradient clipping, gradient buckets, the
    /// optimizer's launches for each layer's tensors, and the wait for the slowest node.
    ///
    /// Fits of a constant per step gave 4 ms for Megatron-LM (small models on one node) and 38 to 50 ms for the others.
    /// In this form the fits are 0.33 to 0.48 ms, and 0.65 ms for Transformers, so their median serves software without a
    /// fit too.
    pub step: Seconds,
    /// Host time per message between pipeline stages.
    pub send: Seconds,
    /// Factor on the time of elementwise kernels relative to fused ones: eager execution reads and writes a tensor once
    /// per operation.
    pub elementwise: f64,
    /// Time per tensor-parallel collective and group member, for groups that extend beyond a scale-up domain.
    pub hop: Seconds,
    /// Host time of the all-gather of weights under ZeRO-1, per layer and replica. Nanotron copies each replica's part of each
    /// tensor separately (`_all_gather_params`, huggingface/nanotron@e3b886c).
    pub gather: Seconds,
    /// Stored activations relative to the minimum that the backward pass needs. The excess is copies by eager execution
    /// and allocator fragmentation.
    pub activations: f64,
    /// Memory kept by the output head relative to its 32-bit logits.
    pub logits: f64,
    /// Bytes per parameter in addition to weights, gradients and optimizer state, on every replica.
    pub copies: Bytes,
}

impl FrameworkOverheads {
    /// Zero overheads: kernel times and tensor sizes only.
    pub const NONE: Self = Self {
        issue: Seconds::ZERO,
        uneven: 3.0,
        step: Seconds::ZERO,
        send: Seconds::ZERO,
        elementwise: 1.0,
        hop: Seconds::ZERO,
        gather: Seconds::ZERO,
        activations: 1.0,
        logits: 1.0,
        copies: Bytes::ZERO,
    };

    /// Overheads of unnamed software: the median of each time over the frameworks in `of`. Host time per operator and
    /// the elementwise factor are medians over the frameworks with the same execution, if it is given and `of` has such
    /// frameworks. Host times that no run determines are left out. Memory overheads are zero: programs of a known execution
    /// are predicted without a bias that way, because many compute the loss in chunks and recompute more.
    fn middle(of: &[Framework], execution: Option<Execution>) -> Self {
        let median = |of: &mut dyn Iterator<Item = &Framework>, value: &dyn Fn(&Self) -> f64| {
            let mut values: Vec<f64> = of.map(|framework| value(&framework.overheads())).collect();
            geometric_median(&mut values)
        };
        let all = |value: &dyn Fn(&Self) -> f64| median(&mut of.iter(), value);
        let same = |other: &&Framework| execution.is_none() || other.execution() == execution;
        let alike = |value: &dyn Fn(&Self) -> f64| median(&mut of.iter().filter(same), value);
        let timed = || of.iter().filter(|other| other.shows_host());
        let known = timed().any(|other| same(&other));
        let issue =
            median(&mut timed().filter(|other| !known || same(other)), &|overheads| overheads.issue.get());
        Self {
            issue: Seconds::new(issue),
            elementwise: alike(&|overheads| overheads.elementwise),
            step: Seconds::new(all(&|overheads| overheads.step.get())),
            send: SEND,
            ..Self::NONE
        }
    }
}

impl FrameworkOverheads {
    /// These overheads with the activations and logits of software whose execution is unknown: the geometric mean of the
    /// medians of the fused and of the eager frameworks in `of`. Frameworks without fitted activations are left out.
    #[must_use]
    fn with_memory_of(self, of: &[Framework]) -> Self {
        let middle = |value: &dyn Fn(&Self) -> f64| {
            let median = |execution: Execution| {
                let alike = of.iter().filter(|framework| framework.execution() == Some(execution));
                let fitted = alike.map(|framework| framework.overheads()).filter(Self::has_memory);
                let mut values: Vec<f64> = fitted.map(|overheads| value(&overheads)).collect();
                (!values.is_empty()).then(|| geometric_median(&mut values))
            };
            let mut medians: Vec<f64> =
                [Execution::Fused, Execution::Eager].into_iter().filter_map(median).collect();
            geometric_median(&mut medians)
        };
        let [activations, logits] =
            [middle(&|overheads| overheads.activations), middle(&|overheads| overheads.logits)];
        Self { activations, logits, ..self }
    }

    /// Returns true if the software's memory was fitted: no published run determines that of NeMo and Composer.
    pub fn has_memory(&self) -> bool {
        self.activations > Self::NONE.activations
    }

    /// The overheads of times, without overheads of memory.
    #[must_use]
    pub(super) fn without_memory(self) -> Self {
        let Self { activations, logits, copies, .. } = Self::NONE;
        Self { activations, logits, copies, ..self }
    }

    /// The overheads with a calibration profile's corrections applied.
    #[must_use]
    pub fn corrected(self, corrections: &Corrections) -> Self {
        Self {
            issue: self.issue * corrections.host,
            send: self.send * corrections.host,
            gather: self.gather * corrections.host,
            step: self.step * corrections.step,
            hop: self.hop * corrections.starts,
            ..self
        }
    }
}

impl Framework {
    /// Returns true if the framework's published runs determine its host time per operator. Composer's keep the device
    /// busy: their fit ends at the upper bound of the search.
    fn shows_host(self) -> bool {
        self != Self::Composer && self.issues_as() == self
    }

    /// Frameworks with fitted overheads.
    pub const MEASURED: [Self; 5] =
        [Self::Megatron, Self::Nemo, Self::Composer, Self::Nanotron, Self::Transformers];

    /// The framework's overheads on a device: none unless the constants are the calibrated ones.
    pub fn overheads_on(self, assumed: &Assumed, accelerator: &Accelerator) -> FrameworkOverheads {
        match assumed.set {
            AssumptionSet::Calibrated => self.overheads().corrected(&assumed.corrections_of(accelerator)),
            _ => FrameworkOverheads::NONE,
        }
    }

    /// The framework's overheads.
    pub fn overheads(self) -> FrameworkOverheads {
        match self {
            Self::Typical => {
                FrameworkOverheads::middle(&Self::MEASURED, None).with_memory_of(&Self::MEASURED)
            }
            Self::Fused => FrameworkOverheads::middle(&Self::MEASURED, self.execution()),
            // PyTorch's cross-entropy keeps 16 bytes per logit in every eager program, as in Nanotron, to which the factor
            // was fitted. docs/accuracy.md has the errors of memory on rows of fine-tuning, of which none was fitted.
            Self::Eager => FrameworkOverheads {
                logits: NANOTRON.logits,
                ..FrameworkOverheads::middle(&Self::MEASURED, self.execution())
            },
            Self::Compiled => FrameworkOverheads {
                logits: TRANSFORMERS.logits,
                ..FrameworkOverheads::middle(&Self::MEASURED, self.execution())
            },
            Self::None => FrameworkOverheads::NONE,
            Self::Megatron => MEGATRON,
            Self::Nemo => NEMO,
            Self::Composer => COMPOSER,
            Self::Nanotron => NANOTRON,
            Self::Transformers => TRANSFORMERS,
        }
    }

    /// Overheads without the fit to this framework: the medians over the others.
    pub fn unfitted(self) -> FrameworkOverheads {
        if !Self::MEASURED.contains(&self) {
            return self.overheads();
        }
        let others: Vec<Self> = Self::MEASURED.into_iter().filter(|other| *other != self).collect();
        FrameworkOverheads::middle(&others, self.execution()).with_memory_of(&others)
    }
}

// Output of `make overheads`. The comments give the mean error of step times on rows that were not used in the fit, by
// source. If runs keep the device busy, as Composer's do, the fitted host time per operator is at its upper bound.

/// Host time per message between pipeline stages, fitted to all frameworks together. Fits to each framework gave 1.3 to 3.1 ms, and
/// their mean error differed by less than 0.1 points.
const SEND: Seconds = Seconds::new(0.00161);

/// Mean errors: vTrain 7 %, BLOOM 16 %, Korthikanti 2 %, Narayanan 4 % (without its ZeRO-3 runs).
const MEGATRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(65.2),
    step: Seconds::from_micros(480.0),
    send: SEND,
    activations: 1.25,
    copies: Bytes::new(3.0),
    ..FrameworkOverheads::NONE
};

/// Mean errors: DGX Cloud 9 %, Megatron-Bridge 15 % (mostly mixtures of experts), MLPerf 12 %.
const NEMO: FrameworkOverheads = FrameworkOverheads {
    issue: MEGATRON.issue,
    step: Seconds::from_micros(420.0),
    send: SEND,
    ..FrameworkOverheads::NONE
};

/// Mean error: MosaicML 5 %.
const COMPOSER: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(149.4),
    step: Seconds::from_micros(412.0),
    send: SEND,
    elementwise: 1.89,
    ..FrameworkOverheads::NONE
};

/// Mean error: Ultra-Scale Playbook 10 %. `activations` is fitted to the allocated memory of 137 rows: eager
/// execution keeps copies of each gate and norm. `logits` is counted as 16 bytes per logit, where Korthikanti et al.
/// count 4: logits in 16 and 32 bits, their exponentials, and the gradients of both. A regression over the same rows
/// gives 16.4 bytes.
const NANOTRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(127.4),
    step: Seconds::from_micros(459.0),
    send: SEND,
    hop: Seconds::from_micros(44.0),
    gather: Seconds::from_micros(24.6),
    elementwise: 1.29,
    activations: 1.55,
    logits: 4.0,
    copies: Bytes::new(1.0),
    ..FrameworkOverheads::NONE
};

/// Rows of this project (`tests/measured/one_gpu.jsonl`): H100 and H200, one GPU. `elementwise`: norms, rotations and gates are
/// each several kernels, part of them in 32 bits. `logits` counts 12 bytes per logit, as the peak memory of those rows shows:
/// the logarithms of the softmax in 32 bits, their gradients, and those of the logits.
const TRANSFORMERS: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(41.4),
    step: Seconds::from_micros(904.0),
    send: SEND,
    elementwise: 4.62,
    activations: 1.55,
    logits: 3.0,
    ..FrameworkOverheads::NONE
};
