//! What a GPU does, as far as a profile of its kernels tells it apart.

/// What a GPU does at a moment. Where several kernels run at once, the moment counts for the first of them in this
/// order, so that communication and copies count only where no kernel computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Matrix multiplies outside attention and experts.
    Matmul,
    /// Grouped matrix multiplies and routing of experts.
    Experts,
    /// The attention core.
    Attention,
    /// Elementwise kernels, norms, reductions and embeddings.
    Elementwise,
    /// The optimizer's updates.
    Optimizer,
    /// Kernels whose name says none of this.
    Other,
    /// Communication of the tensor-parallel group.
    TensorParallel,
    /// Communication of the context-parallel group.
    ContextParallel,
    /// Tokens on their way to experts and back.
    ExpertParallel,
    /// Messages between pipeline stages.
    Pipeline,
    /// Gradients and weights over the replicas.
    DataParallel,
    /// Collectives of a group without a name.
    Collectives,
    /// Copies and fills of memory.
    Copies,
    /// No kernel runs.
    Idle,
}

impl Activity {
    /// Number of activities.
    pub const COUNT: usize = 14;

    /// Every activity, in order.
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
            Self::Idle => "No kernel",
        }
    }

    /// Returns true if kernels of this activity compute.
    pub const fn computes(self) -> bool {
        (self as usize) < Self::TensorParallel as usize
    }

    /// Returns true if kernels of this activity communicate.
    pub const fn communicates(self) -> bool {
        !self.computes() && (self as usize) < Self::Copies as usize
    }
}
