//! The kernel that a serving engine chooses where its device has several for the same work.

use super::{Attention, Cost, Experts, Matmul, Precision, System, Work};

impl System {
    /// Cost of one execution of some work in the fastest kernel that accepts its operands.
    ///
    /// The kernels measured for experts in 8 bits with one scale per token and for latent caches in 8 bits are slower on
    /// Hopper than those for wider operands: a property of the engine that they were measured in. An engine has the
    /// kernels for wider operands too, so that a narrower format is never the slower one here.
    ///
    /// Blackwell Ultra and Rubin multiply 8-bit integers more slowly than 16-bit operands, so engines widen the integers.
    ///
    /// The kernel measured for latent attention of prompts on Hopper attends to the latent itself. Engines use it for prompts
    /// whose beginning is cached, and expand keys and values of others: the whole layer of DeepSeek-V3 with 16 heads and 16,384
    /// tokens takes 2.7 ms in SGLang on H200, that kernel alone 7.8 ms.
    pub fn cost_chosen(&self, work: &Work) -> Cost {
        let own = self.cost(work);
        let faster = |best: Cost, other: Work| self.cost(&other).or_faster(best);
        match *work {
            Work::Matmul(matmul) => self.widened(&matmul).map_or(own, |other| faster(own, other)),
            Work::Experts(experts) if matches!(experts.precision, Precision::Fp8 | Precision::Int8) => {
                [Precision::Fp8Block, Precision::Bf16].into_iter().fold(own, |best, precision| {
                    faster(best, Work::Experts(Experts { precision, ..experts }))
                })
            }
            Work::Attention(attention) if attention.is_latent() => {
                let kv_element = Precision::Bf16.element();
                let best = if attention.is_narrow() {
                    faster(own, Work::Attention(Attention { kv_element, ..attention }))
                } else {
                    own
                };
                self.expanded(&attention).map_or(best, |expanded| expanded.or_faster(best))
            }
            _ => own,
        }
    }

    /// The multiply with 16-bit operands, if the device multiplies those faster than the multiply's integers.
    pub(super) fn widened(&self, matmul: &Matmul) -> Option<Work> {
        let slower = matmul.precision == Precision::Int8
            && self.device.peak(Precision::Int8) < self.device.peak(Precision::Bf16);
        slower.then_some(Work::Matmul(Matmul { precision: Precision::Bf16, ..*matmul }))
    }
}
