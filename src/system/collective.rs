//! Collectives: rings and trees, inside a scale-up domain and between domains.
//!
//! Each member of a ring sends (n-1)/n of the tensor, twice for an all-reduce. Between domains, each member in a domain
//! adds the bandwidth of its own scale-out link, up to that of the scale-up links (arXiv 2410.00273).
//! The latency terms are fitted to measured NCCL collectives. [`AllReduce`] has all-reduces.

use super::all_reduce::AllReduce;
use super::network::{Group, Network};
use super::norm::p_norm;
use super::{Bound, Cost};
use crate::units::{Bandwidth, Bytes, Seconds};

/// Kind of collective.
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
    /// All-gather in a ring: each member's part is passed on until all members have it.
    Ring,
    /// Broadcast of one member's data to all.
    Broadcast,
    /// Reduction of all members' data to one.
    Reduce,
}

/// A collective over a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collective {
    /// Kind of collective.
    pub operation: Operation,
    /// Size of the whole tensor: gathered output, unreduced input, or message; what one member has for all.
    pub bytes: Bytes,
    /// The participating GPUs.
    pub group: Group,
    /// Algorithm of an all-reduce; other collectives ignore it.
    pub algorithm: AllReduce,
}

impl Collective {
    /// Bytes that each member sends, and receives, in a ring.
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
        let bridge = self.over_bridge(group);
        let links = bridge.as_ref().unwrap_or(self);
        let time = match operation {
            Operation::SendReceive => links.send(bytes, group),
            Operation::Ring => links.send(bytes / size, group.neighbours()) * (size - 1.0),
            Operation::AllReduce => links.all_reduce(bytes, group, algorithm),
            Operation::AllToAll if group.domains() > 1 => links.scatter(bytes, group),
            _ if group.domains() > 1 => links.ring_between(bytes, group, 1.0, traffic),
            _ => links.steps_inside(traffic, size - 1.0, size, links.constants.scale_up.gather_loss),
        };
        Cost { bytes: traffic, time, network: time, bound: Bound::Network, ..Cost::default() }
    }

    /// One message to the next member.
    fn send(&self, bytes: Bytes, group: Group) -> Seconds {
        let (up, out) = (&self.constants.scale_up, &self.constants.scale_out);
        if group.inside > 1 {
            up.start + up.step + bytes / (self.inside(2.0) * up.efficiency)
        } else {
            up.start + out.hop + bytes / (self.scale_out * (out.efficiency * self.crossing(group)))
        }
    }

    /// Fraction of its links' bandwidth that a group beyond one pod keeps. The share of each GPU in the bandwidth
    /// between pods is its link's bandwidth / oversubscription; a ring leaves a pod over as many links as it has
    /// members in a domain, and uses the shares of all its members there.
    pub(super) fn crossing(&self, group: Group) -> f64 {
        if group.size <= group.near {
            return 1.0;
        }
        (f64::from(group.near) / (f64::from(group.inside) * self.oversubscription)).min(1.0)
    }

    /// Time of an all-to-all over several domains: the slowest of three kinds of links that work at the same time. Parts
    /// for the member's own domain use the links inside, those for other domains its scale-out link, and of these those
    /// for other pods its share of the bandwidth between pods.
    fn scatter(&self, bytes: Bytes, group: Group) -> Seconds {
        let (up, out) = (&self.constants.scale_up, &self.constants.scale_out);
        let size = f64::from(group.size);
        let inside = f64::from(group.inside);
        let away = bytes * ((size - inside) / size) / (self.scale_out * out.efficiency);
        let near = bytes * ((inside - 1.0) / size) / (self.inside(inside) * up.efficiency);
        let beyond = bytes * ((size - f64::from(group.near)) / size * self.oversubscription)
            / (self.scale_out * out.efficiency);
        up.start + out.hop * f64::from(group.domains() - 1) + away.max(near).max(beyond)
    }

    /// Time of a ring inside a scale-up domain: a number of steps in which each of `size` members sends the given bytes.
    pub(super) fn steps_inside(&self, traffic: Bytes, steps: f64, size: f64, loss: f64) -> Seconds {
        let constants = &self.constants.scale_up;
        let transfer = traffic / (self.inside(size) * (constants.efficiency * (1.0 - loss / size)));
        let steps = steps * (self.topology.steps(size) / (size - 1.0));
        let ramp = Seconds::new(libm::sqrt(constants.ramp.get() * transfer.get()));
        constants.start + constants.step * steps + transfer + ramp
    }

    /// Time of `rounds` rounds of a ring over all members, each like that of a gather or a scatter, in which each
    /// member sends `traffic`.
    pub(super) fn ring_between(&self, bytes: Bytes, group: Group, rounds: f64, traffic: Bytes) -> Seconds {
        let constants = &self.constants.scale_out;
        let (size, inside) = (f64::from(group.size), f64::from(group.inside));
        let domains = f64::from(group.domains());
        let inner = domains * (inside - 1.0);
        let hops = constants.hop * domains + constants.inner_hop * inner;
        // Each chunk passes through every member, so its latency is the sum of theirs.
        let long = constants.chunk_step * domains
            + if inner > 0.0 { constants.inner_chunk / self.scale_up * inner } else { Seconds::ZERO };
        let length = (bytes / size / (constants.chunk * 2.0)).min(1.0);
        let latency = constants.start + (hops + long * length) * rounds;
        let transfer = traffic / self.bandwidth(group);
        Seconds::new(p_norm(latency.get(), transfer.get(), constants.overlap))
    }

    /// Bandwidth at which each member of a group over several domains sends and receives.
    pub(super) fn bandwidth(&self, group: Group) -> Bandwidth {
        let constants = &self.constants.scale_out;
        let inside = f64::from(group.inside);
        let links = self.scale_out * (inside * constants.efficiency * (1.0 - constants.lone_loss / inside));
        let links = links * self.crossing(group);
        if group.inside > 1 {
            links.min(self.inside(inside) * self.constants.scale_up.efficiency)
        } else {
            links
        }
    }
}
