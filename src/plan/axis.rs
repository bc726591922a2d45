//! The directions of parallelism.

/// A dimension of parallelism, innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelAxis {
    /// Tensor parallelism.
    Tensor,
    /// Context parallelism.
    Context,
    /// Replicas.
    Data,
    /// Pipeline stages.
    Pipeline,
}

impl ParallelAxis {
    pub(super) const ALL: [Self; 4] = [Self::Tensor, Self::Context, Self::Data, Self::Pipeline];

    /// Document path of the field that sets how many members of this axis share a scale-up domain.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Tensor => "parallelism.placement.tensor",
            Self::Context => "parallelism.placement.context",
            Self::Data => "parallelism.placement.data",
            Self::Pipeline => "parallelism.placement.pipeline",
        }
    }
}
