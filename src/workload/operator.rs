//! One operator, and the operators of its backward pass.

use crate::system::{Attention, Collective, Matmul, Operation, Scan, Stream, Work};

/// A named piece of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operator {
    /// Label on the page, e.g. `QKV projection`.
    pub name: &'static str,
    /// The work of the operator.
    pub work: Work,
    /// Class of the operator for selective recomputation.
    pub role: Role,
}

/// Classes of operators for selective recomputation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// All other operators.
    Plain,
    /// Part of the attention core, which selective recomputation repeats.
    Core,
    /// Norms, activation functions and up-projections of latents, whose outputs are large relative to their FLOPs.
    Expansion,
}

/// Bytes that the weight-gradient multiply moves per element of its output: it reads and writes a 32-bit sum
/// over microbatches.
const WEIGHT_GRADIENT_BYTES: f64 = 8.0;

impl Operator {
    /// Returns true if the operator is part of the attention core.
    pub fn is_core(&self) -> bool {
        self.role == Role::Core
    }

    /// The operator with the role [`Role::Expansion`]; collectives are returned unchanged.
    #[must_use]
    pub fn expanding(self) -> Self {
        match self.work {
            Work::Matmul(_) | Work::Panels(_) | Work::Stream(_) => Self { role: Role::Expansion, ..self },
            _ => self,
        }
    }

    /// An elementwise operator without a backward pass; any other operator as it is.
    #[must_use]
    pub fn forward_only(self) -> Self {
        match self.work {
            Work::Stream(stream) => Self { work: Work::Stream(Stream { backward: 0.0, ..stream }), ..self },
            _ => self,
        }
    }

    /// Visits the operators of this operator's backward pass.
    ///
    /// A matrix multiply becomes two (the gradient of its input, and of its weight or second operand), a
    /// collective its adjoint: all-gather and reduce-scatter change places. A ring that passes keys and values passes
    /// them again, and their gradients the other way. Weights that are `frozen` have no gradient.
    pub fn backward(&self, frozen: bool, visit: &mut dyn FnMut(Self)) {
        match self.work {
            Work::Matmul(matmul) => {
                let input = Matmul { n: matmul.k, k: matmul.n, ..matmul };
                visit(Self { work: Work::Matmul(input), ..*self });
                if frozen && !self.is_core() {
                    return;
                }
                // A product of two activations has no weight whose gradient is summed over microbatches.
                let output = if self.is_core() { matmul.output } else { WEIGHT_GRADIENT_BYTES };
                let weight = Matmul { m: matmul.k, k: matmul.m, output, ..matmul };
                visit(Self { work: Work::Matmul(weight), ..*self });
            }
            Work::Attention(attention) => {
                let gradient = Attention { backward: true, ..attention };
                visit(Self { work: Work::Attention(gradient), ..*self });
            }
            Work::Experts(_) => {
                // No fused backward kernel is published. It is costed as two forward kernels, for the gradients of
                // inputs and of weights. Training runs its experts as matrix multiplies, which have their own rule.
                visit(*self);
                visit(*self);
            }
            Work::Stream(stream) => {
                let scaled = Stream {
                    bytes: stream.bytes * stream.backward,
                    flops: stream.flops * stream.backward,
                    ..stream
                };
                // // A residual without dropout passes its gradient on unchanged.
                if stream.backward > 0.0 {
                    visit(Self { work: Work::Stream(scaled), ..*self });
                }
            }
            Work::Collective(ring) if self.is_core() && ring.operation == Operation::AllGather => {
                visit(*self);
                let gradients = Collective { operation: Operation::ReduceScatter, ..ring };
                visit(Self { work: Work::Collective(gradients), ..*self });
            }
            Work::Collective(ring) if ring.operation == Operation::Ring => {
                // Gradients travel with the keys and values that they belong to, and one step further: home.
                visit(*self);
                visit(*self);
                let home = Collective {
                    operation: Operation::SendReceive,
                    bytes: ring.bytes / f64::from(ring.group.size),
                    group: ring.group.neighbours(),
                    ..ring
                };
                visit(Self { work: Work::Collective(home), ..*self });
            }
            Work::Panels(panels) | Work::Broadcasts(panels) => {
                let [input, weight] = panels.gradients(WEIGHT_GRADIENT_BYTES);
                let of = |panels| match self.work {
                    Work::Panels(_) => Work::Panels(panels),
                    _ => Work::Broadcasts(panels),
                };
                visit(Self { work: of(input), ..*self });
                if !frozen {
                    visit(Self { work: of(weight), ..*self });
                }
            }
            Work::Scan(scan) => visit(Self { work: Work::Scan(Scan { backward: true, ..scan }), ..*self }),
            Work::Exchange(_) => visit(*self),
            // The gradients of queries and of keys take a multiply each.
            Work::IndexScores(_) => {
                visit(*self);
                visit(*self);
            }
            // The selection of keys has no gradient.
            Work::Selection(_) => {}
            Work::Collective(collective) => {
                let operation = match collective.operation {
                    Operation::AllGather => Operation::ReduceScatter,
                    Operation::ReduceScatter => Operation::AllGather,
                    other => other,
                };
                visit(Self { work: Work::Collective(Collective { operation, ..collective }), ..*self });
            }
        }
    }
}
