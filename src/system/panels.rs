//! A multiply in panels, whose operands arrive by broadcasts while earlier panels are multiplied (SUMMA).

use super::{Bound, Collective, Cost, Matmul, Operation, System};
use crate::units::{Bytes, Flops, Seconds};

/// A multiply in panels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Panels {
    /// The multiply of one panel.
    pub multiply: Matmul,
    /// Number of panels.
    pub panels: f64,
    /// Communication of all panels together, one collective for each operand.
    pub moves: [Collective; 2],
}

impl Panels {
    /// Operations of all panels.
    pub fn flops(&self) -> Flops {
        self.multiply.flops() * self.panels
    }

    /// DRAM traffic of all panels: the result is written once for each.
    pub fn bytes(&self) -> Bytes {
        self.multiply.bytes() * self.panels
    }

    /// The multiplies for the gradients of both operands. For the first operand, panels of the second are broadcast and
    /// sums of the first are reduced; for the second, the other way around (arXiv 2410.00273). An element of a reduced
    /// sum has `output` bytes.
    pub(crate) fn gradients(&self, output: f64) -> [Self; 2] {
        let Matmul { m, n, k, .. } = self.multiply;
        let [first, second] = self.moves;
        let reduce = |moved| Collective { operation: Operation::Reduce, ..moved };
        [
            Self {
                multiply: Matmul { n: k, k: n, ..self.multiply },
                moves: [second, reduce(first)],
                ..*self
            },
            Self {
                multiply: Matmul { m: k, n, k: m, output, ..self.multiply },
                moves: [first, reduce(second)],
                ..*self
            },
        ]
    }
}

impl System {
    /// The multiplies of all panels, one kernel after another.
    pub(super) fn panels(&self, panels: &Panels) -> Cost {
        self.panels_slower(panels, 1.0)
    }

    /// These multiplies if their arithmetic takes longer by a factor than in a benchmark.
    pub(super) fn panels_slower(&self, panels: &Panels, slowdown: f64) -> Cost {
        let Cost { flops, bytes, time, compute, dram, l2, launch, bound, .. } =
            self.matmul_slower(&panels.multiply, slowdown);
        let times = panels.panels;
        Cost {
            flops: flops * times,
            bytes: bytes * times,
            time: time * times,
            compute: compute * times,
            dram: dram * times,
            l2: l2 * times,
            launch: launch * times,
            bound,
            ..Cost::default()
        }
    }

    /// Exposed time of the broadcasts: that of the first panel, and of each later panel the part that outlasts the
    /// multiply of the panel before it.
    pub(super) fn broadcasts(&self, panels: &Panels) -> Cost {
        let one = |moved: &Collective| {
            self.network.collective(&Collective { bytes: moved.bytes / panels.panels, ..*moved })
        };
        let [first, second] = [one(&panels.moves[0]), one(&panels.moves[1])];
        let panel = first.time + second.time;
        let hidden = self.matmul(&panels.multiply).time * self.assumptions.corrections.kernels;
        let time = panel + (panel - hidden).max(Seconds::ZERO) * (panels.panels - 1.0);
        let bytes = (first.bytes + second.bytes) * panels.panels;
        Cost { bytes, time, network: time, bound: Bound::Network, ..Cost::default() }
    }
}
