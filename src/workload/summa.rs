//! Two-dimensional tensor parallelism: both operands of a multiply cut over a grid, multiplied in panels.
//!
//! SUMMA (van de Geijn and Watts 1997) as arXiv 2410.00273 has it: a grid of n₁ × n₂ GPUs, tokens cut over n₂ and
//! widths over n₁, weights over both. Of T × k by k × n a GPU multiplies its T/n₂ rows by its n/n₁ columns over all k,
//! for which panels of the first operand are broadcast over n₁ and panels of the second over n₂.

use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use crate::catalog::architecture::Norm;
use crate::system::{AllReduce, Collective, Group, Matmul, Operation, Panels, Precision, Work};
use crate::units::Bytes;

impl Shard<'_> {
    /// GPUs that hold a part each of every matrix.
    pub(super) fn matrix_parts(&self) -> f64 {
        let rows = if self.mesh.panels > 0 { f64::from(self.mesh.context.size) } else { 1.0 };
        self.tensor() * rows
    }

    /// A multiply of this GPU's tokens into its `n` columns, over all `k`.
    pub(super) fn panelled(
        &self,
        name: &'static str,
        (n, k): (f64, f64),
        precision: Precision,
        visit: &mut dyn FnMut(Operator),
    ) {
        let panels = f64::from(self.mesh.panels);
        let m = self.tokens();
        let multiply = Matmul { m, n, k: k / panels, count: 1.0, precision, output: ACTIVATION };
        let broadcast = |elements: f64, group: Group| Collective {
            operation: Operation::Broadcast,
            bytes: Bytes::new(elements * ACTIVATION),
            group,
            algorithm: AllReduce::Library,
        };
        let moves = [broadcast(m * k, self.group), broadcast(k * n, self.mesh.context)];
        let panels = Panels { multiply, panels, moves };
        visit(Operator { name, work: Work::Panels(panels), role: Role::Plain });
        visit(Operator { name: "Panel broadcasts", work: Work::Broadcasts(panels), role: Role::Plain });
    }

    /// Norms over a width that is cut sum their statistics over the group: mean and variance, or one of them.
    pub(super) fn statistics(&self, visit: &mut dyn FnMut(Operator)) {
        if self.mesh.panels == 0 || self.group.size <= 1 {
            return;
        }
        let each = if self.architecture.norm == Norm::Layernorm { 2.0 } else { 1.0 };
        let collective = Collective {
            operation: Operation::AllReduce,
            bytes: Bytes::new(self.tokens() * each * ACTIVATION),
            group: self.group,
            algorithm: AllReduce::Library,
        };
        visit(Operator { name: "Norm statistics", work: Work::Collective(collective), role: Role::Plain });
    }
}
