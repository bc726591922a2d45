//! Operators outside the layers: the embedding, the output head with its loss or sampling, the optimizer step.

use super::operator::{Operator, Role};
use super::shard::Shard;
use crate::system::{Collective, Matmul, Operation, Stream, Work};
use crate::units::{Bytes, Flops};

/// Operations per parameter of an optimizer's step: an assumption, without effect as long as memory traffic limits the
/// step.
const OPTIMIZER_FLOPS: f64 = 16.0;

impl Shard<'_> {
    /// Looking up the microbatch's tokens.
    pub fn embedding(&self, visit: &mut dyn FnMut(Operator)) {
        if self.architecture.vocab == 0 {
            return;
        }
        let elements = self.tokens() * f64::from(self.architecture.hidden);
        let work =
            Work::Stream(Stream { bytes: Bytes::new(elements * 4.0), flops: Flops::ZERO, backward: 2.0 });
        visit(Operator { name: "Embedding", work, role: Role::Plain });
    }

    /// The final norm, the projection to the vocabulary and the loss over it, for `tokens` positions.
    pub fn head(&self, tokens: f64, visit: &mut dyn FnMut(Operator)) {
        if self.architecture.vocab == 0 {
            return;
        }
        let hidden = f64::from(self.architecture.hidden);
        let local = f64::from(self.architecture.vocab) / self.tensor();
        let norm = Stream {
            bytes: Bytes::new(tokens * hidden * 4.0),
            flops: Flops::new(tokens * hidden * 9.0),
            backward: 2.0,
        };
        visit(Operator { name: "Final norm", work: Work::Stream(norm), role: Role::Plain });
        let precision = self.dense.for_head();
        if self.mesh.panels > 0 {
            self.panelled("Output head", (local, hidden), precision, visit);
        } else {
            let head = Matmul { m: tokens, n: local, k: hidden, count: 1.0, precision, output: 2.0 };
            visit(Operator { name: "Output head", work: Work::Matmul(head), role: Role::Plain });
        }
        // Maximum, exponential sum and logarithm over 32-bit logits; backward writes the gradient.
        let logits = tokens * local;
        let loss =
            Stream { bytes: Bytes::new(logits * 10.0), flops: Flops::new(logits * 5.0), backward: 0.8 };
        visit(Operator { name: "Softmax over the vocabulary", work: Work::Stream(loss), role: Role::Plain });
        if self.group.size > 1 {
            let scalars = Collective {
                operation: Operation::AllReduce,
                bytes: Bytes::new(tokens * 4.0),
                group: self.group,
                algorithm: self.all_reduce,
            };
            visit(Operator {
                name: "Vocabulary all-reduce",
                work: Work::Collective(scalars),
                role: Role::Plain,
            });
        }
    }
}

/// An optimizer's step that reads and writes `traffic` bytes for each of `parameters`.
pub fn optimizer_step(parameters: f64, traffic: Bytes) -> Operator {
    let work = Work::Stream(Stream {
        bytes: traffic * parameters,
        flops: Flops::new(parameters * OPTIMIZER_FLOPS),
        backward: 0.0,
    });
    Operator { name: "Optimizer step", work, role: Role::Plain }
}
