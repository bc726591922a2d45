//! Overheads of training frameworks beyond their kernels.

use crate::order::median;
use crate::system::Corrections;
use crate::units::{Bytes, Seconds};

/// The software that trains.
///
/// Kernels alone do not show how fast a host issues them, nor what happens between steps. `make overheads` fits both to
/// published step times; `tools/src/published/fitted.txt` lists the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Framework {
    /// Software that is not named: the middle of what the named ones add.
    #[default]
    Typical,
    /// Software that is not named, whose elementwise kernels are fused, by hand or by a compiler.
    Fused,
    /// Software that is not named and launches one kernel per operation.
    Eager,
    /// Kernels alone: they follow one another without a pause.
    None,
    /// Megatron-LM and Megatron-DeepSpeed.
    Megatron,
    /// NeMo and Megatron-Bridge, over Megatron-Core and Transformer Engine.
    Nemo,
    /// Composer, over PyTorch's FSDP.
    Composer,
    /// Nanotron.
    Nanotron,
}

/// How software executes a layer. Fused kernels are fewer: the host issues less, and elementwise operations read and
/// write their tensors once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Elementwise operations in fused kernels.
    Fused,
    /// One kernel per operation.
    Eager,
}

/// Overheads of a framework beyond kernel times and tensor sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameworkOverheads {
    /// Host time per operator that a layer issues.
    pub issue: Seconds,
    /// Exponent that joins the times of host and device over a pass: with few kernels in the queue each waits for the
    /// other now and then, and less the higher it is. One value holds for all software: fits that leave any one framework
    /// out come within 0.05 points of their least error with it (`make overheads`).
    pub uneven: f64,
    /// Time per step beyond its passes and the optimizer's traffic, per layer of the fullest stage and level of nodes
    /// (1 + log2 of the scale-up domains): clipping, gradient buckets and the optimizer's calls for each layer's tensors,
    /// and the wait for the slowest node.
    ///
    /// Fits of a constant per step gave 4 ms for Megatron-LM (small models on one node) and 38 to 50 ms for the others. In
    /// this form the four fits are 0.38 to 0.48 ms, so that their middle holds for unfitted software too.
    pub step: Seconds,
    /// Host time per message between stages.
    pub send: Seconds,
    /// Time of elementwise kernels against fused ones: eager execution reads and writes a tensor once per operation.
    pub elementwise: f64,
    /// Time per tensor-parallel collective and member of a group that leaves its scale-up domain.
    pub hop: Seconds,
    /// Extra time per tensor-parallel collective of more than two members where the pipeline spans several domains.
    pub relay: Seconds,
    /// Kept activations against what the backward pass needs at least: copies of eager execution, and what the
    /// allocator loses between blocks.
    pub activations: f64,
    /// What the head keeps against its 32-bit logits alone.
    pub logits: f64,
    /// Bytes per parameter beside weights, gradients and optimizer state, on every replica.
    pub copies: Bytes,
}

impl FrameworkOverheads {
    /// No overheads: kernel times and tensor sizes only.
    pub const NONE: Self = Self {
        issue: Seconds::ZERO,
        uneven: 3.0,
        step: Seconds::ZERO,
        send: Seconds::ZERO,
        elementwise: 1.0,
        hop: Seconds::ZERO,
        relay: Seconds::ZERO,
        activations: 1.0,
        logits: 1.0,
        copies: Bytes::ZERO,
    };

    /// Unnamed software: the median over frameworks of each of their times. Host time per operator and elementwise
    /// kernels are those of frameworks that execute like it, where that is known. Of memory nothing is added: it depends
    /// on how software is written more than on what all of it does.
    fn middle(of: &[Framework], execution: Option<Execution>) -> Self {
        let median = |of: &mut dyn Iterator<Item = &Framework>, value: &dyn Fn(&Self) -> f64| {
            let mut values: Vec<f64> = of.map(|framework| value(&framework.overheads())).collect();
            median(&mut values)
        };
        let all = |value: &dyn Fn(&Self) -> f64| median(&mut of.iter(), value);
        let alike = |value: &dyn Fn(&Self) -> f64| {
            let mut alike = of.iter().filter(|other| execution.is_none() || other.execution() == execution);
            median(&mut alike, value)
        };
        Self {
            issue: Seconds::new(alike(&|overheads| overheads.issue.get())),
            elementwise: alike(&|overheads| overheads.elementwise),
            step: Seconds::new(all(&|overheads| overheads.step.get())),
            send: Seconds::new(all(&|overheads| overheads.send.get())),
            ..Self::NONE
        }
    }
}

