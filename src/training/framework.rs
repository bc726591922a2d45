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
    /// Software that is not named: the middle of what those below add.
    #[default]
    Typical,
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

/// Overheads of a framework beyond kernel times and tensor sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameworkOverheads {
    /// Host time per operator that a layer issues.
    pub issue: Seconds,
    /// Exponent that joins the times of host and device over a pass: with few kernels in the queue each waits for the
    /// other now and then, and less the higher it is.
    pub uneven: f64,
    /// Time per step beyond its passes and the optimizer's traffic: data, logging, clipping, waiting for the slowest.
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
        uneven: 10.0,
        step: Seconds::ZERO,
        send: Seconds::ZERO,
        elementwise: 1.0,
        hop: Seconds::ZERO,
        relay: Seconds::ZERO,
        activations: 1.0,
        logits: 1.0,
        copies: Bytes::ZERO,
    };

    /// Software that none of these is: the median of each of their times. Of memory nothing is added, which depends on
    /// how software is written more than on what all of it does.
    ///
    /// On 44 runs of torchtitan, of which none was fitted, steps are 14 % off, on 4 of Primus 16 %.
    pub fn middle(of: &[Framework]) -> Self {
        let median = |value: &dyn Fn(&Self) -> f64| {
            let mut values: Vec<f64> = of.iter().map(|framework| value(&framework.overheads())).collect();
            median(&mut values)
        };
        Self {
            issue: Seconds::new(median(&|overheads| overheads.issue.get())),
            uneven: median(&|overheads| overheads.uneven),
            step: Seconds::new(median(&|overheads| overheads.step.get())),
            send: Seconds::new(median(&|overheads| overheads.send.get())),
            elementwise: median(&|overheads| overheads.elementwise),
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
    pub const ALL: [Self; 6] =
        [Self::Typical, Self::None, Self::Megatron, Self::Nemo, Self::Composer, Self::Nanotron];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typical => "Other software: typical",
            Self::None => "None: kernels alone",
            Self::Megatron => "Megatron-LM",
            Self::Nemo => "NeMo, Megatron-Bridge",
            Self::Composer => "Composer, FSDP",
            Self::Nanotron => "Nanotron",
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
            Self::Typical => FrameworkOverheads::middle(&Self::MEASURED),
            Self::None => FrameworkOverheads::NONE,
            Self::Megatron => MEGATRON,
            Self::Nemo => NEMO,
            Self::Composer => COMPOSER,
            Self::Nanotron => NANOTRON,
        }
    }
}

// As `make overheads` prints them, with the mean error on the rows that were not fitted (step times, by source).

/// vTrain 8 %, BLOOM 16 %, Korthikanti 2 %, Narayanan 8 % (its ZeRO-3 runs apart).
const MEGATRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(66.9),
    uneven: 2.9,
    step: Seconds::new(0.0044),
    send: Seconds::new(0.00083),
    activations: 1.25,
    copies: Bytes::new(3.0),
    ..FrameworkOverheads::NONE
};

/// DGX Cloud 9 %, Megatron-Bridge 21 % (most of it mixtures of experts), MLPerf 20 %.
const NEMO: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(75.6),
    uneven: 2.0,
    step: Seconds::new(0.0382),
    send: Seconds::new(0.00101),
    ..FrameworkOverheads::NONE
};

/// MosaicML 5 %.
const COMPOSER: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(150.0),
    uneven: 1.3,
    step: Seconds::new(0.0503),
    elementwise: 1.59,
    ..FrameworkOverheads::NONE
};

/// Ultra-Scale Playbook 14 to 16 %. The relay is what its pipelines over several nodes show, whose collectives measured
/// beside them are as slow; what causes it is not known. Activations are fitted to the allocated memory of 137 of its
/// rows: eager execution keeps each gate's and norm's copies. Logits are counted: 16 bytes each, in 16 and 32 bits, their
/// exponentials, and the gradients of both, where 4 are Korthikanti's; a regression over the same rows gives 16.4.
const NANOTRON: FrameworkOverheads = FrameworkOverheads {
    issue: Seconds::from_micros(124.4),
    uneven: 5.1,
    step: Seconds::new(0.0482),
    send: Seconds::new(0.00049),
    hop: Seconds::from_micros(27.8),
    relay: Seconds::from_micros(276.6),
    elementwise: 1.09,
    activations: 1.55,
    logits: 4.0,
    copies: Bytes::new(1.0),
};
