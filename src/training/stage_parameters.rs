//! Parameters on one GPU of a pipeline stage.

/// Parameters on one GPU, by how many replicas they have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StageParameters {
    /// Parameters that are divided over the tensor-parallel group.
    pub(super) dense: f64,
    /// Parameters of routed experts.
    pub(super) expert: f64,
    /// Part of `dense` that no format quantises: the ends of the model, norms and routers.
    pub(super) plain: f64,
    /// Parameters of adapters, in addition to the others.
    pub(super) adapters: f64,
}

impl StageParameters {
    /// Parameters of the model, without adapters.
    pub(super) fn total(self) -> f64 {
        self.dense + self.expert
    }

    /// Parameters without adapters; `plain` of the dense ones stay in 16 bits.
    pub(super) fn of(dense: f64, expert: f64, plain: f64) -> Self {
        Self { dense, expert, plain, adapters: 0.0 }
    }

    /// These parameters and others.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            dense: self.dense + other.dense,
            expert: self.expert + other.expert,
            plain: self.plain + other.plain,
            adapters: self.adapters + other.adapters,
        }
    }

    /// The adapters alone, as parameters that no format quantises.
    pub(super) fn of_adapters(self) -> Self {
        Self { dense: self.adapters, plain: self.adapters, ..Self::default() }
    }
}
