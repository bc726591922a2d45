//! Collectives: rings and trees, inside a scale-up domain and between domains.
//!
//! Ring volumes are those of every ring algorithm: (n-1)/n of the tensor, twice for an all-reduce. Between
//! domains every member inside a domain brings its own link, capped by the scale-up links (arXiv 2410.00273).
//! The latency terms are fitted to measured NCCL collectives. [`AllReduce`] has all-reduces.

use super::all_reduce::AllReduce;
use super::constants::constants;
use super::network::{Group, Network};
use super::norm::{LARGEST, p_norm};
use super::{Bound, Cost};
use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Bytes, Seconds};

/// What is done with the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Every member ends with all members' parts.
    AllGather,
    /// Every member ends with its part of the sum.
    ReduceScatter,
    /// Every member ends with the whole sum.
    AllReduce,
    /// One member sends to the next.
    SendReceive,
    /// Every member sends every other a part of its own.
    AllToAll,
    /// Every member's part goes from one to the next until all have had it, each step on its own.
    Ring,
    /// One member's data goes to all.
    Broadcast,
    /// The sum of all members' data goes to one.
    Reduce,
}

/// A collective over a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collective {
    /// What is done.
    pub operation: Operation,
    /// Size of the whole tensor: gathered output, unreduced input, or message; what one member has for all.
    pub bytes: Bytes,
    /// Who takes part.
    pub group: Group,
    /// How an all-reduce goes about it.
    pub algorithm: AllReduce,
}

/// How collectives behave, apart from the links' nominal bandwidths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConstants {
    /// Inside a domain.
    pub scale_up: ScaleUpConstants,
    /// Between domains.
    pub scale_out: ScaleOutConstants,
    /// A serving engine's own all-reduce inside a domain.
    pub direct: DirectConstants,
    /// Switches that add up what they pass on.
    pub switch: SwitchConstants,
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
        /// What a group of n loses of that, times n: the local copy, for gathers and scatters.
        gather_loss: f64 = 0.0, 0.01..=0.95 "", fitted;
        /// The same for all-reduces.
        reduce_loss: f64 = 0.0, 0.01..=0.95 "", fitted;
        /// How slowly transfers start: one of time t takes t + √(ramp × t).
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
        /// Time per ring step that carries a long chunk, beyond its bytes.
        chunk_step: Seconds = 0.0, 1e-7..=2e-4 "s", fitted;
        /// Chunk at which that is half felt.
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
        /// What one member per domain loses of that; g members lose a gth of it.
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
        /// Fraction of the scale-up bandwidth that they reach in a domain; 0 where what is measured holds them already.
        inside: f64 = 1.0, 0.0..=1.2 "", given;
        /// Time that every one in a domain takes, where nothing else is allowed.
        multicast_start: Seconds = 0.0, 0.0..=2e-4 "s", given;
        /// Fraction of the scale-up bandwidth that they then reach.
        multicast: f64 = 1.0, 0.01..=1.2 "", given;
    }
}

impl SwitchConstants {
    /// What NCCL's own tuner assumes. Between nodes: CollNetDirect, 31 microseconds and 3.7 inside. In a domain: NVLS, 25
    /// microseconds, and 0.85 (Hopper) or 0.74 of the 20.6 of 25 or 40.1 of 50 GB/s that it counts per link
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

impl Collective {
    /// What each member sends, and receives, in a ring.
    pub fn traffic(&self) -> Bytes {
        let size = f64::from(self.group.size.max(1));
        self.bytes
            * match self.operation {
                Operation::SendReceive | Operation::Broadcast | Operation::Reduce => 1.0,
                Operation::AllReduce => 2.0 * (size - 1.0) / size,
                Operation::AllGather | Operation::ReduceScatter | Operation::AllToAll | Operation::Ring => {
                    (size - 1.0) / size
                }
            }
    }
}

impl Network {
    /// Time and traffic of a collective; nothing for a group of one.
    pub fn collective(&self, collective: &Collective) -> Cost {
        let Collective { operation, bytes, group, algorithm } = *collective;
        if group.size <= 1 || bytes <= Bytes::ZERO {
            return Cost::default();
        }
        let size = f64::from(group.size);
        let traffic = collective.traffic();
        let time = match operation {
            Operation::SendReceive => self.send(bytes, group),
            Operation::Ring => self.send(bytes / size, group.neighbours()) * (size - 1.0),
            Operation::AllReduce => self.all_reduce(bytes, group, algorithm),
            Operation::AllToAll if group.domains() > 1 => self.scatter(bytes, group),
            _ if group.domains() > 1 => self.ring_between(bytes, group, 1.0, traffic),
            _ => self.steps_inside(traffic, size - 1.0, size, self.constants.scale_up.gather_loss),
        };
        Cost { bytes: traffic, time, network: time, bound: Bound::Network, ..Cost::default() }
    }

