//! Collectives: rings and trees, inside a scale-up domain and between domains.
//!
//! Ring volumes are those of every ring algorithm: (n-1)/n of the tensor, twice for an all-reduce. Between
//! domains every member inside a domain brings its own link, capped by the scale-up links (arXiv 2410.00273).
//! The latency terms are fitted to measured NCCL collectives.

use super::constants::constants;
use super::network::{Group, Network};
use super::norm::{LARGEST, p_norm};
use super::{Bound, Cost};
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
    /// Whether a serving engine's own kernel, which reads its peers' memory, may do a small all-reduce.
    pub direct: bool,
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
        /// Time that every one takes.
        start: Seconds = 0.0, 0.0..=2e-4 "s", given;
        /// Fraction of the scale-up bandwidth that they reach in a domain; 0 where what is measured holds them already.
        inside: f64 = 1.0, 0.0..=1.2 "", given;
    }
}

impl SwitchConstants {
    /// What NCCL's own tuner assumes (CollNetDirect: 31 microseconds between nodes, 3.7 inside; NVIDIA/nccl@5067397,
    /// src/graph/tuning.cc). Collectives inside a domain were measured with NVLink SHARP wherever NCCL chose it.
    pub const NCCL: Self = Self { start: Seconds::from_micros(34.7), inside: 0.0 };
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
        let Collective { operation, bytes, group, direct } = *collective;
        if group.size <= 1 || bytes <= Bytes::ZERO {
            return Cost::default();
        }
        let size = f64::from(group.size);
        let traffic = collective.traffic();
        let time = if operation == Operation::SendReceive {
            self.send(bytes, group)
        } else if operation == Operation::Ring {
            self.send(bytes / size, group.neighbours()) * (size - 1.0)
        } else if operation == Operation::AllToAll && group.domains() > 1 {
            self.scatter(bytes, group)
        } else if group.domains() == 1 {
            let ring = self.inside(operation, traffic, size);
            let ring =
                if self.switches(operation) { ring.min(self.switched_inside(bytes, size)) } else { ring };
            let peers = operation == Operation::AllReduce && direct && bytes <= self.constants.direct.limit;
            if peers { ring.min(self.peers(bytes, size)) } else { ring }
        } else {
            self.between(operation, bytes, traffic, group)
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

    /// A ring inside a domain.
    fn inside(&self, operation: Operation, traffic: Bytes, size: f64) -> Seconds {
        let constants = &self.constants.scale_up;
        let (steps, loss) = match operation {
            Operation::AllReduce => (2.0 * (size - 1.0), constants.reduce_loss),
            _ => (size - 1.0, constants.gather_loss),
        };
        let transfer = traffic / (self.scale_up * (constants.efficiency * (1.0 - loss / size)));
        let ramp = Seconds::new(libm::sqrt(constants.ramp.get() * transfer.get()));
        constants.start + constants.step * steps + transfer + ramp
    }

    /// Each member reads its peers' buffers: all of each, or a part of each and then everyone's sum.
    fn peers(&self, bytes: Bytes, size: f64) -> Seconds {
        let constants = &self.constants.direct;
        let one = bytes * (size - 1.0) / (self.scale_up * constants.one_shot);
        let volume = bytes * (2.0 * (size - 1.0) / size);
        let two = constants.second + volume / (self.scale_up * constants.two_shot);
        constants.start + constants.peer * (size - 1.0) + one.min(two)
    }

    /// Whether an all-reduce in a domain may go through its switches.
    fn switches(&self, operation: Operation) -> bool {
        operation == Operation::AllReduce && self.in_network && self.constants.switch.inside > 0.0
    }

    /// Each member has the switch add up its nth part of all members' data, and sends the sum to all through it: it
    /// sends everything and one part, and receives as much (NVLink SHARP).
    fn switched_inside(&self, bytes: Bytes, size: f64) -> Seconds {
        let constants = &self.constants.switch;
        constants.start + bytes * ((size + 1.0) / size) / (self.scale_up * constants.inside)
    }

    /// Each domain's members scatter their sum among them, each sends its part into the fabric, whose switches return
    /// the sum over all domains, and they gather it (SHARP): half of what a ring or a tree sends.
    fn switched(&self, bytes: Bytes, group: Group) -> Seconds {
        let (up, switch) = (&self.constants.scale_up, &self.constants.switch);
        let inside = f64::from(group.inside);
        let ring = bytes * (2.0 * (inside - 1.0) / inside) / (self.scale_up * up.efficiency);
        let within = if switch.inside > 0.0 {
            ring.min(bytes * ((inside + 1.0) / inside) / (self.scale_up * switch.inside))
        } else {
            ring
        };
        switch.start + within.max(bytes / self.bandwidth(group))
    }

    /// A ring over all members for gathers and scatters, a tree over domains for all-reduces.
    fn between(&self, operation: Operation, bytes: Bytes, traffic: Bytes, group: Group) -> Seconds {
        let constants = &self.constants.scale_out;
        let (size, inside) = (f64::from(group.size), f64::from(group.inside));
        let domains = f64::from(group.domains());
        let transfer = traffic / self.bandwidth(group);
        if operation == Operation::AllReduce {
            let long = constants.long_level * (1.0 / (1.0 + constants.long / bytes));
            let levels = (constants.level + long) * libm::log2(domains);
            let tree = constants.start + constants.inner_hop * (2.0 * (inside - 1.0)) + levels + transfer;
            return if self.in_network { tree.min(self.switched(bytes, group)) } else { tree };
        }
        let chunk = bytes / size;
        let ratio = constants.chunk / chunk;
        let steps = constants.chunk_step * (size / (1.0 + ratio * ratio));
        let hops = constants.hop * domains + constants.inner_hop * (domains * (inside - 1.0));
        let latency = constants.start + hops + steps;
        Seconds::new(p_norm(latency.get(), transfer.get(), constants.overlap))
    }

    /// What each member of a group over several domains sends and receives per second.
    fn bandwidth(&self, group: Group) -> Bandwidth {
        let constants = &self.constants.scale_out;
        let inside = f64::from(group.inside);
        let links = self.scale_out * (inside * constants.efficiency * (1.0 - constants.lone_loss / inside));
        let links = links * self.crossing(group);
        if group.inside > 1 { links.min(self.scale_up * self.constants.scale_up.efficiency) } else { links }
    }
}
