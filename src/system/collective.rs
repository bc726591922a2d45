//! Collectives over rings and trees.
//!
//! Ring volume and the two-level bandwidth are those of arXiv 2410.00273: between domains, every member
//! inside a domain brings its own link, capped by the scale-up link. The tree, whose latency grows with the
//! logarithm of the domains, is NCCL's alternative for small all-reduces.

use super::network::{Group, Network};
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
}

/// A collective over a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collective {
    /// What is done.
    pub operation: Operation,
    /// Size of the whole tensor: gathered output, unreduced input, or message.
    pub bytes: Bytes,
    /// Who takes part.
    pub group: Group,
}

impl Network {
    /// Time and traffic of a collective; nothing for a group of one.
    pub fn collective(&self, collective: &Collective, start: Seconds) -> Cost {
        let Collective { operation, bytes, group } = *collective;
        if group.size <= 1 || bytes <= Bytes::ZERO {
            return Cost::default();
        }
        let size = f64::from(group.size);
        let (traffic, time) = match operation {
            Operation::SendReceive => {
                let link = if group.inside > 1 { &self.scale_up } else { &self.scale_out };
                (bytes, bytes / link.effective() + link.latency)
            }
            Operation::AllGather | Operation::ReduceScatter => {
                let traffic = bytes * ((size - 1.0) / size);
                (traffic, traffic / self.bandwidth(group) + self.ring_latency(group))
            }
            Operation::AllReduce => {
                let traffic = bytes * (2.0 * (size - 1.0) / size);
                let transfer = traffic / self.bandwidth(group);
                let latency = (self.ring_latency(group) * 2.0).min(self.tree_latency(group));
                (traffic, transfer + latency)
            }
        };
        Cost {
            bytes: traffic,
            time: time + start,
            network: time,
            launch: start,
            bound: Bound::Network,
            ..Cost::default()
        }
        .bounded()
    }

    /// What each member of a ring over the group sends and receives per second.
    pub fn bandwidth(&self, group: Group) -> Bandwidth {
        let inside = self.scale_up.effective();
        let between = self.scale_out.effective() * f64::from(group.inside);
        match (group.domains(), group.inside) {
            (1, _) => inside,
            (_, 1) => self.scale_out.effective(),
            _ => inside.min(between),
        }
    }

    /// One pass around the ring: a slow hop between neighbouring domains, fast hops inside.
    fn ring_latency(&self, group: Group) -> Seconds {
        let slow = f64::from(group.domains() - 1);
        let fast = f64::from(group.size - group.domains());
        self.scale_out.latency * slow + self.scale_up.latency * fast
    }

    /// Up and down a tree over the domains, with a chain inside each.
    fn tree_latency(&self, group: Group) -> Seconds {
        let slow = libm::ceil(libm::log2(f64::from(group.domains())));
        let fast = f64::from(group.inside - 1);
        (self.scale_out.latency * slow + self.scale_up.latency * fast) * 2.0
    }
}