impl FrameworkOverheads {
    /// These overheads on a machine with such corrections.
    #[must_use]
    pub fn corrected(self, corrections: &Corrections) -> Self {
        Self {
            issue: self.issue * corrections.host,
            send: self.send * corrections.host,
            step: self.step * corrections.step,
            hop: self.hop * corrections.starts,
            relay: self.relay * corrections.starts,
            ..self
        }
    }
}

impl Framework {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Typical,
        Self::Fused,
        Self::Eager,
        Self::None,
        Self::Megatron,
        Self::Nemo,
        Self::Composer,
        Self::Nanotron,
    ];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typical => "Other software: typical",
            Self::Fused => "Other software: fused kernels",
            Self::Eager => "Other software: eager",
            Self::None => "None: kernels alone",
            Self::Megatron => "Megatron-LM",
            Self::Nemo => "NeMo, Megatron-Bridge",
            Self::Composer => "Composer, FSDP",
            Self::Nanotron => "Nanotron",
        }
    }

    /// How it executes a layer, where that is known.
    pub const fn execution(self) -> Option<Execution> {
        match self {
            Self::Typical | Self::None => None,
            // Megatron-LM's own fused kernels, and Transformer Engine's.
            Self::Fused | Self::Megatron | Self::Nemo => Some(Execution::Fused),
            Self::Eager | Self::Composer | Self::Nanotron => Some(Execution::Eager),
        }
    }

    /// Returns true if pipeline stages are cut by what layers and head cost, rather than by numbers of layers.
    pub(super) const fn balances(self) -> bool {
        matches!(self, Self::Nanotron)
    }

    /// Those whose overheads were fitted.
    pub const MEASURED: [Self; 4] = [Self::Megatron, Self::Nemo, Self::Composer, Self::Nanotron];

    /// The framework's overheads.
    pub fn overheads(self) -> FrameworkOverheads {
        match self {
            Self::Typical | Self::Fused | Self::Eager => {
                FrameworkOverheads::middle(&Self::MEASURED, self.execution())
            }
            Self::None => FrameworkOverheads::NONE,
            Self::Megatron => MEGATRON,
            Self::Nemo => NEMO,
            Self::Composer => COMPOSER,
            Self::Nanotron => NANOTRON,
        }
    }

    /// The overheads as if nobody had measured this framework: the middle of the others.
    pub fn unfitted(self) -> FrameworkOverheads {
        if !Self::MEASURED.contains(&self) {
            return self.overheads();
        }
        let others: Vec<Self> = Self::MEASURED.into_iter().filter(|other| *other != self).collect();
        FrameworkOverheads::middle(&others, self.execution())
    }
}

// As `make overheads` prints them, with the mean error on the rows that were not fitted (step times, by source). Where runs
// keep the device busy, as Composer's do, host time per operator is at the upper bound of its fit.

/// vTrain 7 %, BLOOM 16 %, Korthikanti 2 %, Narayanan 4 % (its ZeRO-3 runs apart).
const MEGATRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(65.6),
    step: Seconds::from_micros(477.0),
    send: Seconds::new(0.00133),
    activations: 1.25,
    copies: Bytes::new(3.0),
    ..FrameworkOverheads::NONE
};

/// DGX Cloud 8 %, Megatron-Bridge 18 % (most of it mixtures of experts), MLPerf 18 %.
const NEMO: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(88.3),
    step: Seconds::from_micros(421.0),
    send: Seconds::new(0.00189),
    ..FrameworkOverheads::NONE
};

/// MosaicML 5 %.
const COMPOSER: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(150.0),
    step: Seconds::from_micros(431.0),
    elementwise: 1.89,
    ..FrameworkOverheads::NONE
};

/// Ultra-Scale Playbook 15 to 17 %. The relay is what its pipelines over several nodes show, whose collectives measured
/// beside them are as slow; what causes it is not known. Activations are fitted to the allocated memory of 137 of its
/// rows: eager execution keeps each gate's and norm's copies. Logits are counted: 16 bytes each, in 16 and 32 bits, their
/// exponentials, and the gradients of both, where 4 are Korthikanti's; a regression over the same rows gives 16.4.
const NANOTRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(118.4),
    step: Seconds::from_micros(384.0),
    send: Seconds::new(0.00077),
    hop: Seconds::from_micros(27.5),
    relay: Seconds::from_micros(273.8),
    elementwise: 1.58,
    activations: 1.55,
    logits: 4.0,
    copies: Bytes::new(1.0),
    ..FrameworkOverheads::NONE
};
