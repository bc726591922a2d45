//! Launch mode of kernels.

/// Launch mode of kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Launch {
    /// A recorded sequence is replayed (CUDA graph): the host is out of the way.
    #[default]
    Graph,
    /// The host issues each kernel: none takes less time than that. Usual before 2024.
    Stream,
}

impl Launch {
    /// Both modes.
    pub const ALL: [Self; 2] = [Self::Graph, Self::Stream];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Graph => "Graph",
            Self::Stream => "One by one",
        }
    }
}
