//! Context parallelism: how the GPUs that share a sequence get at each other's keys and values.

use serde::{Deserialize, Serialize};

use super::layer::Shard;
use super::operator::Operator;
use crate::system::{AllReduce, Collective, Operation, Work};
use crate::units::Bytes;

/// How keys and values reach the queries of other GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextKind {
    /// Gathered while attention works on what has arrived: all but the first part of it hides them.
    #[default]
    Overlapped,
    /// Gathered whole before attention begins, which nothing hides (Llama 3, arXiv 2407.21783, section 3.3.2; the
    /// "seqp" of arXiv 2410.00273).
    Gather,
    /// Passed from each GPU to the next, one part at a time, behind attention on the part before; queries are dealt
    /// out in a zigzag so that a causal mask leaves all GPUs as much (arXiv 2310.01889, 2311.09431).
    Ring,
    /// Queries, keys and values are exchanged for whole sequences of a part of the heads, and the output back
    /// (DeepSpeed Ulysses, arXiv 2309.14509). Nothing hides it.
    Ulysses,
}

impl ContextKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Overlapped, Self::Gather, Self::Ring, Self::Ulysses];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlapped => "Gathered behind attention",
            Self::Gather => "Gathered before attention",
            Self::Ring => "Ring",
            Self::Ulysses => "All-to-all of heads (Ulysses)",
        }
    }

    /// Whether attention on one part hides the next one's way.
    pub const fn hides(self) -> bool {
        matches!(self, Self::Overlapped | Self::Ring)
    }
}

/// Activations between kernels are 16-bit.
const ACTIVATION: f64 = 2.0;

/// Widths that attention works on, in elements per token and GPU of the tensor group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    /// All queries.
    pub(super) queries: f64,
    /// All keys and values.
    pub(super) cached: f64,
    /// The output.
    pub(super) output: f64,
}

impl Shard<'_> {
    /// Into how many parts the heads of a tensor-parallel GPU are dealt while attention runs.
    pub(super) fn head_parts(&self) -> f64 {
        match self.mesh.exchange {
            ContextKind::Ulysses => f64::from(self.mesh.context.size),
            _ => 1.0,
        }
    }

    /// What comes before attention: keys and values of the other parts, or whole sequences of a part of the heads.
    pub(super) fn exchange(&self, widths: Widths, visit: &mut impl FnMut(Operator)) {
        let Widths { queries, cached, .. } = widths;
        match self.mesh.exchange {
            ContextKind::Overlapped | ContextKind::Ring => {
                let ring = self.mesh.exchange == ContextKind::Ring;
                let operation = if ring { Operation::Ring } else { Operation::AllGather };
                self.pass("Context-parallel ring", operation, self.keys * cached, visit);
            }
            ContextKind::Gather => {
                let elements = self.keys * cached;
                self.pass("Context-parallel all-gather", Operation::AllGather, elements, visit);
            }
            ContextKind::Ulysses => {
                let elements = self.queries * (queries + cached);
                self.pass("Context-parallel all-to-all", Operation::AllToAll, elements, visit);
            }
        }
    }

    /// What comes after attention: with whole sequences, the output goes back.
    pub(super) fn restore(&self, widths: Widths, visit: &mut impl FnMut(Operator)) {
        if self.mesh.exchange == ContextKind::Ulysses {
            let elements = self.queries * widths.output;
            self.pass("Context-parallel all-to-all back", Operation::AllToAll, elements, visit);
        }
    }

    fn pass(
        &self,
        name: &'static str,
        operation: Operation,
        elements: f64,
        visit: &mut impl FnMut(Operator),
    ) {
        let group = self.mesh.context;
        if group.size <= 1 {
            return;
        }
        let bytes = Bytes::new(self.batch * elements * ACTIVATION);
        let collective = Collective { operation, bytes, group, algorithm: AllReduce::Library };
        visit(Operator { name, work: Work::Collective(collective), core: true });
    }

    /// What context parallelism needs beside kept activations, for the one layer that runs: keys and values of whole
    /// sequences and their gradients, or one part of both on its way.
    pub fn context_buffers(&self) -> Bytes {
        let parts = f64::from(self.mesh.context.size);
        if parts <= 1.0 {
            return Bytes::ZERO;
        }
        let whole = Bytes::new(2.0 * self.batch * self.keys * self.cached_width() * ACTIVATION);
        match self.mesh.exchange {
            ContextKind::Gather => whole,
            ContextKind::Ring => whole / parts,
            ContextKind::Overlapped | ContextKind::Ulysses => Bytes::ZERO,
        }
    }
}
