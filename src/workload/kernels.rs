//! The kernels that a layer consists of: multiplies by weights, elementwise kernels, collectives of the tensor group.

use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use crate::system::{Collective, Matmul, Operation, Precision, Stream, Work};
use crate::units::{Bytes, Flops};

/// Side of a matrix that the tensor-parallel group shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Output features, so that each member has a part of the result; or none where every member has the matrix.
    Columns,
    /// Input features, so that the members' results are to be summed.
    Rows,
}

impl Shard<'_> {
    /// A multiply by a matrix outside of the routed experts.
    pub(super) fn matmul(
        &self,
        name: &'static str,
        n: f64,
        k: f64,
        cut: Cut,
        visit: &mut dyn FnMut(Operator),
    ) {
        self.multiply(name, (n, k), cut, self.dense, visit);
    }

    /// A multiply of the tokens by this GPU's part of a matrix, k × n where the tensor group cuts one side of it.
    pub(super) fn multiply(
        &self,
        name: &'static str,
        (n, k): (f64, f64),
        cut: Cut,
        precision: Precision,
        visit: &mut dyn FnMut(Operator),
    ) {
        if self.mesh.panels > 0 {
            let whole = match cut {
                Cut::Columns => (n, k),
                Cut::Rows => (n / self.tensor(), k * self.tensor()),
            };
            return self.panelled(name, whole, precision, visit);
        }
        let matmul = Matmul { m: self.tokens(), n, k, count: 1.0, precision, output: ACTIVATION };
        visit(Operator { name, work: Work::Matmul(matmul), role: Role::Plain });
    }

    /// Communication before a block: with sequence parallelism the tokens are gathered.
    pub(super) fn enter(&self, visit: &mut dyn FnMut(Operator)) {
        if self.sequence_parallel {
            self.communicate("Tensor-parallel all-gather", Operation::AllGather, visit);
        }
    }

    /// Communication after a block: partial sums are added up.
    pub(super) fn leave(&self, visit: &mut dyn FnMut(Operator)) {
        if self.sequence_parallel {
            self.communicate("Tensor-parallel reduce-scatter", Operation::ReduceScatter, visit);
        } else {
            self.communicate("Tensor-parallel all-reduce", Operation::AllReduce, visit);
        }
    }

    pub(super) fn communicate(
        &self,
        name: &'static str,
        operation: Operation,
        visit: &mut dyn FnMut(Operator),
    ) {
        // With panels, operands are communicated instead of whole results.
        if self.group.size <= 1 || self.mesh.panels > 0 {
            return;
        }
        let bytes = Bytes::new(self.tokens() * f64::from(self.architecture.hidden) * ACTIVATION);
        let work =
            Work::Collective(Collective { operation, bytes, group: self.group, algorithm: self.all_reduce });
        visit(Operator { name, work, role: Role::Plain });
    }
}

/// A kernel over 16-bit elements: how often each is read or written, operations, backward traffic.
pub(super) fn stream(
    name: &'static str,
    elements: f64,
    accesses: f64,
    flops: f64,
    backward: f64,
    visit: &mut dyn FnMut(Operator),
) {
    let work = Work::Stream(Stream {
        bytes: Bytes::new(elements * accesses * ACTIVATION),
        flops: Flops::new(elements * flops),
        backward,
    });
    visit(Operator { name, work, role: Role::Plain });
}
