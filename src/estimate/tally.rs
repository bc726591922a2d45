//! Running sums of time by what it is spent on.

use crate::system::Work;
use crate::units::Seconds;
use crate::workload::Operator;

/// What time is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Matrix multiplies outside attention.
    Matmul,
    /// The attention core.
    Attention,
    /// Elementwise kernels outside attention.
    Elementwise,
    /// Forward work done again.
    Recompute,
    /// Collectives of the tensor group.
    TensorParallel,
}

impl Share {
    const COUNT: usize = 5;

    /// What an operator's time is counted as.
    pub(super) fn of(operator: &Operator) -> Self {
        match operator.work {
            Work::Collective(_) => Self::TensorParallel,
            _ if operator.core => Self::Attention,
            Work::Matmul(_) | Work::Attention(_) | Work::Experts(_) => Self::Matmul,
            Work::Stream(_) => Self::Elementwise,
        }
    }
}

/// One sum per share.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally([Seconds; Share::COUNT]);

impl Tally {
    /// Adds time to a share.
    pub(super) fn add(&mut self, share: Share, time: Seconds) {
        self.0[share as usize] += time;
    }

    /// The sum of one share.
    pub(super) fn get(&self, share: Share) -> Seconds {
        self.0[share as usize]
    }

    /// The sum of all shares.
    pub(super) fn total(&self) -> Seconds {
        self.0.iter().copied().sum()
    }
}