    /// One message to the next member.
    fn send(&self, bytes: Bytes, group: Group) -> Seconds {
        let (up, out) = (&self.constants.scale_up, &self.constants.scale_out);
        if group.inside > 1 {
            up.start + up.step + bytes / (self.scale_up * up.efficiency)
        } else {
            up.start + out.hop + bytes / (self.scale_out * (out.efficiency * self.crossing(group)))
        }
    }

    /// What a group that leaves its pod keeps of its links' bandwidth. Each GPU's share of the way between pods is its
    /// link's bandwidth over the oversubscription; a ring leaves a pod over as many links as it has members in a
    /// domain, and has the shares of all its members there.
    fn crossing(&self, group: Group) -> f64 {
        if group.size <= group.near {
            return 1.0;
        }
        (f64::from(group.near) / (f64::from(group.inside) * self.oversubscription)).min(1.0)
    }

    /// Each member's parts to all others: those of other domains go out over its own link, of these those of other
    /// pods over its share of the way between pods, while those of its domain go over the links inside.
    fn scatter(&self, bytes: Bytes, group: Group) -> Seconds {
        let (up, out) = (&self.constants.scale_up, &self.constants.scale_out);
        let size = f64::from(group.size);
        let inside = f64::from(group.inside);
        let away = bytes * ((size - inside) / size) / (self.scale_out * out.efficiency);
        let near = bytes * ((inside - 1.0) / size) / (self.scale_up * up.efficiency);
        let beyond = bytes * ((size - f64::from(group.near)) / size * self.oversubscription)
            / (self.scale_out * out.efficiency);
        up.start + out.hop * f64::from(group.domains() - 1) + away.max(near).max(beyond)
    }

    /// So many steps inside a domain, in which each of `size` members sends so much.
    pub(super) fn steps_inside(&self, traffic: Bytes, steps: f64, size: f64, loss: f64) -> Seconds {
        let constants = &self.constants.scale_up;
        let transfer = traffic / (self.scale_up * (constants.efficiency * (1.0 - loss / size)));
        let ramp = Seconds::new(libm::sqrt(constants.ramp.get() * transfer.get()));
        constants.start + constants.step * steps + transfer + ramp
    }

    /// So many rounds of a ring over all members, each as a gather or a scatter has it, in which each sends `traffic`.
    pub(super) fn ring_between(&self, bytes: Bytes, group: Group, rounds: f64, traffic: Bytes) -> Seconds {
        let constants = &self.constants.scale_out;
        let (size, inside) = (f64::from(group.size), f64::from(group.inside));
        let domains = f64::from(group.domains());
        let ratio = constants.chunk / (bytes / size);
        let steps = constants.chunk_step * (size / (1.0 + ratio * ratio));
        let hops = constants.hop * domains + constants.inner_hop * (domains * (inside - 1.0));
        let latency = constants.start + hops * rounds + steps * rounds;
        let transfer = traffic / self.bandwidth(group);
        Seconds::new(p_norm(latency.get(), transfer.get(), constants.overlap))
    }

    /// What each member of a group over several domains sends and receives per second.
    pub(super) fn bandwidth(&self, group: Group) -> Bandwidth {
        let constants = &self.constants.scale_out;
        let inside = f64::from(group.inside);
        let links = self.scale_out * (inside * constants.efficiency * (1.0 - constants.lone_loss / inside));
        let links = links * self.crossing(group);
        if group.inside > 1 { links.min(self.scale_up * self.constants.scale_up.efficiency) } else { links }
    }
}
