//! Cost of an operator in a server: that of the device's kernels, changed as the engine's own kernels and launches are.

use super::job::InferenceJob;
use super::launch::Launch;
use super::multiplies::Multiply;
use crate::system::{Columns, Cost, Work};
use crate::workload::Operator;

impl InferenceJob<'_> {
    /// Cost of an operator in a step with or without prompts.
    pub(super) fn cost(&self, operator: &Operator, prompts: bool) -> Cost {
        let cost = self.sustained(&operator.work);
        let cost = match self.load.launch {
            Launch::Graph => cost,
            Launch::Stream => self.system.issued(cost, &operator.work),
        };
        let (overheads, device) = (&self.overheads, &self.system.device);
        // An engine's kernels are costed by the device's own rates, and slowed as all kernels are.
        let slower = self.system.assumptions.corrections.kernels;
        let own = cost.slowed(slower.recip());
        let even = |tokens| Columns { tokens, uneven: false };
        let (precision, rows, columns) = match (operator.work, &overheads.masked) {
            (Work::Attention(attention), Some(masked)) if attention.queries <= 1.0 => {
                return masked.cost(&attention, device, own).slowed(slower);
            }
            (Work::Matmul(matmul), _) if !operator.is_core() => (matmul.precision, matmul.m, even(matmul.m)),
            (Work::Experts(experts), _) => (experts.precision, experts.tokens, experts.columns()),
            _ => return cost,
        };
        let overlap = self.system.assumptions.matmul.of(precision, device).overlap;
        let multiply = Multiply { precision, rows, columns, library: own, overlap, device };
        let cost = if prompts {
            overheads.multiplies.prefill(&multiply)
        } else {
            overheads.multiplies.decode(&multiply)
        };
        cost.slowed(slower)
    }

    /// The cost of work in a server. A tensor group's kernels run back to back beside collectives, as in training, whose
    /// slow-down of 16-bit arithmetic they share. No row shows it for attention replicas of one GPU.
    fn sustained(&self, work: &Work) -> Cost {
        if self.load.tensor > 1 {
            self.system.cost_chosen_sustained(work)
        } else {
            self.system.cost_chosen(work)
        }
    }
}
