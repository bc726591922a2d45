//! Constants of collectives: start, step and hop times, and the fractions of link bandwidths that they reach.

use super::constants::constants;
use super::corrections::Corrections;
use super::norm::LARGEST;
use crate::catalog::{self, Accelerator};
use crate::units::{Bytes, Seconds};

/// Constants of collectives beyond the links' nominal bandwidths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConstants {
    /// Inside a domain.
    pub scale_up: ScaleUpConstants,
    /// Constants of links between domains.
    pub scale_out: ScaleOutConstants,
    /// A serving engine's own all-reduce inside a domain.
    pub direct: DirectConstants,
    /// Constants of reductions in switches.
    pub switch: SwitchConstants,
    /// PCIe as the scale-up links.
    pub pcie: PcieConstants,
    /// Trees inside a domain, for messages whose latency binds.
    pub tree: TreeConstants,
    /// Kernels that bring tokens to their experts.
    pub exchange: ExchangeConstants,
}

constants! {
    /// Rings inside a domain.
    ScaleUpConstants {
        /// Time that starting takes.
        start: Seconds = 0.0, 1e-6..=3e-5 "s", fitted;
        /// Time per step of the ring.
        step: Seconds = 0.0, 5e-8..=5e-6 "s", fitted;
        /// Fraction of the link bandwidth that long messages reach in a large group.
        efficiency: f64 = 1.0, 0.2..=1.2 "", fitted;
        /// Loss of that efficiency in a group of n, times n: the local copy, for gathers and scatters.
        gather_loss: f64 = 0.0, 0.01..=0.95 "", fitted;
        /// Loss of efficiency in a group of n, times n, for all-reduces.
        reduce_loss: f64 = 0.0, 0.01..=0.95 "", fitted;
        /// Ramp of transfers: a transfer of time t takes t + √(ramp × t).
        ramp: Seconds = 0.0, 1e-10..=4e-4 "s", fitted;
    }
}

constants! {
    /// Rings and trees between domains.
    ScaleOutConstants {
        /// Time that starting takes.
        start: Seconds = 0.0, 1e-6..=1e-4 "s", fitted;
        /// Time per hop between domains.
        hop: Seconds = 0.0, 1e-6..=3e-5 "s", fitted;
        /// Time per further member inside a domain.
        inner_hop: Seconds = 0.0, 2e-8..=5e-6 "s", fitted;
        /// Latency that a long chunk adds to a ring step between domains, beyond its transfer time.
        chunk_step: Seconds = 0.0, 1e-7..=2e-4 "s", fitted;
        /// Latency that a long chunk adds to a ring step inside a domain, as bytes at the scale-up bandwidth, to which it is
        /// inversely proportional.
        inner_chunk: Bytes = 0.0, 1e4..=1e8 "B", fitted;
        /// Chunk that adds half of these latencies. They are proportional to the chunk size up to twice this size; longer chunks
        /// are pipelined.
        chunk: Bytes = 0.0, 1e3..=1e7 "B", fitted;
        /// Exponent that joins a ring's latency and transfer: 1 adds, infinity takes the larger.
        overlap: f64 = LARGEST, 1.0..=6.0 "", fitted;
        /// Time per level of a tree.
        level: Seconds = 0.0, 5e-6..=2e-4 "s", fitted;
        /// Time per level that a long message adds.
        long_level: Seconds = 0.0, 1e-6..=4e-4 "s", fitted;
        /// Message at which that is half felt.
        long: Bytes = 0.0, 1e4..=1e8 "B", fitted;
        /// Fraction of the link bandwidth that long messages reach.
        efficiency: f64 = 1.0, 0.3..=1.2 "", fitted;
        /// Loss of that efficiency with one member per domain; with g members it is 1/g of this.
        lone_loss: f64 = 0.0, 0.01..=0.8 "", fitted;
    }
}

constants! {
    /// One-shot and two-shot all-reduce over peers' memory.
    DirectConstants {
        /// Time that starting takes.
        start: Seconds = 0.0, 5e-7..=3e-5 "s", fitted;
        /// Time per peer.
        peer: Seconds = 0.0, 5e-9..=3e-6 "s", fitted;
        /// Fraction of the link bandwidth when each member reads all others.
        one_shot: f64 = 1.0, 0.05..=1.5 "", fitted;
        /// Time that the second phase of the two-shot form takes to start.
        second: Seconds = 0.0, 1e-7..=3e-5 "s", fitted;
        /// Fraction of the link bandwidth in the two-shot form.
        two_shot: f64 = 1.0, 0.05..=1.5 "", fitted;
        /// Largest message that engines send this way.
        limit: Bytes = 0.0, 0.0..=1e9 "B", given;
    }
}

constants! {
    /// All-reduces inside switches (NVLink SHARP, SHARP).
    SwitchConstants {
        /// Time that every one between domains takes.
        start: Seconds = 0.0, 0.0..=2e-4 "s", given;
        /// Fraction of the scale-up bandwidth that they reach in a domain; 0 if the measured constants include them
        /// already.
        inside: f64 = 1.0, 0.0..=1.2 "", given;
        /// Time that every one in a domain takes, where nothing else is allowed.
        multicast_start: Seconds = 0.0, 0.0..=2e-4 "s", given;
        /// Fraction of the scale-up bandwidth that they then reach.
        multicast: f64 = 1.0, 0.01..=1.2 "", given;
    }
}

constants! {
    /// GPUs of a server that are joined by PCIe: their transfers share the ports of switches and processors.
    PcieConstants {
        /// Fraction of the calibrated bandwidth of collectives that two GPUs reach.
        pair: f64 = 1.0, 0.02..=1.0 "", given;
        /// Fraction of it that each GPU of a larger group reaches.
        several: f64 = 1.0, 0.02..=1.0 "", given;
    }
}

