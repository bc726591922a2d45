//! Collectives: rings over one level of links, or hierarchical rings over two.

use super::Machine;
use crate::units::{Bandwidth, Bytes, Seconds};

/// One level of links, per GPU and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Nominal bandwidth.
    pub bandwidth: Bandwidth,
    /// Share of the bandwidth that transfers achieve.
    pub efficiency: f64,
    /// Latency per hop of a ring.
    pub latency: Seconds,
}

impl Link {
    fn rate(&self) -> Bandwidth {
        self.bandwidth * self.efficiency
    }
}

/// Links of both levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Links {
    /// Links inside a scale-up domain.
    pub fast: Link,
    /// Links between domains.
    pub slow: Link,
    /// Network adapters per GPU.
    pub adapters: f64,
}

/// Kind of a communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Every member receives all parts.
    AllGather,
    /// Every member receives its part of the sum.
    ReduceScatter,
    /// Every member receives the sum. As in the authors' code, it costs twice an all-gather only across domains.
    AllReduce,
    /// One member's data is sent to all members.
    Broadcast,
    /// One member receives the sum.
    Reduce,
    /// A point-to-point message to the next pipeline stage.
    Send,
}

/// A group of GPUs and its placement in domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Number of members.
    pub size: u32,
    /// Number of members per domain.
    pub inside: u32,
}

impl Machine {
    /// Time of a collective. `bytes` is the size of the full tensor.
    pub fn collective(&self, kind: CollectiveKind, bytes: Bytes, group: Placed) -> Seconds {
        let Links { fast, slow, adapters } = self.links;
        let Placed { size, inside } = group;
        if kind == CollectiveKind::Send {
            let link = if inside == 1 { slow } else { fast };
            return link.latency + bytes / link.rate();
        }
        if size <= 1 || bytes <= Bytes::ZERO {
            return Seconds::ZERO;
        }
        let members = f64::from(size);
        let share = match kind {
            CollectiveKind::Broadcast | CollectiveKind::Reduce | CollectiveKind::Send => 1.0,
            _ => (members - 1.0) / members,
        };
        let volume = bytes * share;
        let domains = size / inside.max(1);
        if inside <= 1 {
            return slow.latency * (members - 1.0) + volume / slow.rate();
        }
        if domains <= 1 {
            return fast.latency * (members - 1.0) + volume / fast.rate();
        }
        // All members inside a domain use their adapters in parallel.
        let between = volume / (slow.rate() * (adapters * f64::from(inside)));
        let within = volume / fast.rate();
        let twice = if kind == CollectiveKind::AllReduce { 2.0 } else { 1.0 };
        let hops = slow.latency * f64::from(domains - 1) + fast.latency * f64::from(size - domains);
        between.max(within) * twice + hops
    }
}
