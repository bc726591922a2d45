//! Running sums of time by category.

use crate::system::{Operation, Work};
use crate::units::Seconds;
use crate::workload::Operator;

/// Category of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Matrix multiplies outside attention.
    Matmul,
    /// The attention core.
    Attention,
    /// Elementwise kernels outside attention.
    Elementwise,
    /// Recomputed forward operators.
    Recompute,
    /// Collectives of the tensor group, beyond what hides.
    TensorParallel,
    /// Keys and values passed between parts of a sequence, beyond what hides.
    ContextParallel,
    /// Transfer of tokens to experts and back.
    ExpertParallel,
    /// The device's wait for a host that issues kernels more slowly than they run.
    Host,
}

impl Share {
    const COUNT: usize = 8;

    /// The category of an operator.
    pub(crate) fn of(operator: &Operator) -> Self {
        match operator.work {
            Work::Collective(_) if operator.is_core() => Self::ContextParallel,
            Work::Collective(collective) if collective.operation == Operation::AllToAll => {
                Self::ExpertParallel
            }
            Work::Exchange(_) => Self::ExpertParallel,
            Work::Collective(_) | Work::Broadcasts(_) => Self::TensorParallel,
            Work::Scan(_) | Work::IndexScores(_) | Work::Selection(_) => Self::Attention,
            _ if operator.is_core() => Self::Attention,
            Work::Matmul(_) | Work::Panels(_) | Work::Attention(_) | Work::Experts(_) => Self::Matmul,
            Work::Stream(_) => Self::Elementwise,
        }
    }
}

/// One sum per share.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally([Seconds; Share::COUNT]);

impl Tally {
    /// Adds time to a share.
    pub(crate) fn add(&mut self, share: Share, time: Seconds) {
        self.0[share as usize] += time;
    }

    /// Adds another tally's sums, this many times.
    pub(crate) fn add_all(&mut self, other: &Self, times: f64) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more * times;
        }
    }

    /// Replaces the time of one category, e.g. by the part that remains exposed after overlap.
    pub(crate) fn set(&mut self, share: Share, time: Seconds) {
        self.0[share as usize] = time;
    }

    /// The sum of one share.
    pub(crate) fn get(&self, share: Share) -> Seconds {
        self.0[share as usize]
    }

    /// The sum of all shares.
    pub(crate) fn total(&self) -> Seconds {
        self.0.iter().copied().sum()
    }
}