impl PcieConstants {
    /// The constants of a device's links: 1 unless they are PCIe. A question with faster links than the catalogue's has bridges.
    pub(super) fn of(accelerator: &Accelerator) -> Self {
        let links = &accelerator.scale_up;
        let own = catalog::accelerator(&accelerator.id).map_or(links.gb_s, |device| device.scale_up.gb_s);
        let shared = links.technology.starts_with("PCIe") && links.gb_s <= own;
        if shared { PCIE } else { Self::ideal() }
    }

    /// Fraction of the bandwidth that members of a group of `size` reach.
    pub(super) fn share(&self, size: f64) -> f64 {
        if size > 2.0 { self.several } else { self.pair }
    }
}

/// `pair`: all-reduces of NCCL, TensorRT-LLM and vLLM over two L40S reach 19 to 20 of 31 GB/s (ai-dynamo/aiconfigurator@095f58a).
/// `several`: 20 of 154 published throughputs of TensorRT-LLM on four and eight L40S and A100 PCIe (`make engines`); the others
/// are 9.7 % off. Servers differ: in that of the first table four GPUs reach 5 GB/s, and
/// eight 2.
const PCIE: PcieConstants = PcieConstants { pair: 0.9, several: 0.631 };

constants! {
    /// Double binary trees of all-reduces inside a domain.
    TreeConstants {
        /// Latency of one level, up or down; 0 where the library has no trees of its own there.
        level: Seconds = 0.0, 0.0..=1e-4 "s", given;
    }
}

constants! {
    /// One-sided kernels that bring tokens to the GPUs of their experts, and results back.
    ExchangeConstants {
        /// Time that a low-latency kernel takes to start.
        start: Seconds = 0.0, 1e-6..=1e-4 "s", fitted;
        /// Fraction of the scale-up bandwidth that a low-latency kernel reaches.
        efficiency: f64 = 1.0, 0.05..=1.0 "", fitted;
        /// Time that a throughput kernel takes to start.
        bulk_start: Seconds = 0.0, 1e-6..=2e-4 "s", fitted;
        /// Fraction of the scale-up bandwidth that a throughput kernel reaches.
        bulk_efficiency: f64 = 1.0, 0.05..=1.0 "", fitted;
        /// Least time that a kernel between domains takes to start.
        between_start: Seconds = 0.0, 1e-6..=2e-4 "s", given;
        /// Fraction of the scale-out bandwidth that kernels reach between domains.
        between: f64 = 1.0, 0.1..=1.0 "", given;
    }
}

impl LinkConstants {
    /// These constants where links reach another share of their bandwidth, and collectives take longer to start.
    #[must_use]
    pub(super) fn corrected(mut self, &Corrections { links, starts, .. }: &Corrections) -> Self {
        let Self { scale_up, scale_out, direct, switch, pcie: _, tree, exchange } = &mut self;
        for share in [
            &mut scale_up.efficiency,
            &mut scale_out.efficiency,
            &mut direct.one_shot,
            &mut direct.two_shot,
            &mut switch.inside,
            &mut switch.multicast,
            &mut exchange.efficiency,
            &mut exchange.bulk_efficiency,
            &mut exchange.between,
        ] {
            // The achieved bandwidth is limited to the link's bandwidth.
            *share = (*share * links).min(share.max(1.0));
        }
        for time in [
            &mut scale_up.start,
            &mut scale_up.step,
            &mut scale_up.ramp,
            &mut scale_out.start,
            &mut scale_out.hop,
            &mut scale_out.inner_hop,
            &mut scale_out.chunk_step,
            &mut scale_out.level,
            &mut scale_out.long_level,
            &mut direct.start,
            &mut direct.peer,
            &mut direct.second,
            &mut switch.start,
            &mut switch.multicast_start,
            &mut tree.level,
            &mut exchange.start,
            &mut exchange.bulk_start,
            &mut exchange.between_start,
        ] {
            *time = *time * starts;
        }
        self
    }
}

impl ExchangeConstants {
    /// Constants between domains of DeepEP's low-latency kernels, as published over 16 to 256 H800 with 400 Gb/s each:
    /// 118 to 194 µs for dispatch and 195 to 369 µs for combine. A latency of 25 µs and 0.87 of the link bandwidth
    /// reproduce them within 15 % (deepseek-ai/DeepEP@dd758ca, docs/legacy.md).
    #[must_use]
    pub fn deep_ep(self) -> Self {
        Self { between_start: Seconds::from_micros(25.0), between: 0.87, ..self }
    }
}

impl SwitchConstants {
    /// Assumptions of NCCL's own tuner. Between nodes: CollNetDirect, 31 microseconds and 3.7 inside. In a domain:
    /// NVLS, 25 microseconds, and 0.85 (Hopper) or 0.74 of the 20.6 of 25 or 40.1 of 50 GB/s that it counts per link
    /// (NVIDIA/nccl@5067397, src/graph/tuning.cc and topo.h). Where NCCL chose among its algorithms, collectives inside
    /// a domain were measured with NVLink SHARP wherever that was faster.
    pub fn nccl(accelerator: &Accelerator) -> Self {
        let multicast =
            if accelerator.architecture == "Hopper" { 0.85 * 20.6 / 25.0 } else { 0.74 * 40.1 / 50.0 };
        Self {
            start: Seconds::from_micros(34.7),
            inside: 0.0,
            multicast_start: Seconds::from_micros(25.0),
            multicast,
        }
    }
}
