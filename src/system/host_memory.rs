//! The host's memory and processor, for layers that an engine keeps there.

use super::{Cost, System, Work};
use crate::units::{Bandwidth, Bytes, FlopRate, Flops, Seconds};

/// Share of the nominal bandwidth of host memory that decoding on the CPU reaches: 3.54 tokens/s of Qwen2.5-Coder-32B
/// (Q4_K_M, 19.4 GB without the embedding) from two channels of DDR5-5600, nominally 89.6 GB/s (ggml-org/llama.cpp#19480,
/// a Ryzen AI 9 HX PRO 370). Mixtral-8x7B in Q8_0 reaches 0.80 of DDR5-3600 on a Ryzen 9 7950X and 0.85 of DDR4-3600 on a
/// 5900X (ggml-org/llama.cpp#4716). Others are assumed to reach the same.
pub(crate) const SUSTAINED: f64 = 0.77;

/// Rate at which the CPU multiplies, an assumption: 32-bit multiply-adds of 16 Zen 5 cores at 4.5 GHz, 32 operations per
/// core and cycle. It limits only steps of many tokens.
const CPU: FlopRate = FlopRate::from_tera(2.3);

/// Memory of the machine that an accelerator is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostMemory {
    /// Capacity.
    pub capacity: Bytes,
    /// Nominal bandwidth.
    pub bandwidth: Bandwidth,
}

impl HostMemory {
    /// Capacity of a desktop with two modules of 32 GiB, GiB.
    pub const DESKTOP_GIB: f64 = 64.0;
    /// Bandwidth of two channels of 64 bits of DDR5-5600: 2 x 8 bytes at 5,600 MT/s, GB/s.
    pub const DESKTOP_GB_S: f64 = 89.6;
    /// Memory that the operating system and other programs take: an assumption.
    pub const RESERVE: Bytes = Bytes::from_gib(4.0);
}

impl Default for HostMemory {
    fn default() -> Self {
        Self {
            capacity: Bytes::from_gib(Self::DESKTOP_GIB),
            bandwidth: Bandwidth::from_gb(Self::DESKTOP_GB_S),
        }
    }
}

impl Work {
    /// Weights, cached keys and values, and states that the work reads; activations of few tokens stay in caches. Of
    /// experts, those that uniformly routed tokens reach.
    pub fn stored(&self) -> Bytes {
        match self {
            Self::Matmul(matmul) => matmul.weights(),
            Self::Experts(experts) => experts.weights() * (experts.local * experts.reached()),
            Self::Attention(attention) => attention.cache(),
            Self::Scan(scan) => scan.states,
            _ => Bytes::ZERO,
        }
    }

    /// Operations of the work on matrices and states.
    fn multiplies(&self) -> Flops {
        match self {
            Self::Matmul(matmul) => matmul.flops(),
            Self::Experts(experts) => experts.flops(),
            Self::Attention(attention) => attention.flops(),
            Self::Scan(scan) => scan.products + scan.elementwise,
            _ => Flops::ZERO,
        }
    }
}

impl System {
    /// Cost of some work on the CPU: what it reads at the sustained bandwidth of host memory, or its operations.
    pub fn cost_on_host(&self, work: &Work) -> Cost {
        let (bytes, flops) = (work.stored(), work.multiplies());
        let dram = bytes / (self.host.bandwidth * self.assumptions.host_memory);
        let compute = flops / CPU;
        Cost { flops, bytes, dram, compute, time: dram.max(compute), ..Cost::default() }.bounded()
    }

    /// Cost of a copy from host memory to the device; no time without a link.
    pub fn cost_of_copy(&self, bytes: Bytes) -> Cost {
        let time: Seconds = self.swap(Bytes::ZERO, bytes);
        Cost { bytes, network: time, time, ..Cost::default() }.bounded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::accelerator;
    use crate::system::{Arrival, AssumptionSet, Experts, Load, Matmul, Precision};

    fn system(set: AssumptionSet) -> System {
        System::new(accelerator("rtx-4090").expect("a device"), set)
    }

    #[test]
    fn a_matrix_is_read_at_the_sustained_bandwidth() {
        let (m, n, k) = (1.0, 4096.0, 8192.0);
        let work = Work::Matmul(Matmul { m, n, k, count: 1.0, precision: Precision::Bf16, output: 2.0 });
        let bytes = 2.0 * 4096.0 * 8192.0;
        let cost = system(AssumptionSet::Calibrated).cost_on_host(&work);
        assert_eq!(cost.bytes, Bytes::new(bytes));
        assert!((cost.time.get() / (bytes / (89.6e9 * 0.77)) - 1.0).abs() < 1e-12);
        let ideal = system(AssumptionSet::Ideal).cost_on_host(&work);
        assert!((ideal.time.get() / (bytes / 89.6e9) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_token_reads_the_experts_that_it_visits() {
        let experts = Experts {
            tokens: 1.0,
            hidden: 2048.0,
            width: 768.0,
            gates: 2.0,
            top_k: 8.0,
            experts: 128.0,
            local: 128.0,
            load: Load::Skewed,
            arrival: Arrival::Gathered,
            precision: Precision::Bf16,
        };
        let each = 3.0 * 2048.0 * 768.0 * 2.0;
        let read = |tokens| Work::Experts(Experts { tokens, ..experts }).stored().get() / each;
        assert!((read(1.0) - 8.0).abs() < 1e-9);
        // The second token finds an expert of the first with probability 8 / 128.
        assert!((read(2.0) - (16.0 - 8.0 * 8.0 / 128.0)).abs() < 1e-9);
        assert!(read(512.0) > 127.999 && read(512.0) <= 128.0);
    }

    #[test]
    fn copies_take_the_link() {
        let cost = system(AssumptionSet::Ideal).cost_of_copy(Bytes::new(31e9));
        assert!((cost.time.get() - 1.0).abs() < 1e-9, "{cost:?}");
    }
}
