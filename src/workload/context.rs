//! Context parallelism: how keys and values reach the queries of other GPUs.

/// Exchange of keys and values between the GPUs of the context-parallel group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContextKind {
    /// Gathered during attention: attention on the parts that have arrived hides all but the first part.
    #[default]
    Overlapped,
    /// Gathered whole before attention begins, which nothing hides (Llama 3, arXiv 2407.21783, section 3.3.2; the
    /// "seqp" of arXiv 2410.00273).
    Gather,
    /// Ring: each GPU passes one part at a time to the next, behind attention on the previous part. Queries are
    /// distributed in a zigzag, so that a causal mask leaves all GPUs the same work (arXiv 2310.01889, 2311.09431).
    Ring,
    /// Queries, keys and values are exchanged for whole sequences of a part of the heads, and the output back
    /// (DeepSpeed Ulysses, arXiv 2309.14509). Nothing hides it.
    Ulysses,
}

impl ContextKind {
    /// All kinds of exchange.
    pub const ALL: [Self; 4] = [Self::Overlapped, Self::Gather, Self::Ring, Self::Ulysses];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlapped => "Gathered behind attention",
            Self::Gather => "Gathered before attention",
            Self::Ring => "Ring",
            Self::Ulysses => "All-to-all of heads (Ulysses)",
        }
    }

    /// Returns true if attention on one part hides the next one's way.
    pub const fn hides(self) -> bool {
        matches!(self, Self::Overlapped | Self::Ring)
    }
}
