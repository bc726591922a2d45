//! Rings over one level of links, or hierarchical ones over two.

use super::Machine;
use crate::units::{Bandwidth, Bytes, Seconds};

/// One level of links, per GPU and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Nominal bandwidth.
    pub bandwidth: Bandwidth,
    /// Share of it that transfers reach.
    pub efficiency: f64,
    /// Time per hop of a ring.
    pub latency: Seconds,
}

impl Link {
    fn rate(&self) -> Bandwidth {
        self.bandwidth * self.efficiency
    }
}

/// Both levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Links {
    /// Inside a scale-up domain.
    pub fast: Link,
    /// Between domains.
    pub slow: Link,
    /// Adapters per GPU.
    pub adapters: f64,
}

/// What is done with the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Every member ends with all parts.
    AllGather,
    /// Every member ends with its part of the sum.
    ReduceScatter,
    /// Every member ends with the sum; costs twice a gather over several domains only.
    AllReduce,
    /// One member's data to all.
    Broadcast,
    /// The sum to one member.
    Reduce,
    /// One message to the next stage.
    Send,
}

/// A group of GPUs and how many of its members share a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Members.
    pub size: u32,
    /// Members per domain.
    pub inside: u32,
}

impl Machine {
    /// Time of a collective on the full tensor of this size.
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
        // Every member inside a domain brings its adapter.
        let between = volume / (slow.rate() * (adapters * f64::from(inside)));
        let within = volume / fast.rate();
        let twice = if kind == CollectiveKind::AllReduce { 2.0 } else { 1.0 };
        let hops = slow.latency * f64::from(domains - 1) + fast.latency * f64::from(size - domains);
        between.max(within) * twice + hops
    }
}
