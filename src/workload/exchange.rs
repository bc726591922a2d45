//! Context parallelism on one GPU: the exchange of keys and values, or of heads, around attention.

use super::context::ContextKind;
use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use crate::system::{AllReduce, Collective, Operation, Work};
use crate::units::Bytes;

/// Widths of attention's tensors, in elements per token and GPU of the tensor-parallel group.
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
    /// Parts into which one tensor-parallel GPU's heads are divided during attention: the context group's size with
    /// Ulysses, otherwise 1.
    pub(super) fn head_parts(&self) -> f64 {
        match self.mesh.exchange {
            ContextKind::Ulysses => f64::from(self.mesh.context.size),
            _ => 1.0,
        }
    }

    /// Collectives before attention: keys and values of the other sequence parts, or with Ulysses an all-to-all to whole
    /// sequences of a part of the heads.
    pub(super) fn exchange(&self, widths: Widths, visit: &mut dyn FnMut(Operator)) {
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

    /// Collective after attention: with Ulysses, the all-to-all that returns the output to sequence parts.
    pub(super) fn restore(&self, widths: Widths, visit: &mut dyn FnMut(Operator)) {
        if self.mesh.exchange == ContextKind::Ulysses {
            let elements = self.queries * widths.output;
            self.pass("Context-parallel all-to-all back", Operation::AllToAll, elements, visit);
        }
    }

    fn pass(&self, name: &'static str, operation: Operation, elements: f64, visit: &mut dyn FnMut(Operator)) {
        let group = self.mesh.context;
        if group.size <= 1 {
            return;
        }
        let bytes = Bytes::new(self.batch * elements * ACTIVATION);
        let collective = Collective { operation, bytes, group, algorithm: AllReduce::Library };
        visit(Operator { name, work: Work::Collective(collective), role: Role::Core });
    }

    /// Working memory of context parallelism for the running layer: keys and values of whole sequences and their
    /// gradients, or one part of both in transfer.
    pub fn context_buffers(&self) -> Bytes {
        let parts = f64::from(self.mesh.context.size);
        if parts <= 1.0 {
            return Bytes::ZERO;
        }
        let whole = Bytes::new(2.0 * self.batch * self.keys * self.widest_cache() * ACTIVATION);
        match self.mesh.exchange {
            ContextKind::Gather => whole,
            ContextKind::Ring => whole / parts,
            ContextKind::Overlapped | ContextKind::Ulysses => Bytes::ZERO,
        }
    }
}
