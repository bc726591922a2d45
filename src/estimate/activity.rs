//! Activities into which a profile divides a GPU's time.

/// The activity of a GPU. Time during which several kernels run is assigned to the first of their activities in this
/// order: communication counts only while no kernel computes, and copies only while no other kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Matrix multiplies outside attention and experts.
    Matmul,
    /// Grouped matrix multiplies and routing of experts.
    Experts,
    /// Attention scores, softmax and weighted values.
    Attention,
    /// Elementwise kernels, norms, reductions and embeddings.
    Elementwise,
    /// Parameter updates of the optimizer.
    Optimizer,
    /// Kernels whose name matches no pattern.
    Other,
    /// Communication of the tensor-parallel group.
    TensorParallel,
    /// Communication of the context-parallel group.
    ContextParallel,
    /// All-to-alls that dispatch tokens to experts and combine their results.
    ExpertParallel,
    /// Sends and receives between pipeline stages.
    Pipeline,
    /// Reductions of gradients and gathers of weights over the data-parallel replicas.
    DataParallel,
    /// Collectives whose process group the profile does not name.
    Collectives,
    /// Memory copies and memory sets.
    Copies,
    /// Neither a kernel nor a copy runs.
    Idle,
}

impl Activity {
    /// Number of activities.
    pub const COUNT: usize = 14;

    /// All activities, in the order of precedence.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Matmul,
        Self::Experts,
        Self::Attention,
        Self::Elementwise,
        Self::Optimizer,
        Self::Other,
        Self::TensorParallel,
        Self::ContextParallel,
        Self::ExpertParallel,
        Self::Pipeline,
        Self::DataParallel,
        Self::Collectives,
        Self::Copies,
        Self::Idle,
    ];

    /// Label on the page.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Matmul => "Matrix multiplies",
            Self::Experts => "Experts",
            Self::Attention => "Attention",
            Self::Elementwise => "Elementwise",
            Self::Optimizer => "Optimizer",
            Self::Other => "Other kernels",
            Self::TensorParallel => "Tensor-parallel communication",
            Self::ContextParallel => "Context-parallel communication",
            Self::ExpertParallel => "Expert-parallel communication",
            Self::Pipeline => "Pipeline communication",
            Self::DataParallel => "Data-parallel communication",
            Self::Collectives => "Collectives of unnamed groups",
            Self::Copies => "Copies",
            Self::Idle => "Idle",
        }
    }

    /// Returns true for activities of compute kernels.
    pub const fn computes(self) -> bool {
        (self as usize) < Self::TensorParallel as usize
    }

    /// Returns true for activities of communication kernels.
    pub const fn communicates(self) -> bool {
        !self.computes() && (self as usize) < Self::Copies as usize
    }
}
