//! Operators of a prediction module (MTP) before its layer: norms of hidden state and embedding, and their projection.

use super::kernels::{Cut, stream};
use super::layer::NORM_FLOPS;
use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use crate::catalog::layers::Prediction;
use crate::system::{Collective, Operation, Work};
use crate::units::Bytes;

impl Shard<'_> {
    /// All operators before a module's layer (DeepSeek-V3, arXiv 2412.19437, equation 21), for every token.
    ///
    /// Serving engines keep the projection whole on every GPU of the tensor group; Megatron-LM cuts its columns and gathers
    /// the result. Engines leave it in the format of the output head.
    pub fn joined(&self, visit: &mut dyn FnMut(Operator)) {
        let projection = Prediction::projection(self.architecture.hidden);
        let (rows, columns) = (projection.rows as f64, projection.columns as f64);
        stream("Prediction norms", self.local_tokens() * rows, 2.0, NORM_FLOPS, 2.0, visit);
        let parts = self.projection_parts();
        let precision = if self.fused { self.dense.for_head() } else { self.dense };
        self.multiply(projection.name, (columns / parts, rows), Cut::Columns, precision, visit);
        if parts > 1.0 && self.mesh.panels == 0 {
            let gather = Collective {
                operation: Operation::AllGather,
                bytes: Bytes::new(self.tokens() * columns * ACTIVATION),
                group: self.group,
                algorithm: self.all_reduce,
            };
            visit(Operator {
                name: "Prediction all-gather",
                work: Work::Collective(gather),
                role: Role::Plain,
            });
        }
    }

    /// What a module keeps for its backward pass beside its layer's activations: the input of the projection.
    pub fn joined_inputs(&self) -> Bytes {
        Bytes::new(self.local_tokens() * 2.0 * f64::from(self.architecture.hidden) * ACTIVATION)
    }

    /// GPUs of the tensor group over which the projection is cut.
    fn projection_parts(&self) -> f64 {
        if self.fused { 1.0 } else { self.tensor() }
    }
}
