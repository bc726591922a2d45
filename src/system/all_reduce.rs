//! All-reduces: which algorithm adds the members' data up, and what each takes.
//!
//! A library's rings and trees are fitted to what NCCL chose for each size; a serving engine's own kernels, which read
//! their peers' memory, to SGLang's. Both are in [`AllReduce::Automatic`]. The others take one algorithm
//! whatever the size, with the constants that were fitted to it or to the one nearest to it.

use super::network::{Group, Network};
use crate::units::{Bytes, Seconds};

/// The algorithm of an all-reduce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AllReduce {
    /// The fastest that is there: the library's, or, for small messages inside a domain, an engine's own.
    #[default]
    Automatic,
    /// NCCL's choice by message size.
    Library,
    /// Each member reads all others' data from their memory and adds it up.
    OneShot,
    /// Each member reads one part of all others' data, adds it up, and then reads the others' sums.
    TwoShot,
    /// Parts go around a ring until they are summed, and around again until all have them.
    Ring,
    /// Sums go up a tree, inside a domain a chain, and come down again.
    Tree,
    /// Reduction in switches: NVLink SHARP inside a domain, SHARP between domains.
    InSwitch,
}

impl AllReduce {
    /// All algorithms, in the order of the form.
    pub const ALL: [Self; 7] = [
        Self::Automatic,
        Self::Library,
        Self::OneShot,
        Self::TwoShot,
        Self::Ring,
        Self::Tree,
        Self::InSwitch,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Automatic => "Automatic",
            Self::Library => "Library's choice",
            Self::OneShot => "One-shot",
            Self::TwoShot => "Two-shot",
            Self::Ring => "Ring",
            Self::Tree => "Tree",
            Self::InSwitch => "In switches",
        }
    }

    /// Returns true if members read each other's memory, which only those of a domain can.
    pub const fn is_direct(self) -> bool {
        matches!(self, Self::OneShot | Self::TwoShot)
    }
}

impl Network {
    /// Returns true if the switches that a group's sums go through can add them up.
    pub const fn adds_up(&self, group: Group) -> bool {
        if group.domains() > 1 { self.in_network } else { self.sums }
    }

    /// Sums `bytes` over a group of several.
    ///
    /// Where members of several domains cannot read each other's memory, or switches cannot add up, it is the
    /// library's choice.
    pub(super) fn all_reduce(&self, bytes: Bytes, group: Group, algorithm: AllReduce) -> Seconds {
        let size = f64::from(group.size);
        let alone = group.domains() == 1;
        match algorithm {
            AllReduce::Automatic if alone && bytes <= self.constants.direct.limit => {
                let direct = self.one_shot(bytes, size).min(self.two_shot(bytes, size));
                self.by_library(bytes, group).min(direct)
            }
            AllReduce::OneShot if alone => self.one_shot(bytes, size),
            AllReduce::TwoShot if alone => self.two_shot(bytes, size),
            AllReduce::Ring if alone => self.inside_ring(bytes, size),
            AllReduce::Ring => self.ring_between(bytes, group, 2.0, bytes * (2.0 * (size - 1.0) / size)),
            AllReduce::Tree if alone => self.chain(bytes, size),
            AllReduce::Tree => self.tree(bytes, group),
            AllReduce::InSwitch if alone && self.sums => self.multicast(bytes, size),
            AllReduce::InSwitch if self.in_network && !alone => self.switched(bytes, group),
            _ => self.by_library(bytes, group),
        }
    }

    /// All-reduce time of the library: inside a domain as measured; between domains with a tree, or with switches that
    /// reduce in the network.
    fn by_library(&self, bytes: Bytes, group: Group) -> Seconds {
        if group.domains() > 1 {
            let tree = self.tree(bytes, group);
            return if self.in_network { tree.min(self.switched(bytes, group)) } else { tree };
        }
        let size = f64::from(group.size);
        let ring = self.inside_ring(bytes, size);
        let ring = self.double_tree(bytes, size).map_or(ring, |tree| tree.min(ring));
        // Measured times have the switches of a domain in them.
        let apart = self.in_network && self.constants.switch.inside > 0.0;
        if apart { ring.min(self.switched_inside(bytes, size)) } else { ring }
    }

    /// Each member reads all others' buffers.
    fn one_shot(&self, bytes: Bytes, size: f64) -> Seconds {
        let direct = &self.constants.direct;
        direct.start
            + direct.peer * (size - 1.0)
            + bytes * (size - 1.0) / (self.inside(size) * direct.one_shot)
    }

    /// Each member reads a part of all others' buffers, and then everyone's sum.
    fn two_shot(&self, bytes: Bytes, size: f64) -> Seconds {
        let direct = &self.constants.direct;
        let volume = bytes * (2.0 * (size - 1.0) / size);
        let phases = direct.second + volume / (self.inside(size) * direct.two_shot);
        direct.start + direct.peer * (size - 1.0) + phases
    }

    /// A ring inside a domain: 2 (n - 1) steps, in which each member sends 2 (n - 1) / n of the data.
    fn inside_ring(&self, bytes: Bytes, size: f64) -> Seconds {
        let steps = 2.0 * (size - 1.0);
        self.steps_inside(bytes * (steps / size), steps, size, self.constants.scale_up.reduce_loss)
    }

    /// Two binary trees, each of which carries half of the data: 2 K (n - 1) / (n BW) + 2 l log2 n. It is taken where a
    /// ring's latency, 2 l (n - 1), exceeds the transfer.
    fn double_tree(&self, bytes: Bytes, size: f64) -> Option<Seconds> {
        let level = self.constants.tree.level;
        let transfer =
            bytes * (2.0 * (size - 1.0) / size) / (self.scale_up * self.constants.scale_up.efficiency);
        let latency_binds = level * (2.0 * (size - 1.0)) > transfer;
        (level > Seconds::ZERO && latency_binds).then(|| transfer + level * (2.0 * libm::log2(size)))
    }

    /// A tree inside a domain is a chain: it has the number of steps of a ring, and the inner members send the data
    /// twice (NVIDIA/nccl, src/graph/tuning.cc: 2 (n - 1) latencies, half of the links' bandwidth).
    fn chain(&self, bytes: Bytes, size: f64) -> Seconds {
        let up = &self.constants.scale_up;
        let sent = if size > 2.0 { 2.0 } else { 1.0 };
        self.steps_inside(bytes * sent, 2.0 * (size - 1.0), size, up.reduce_loss)
    }

    /// A tree over domains, whose members share out the data among them.
    fn tree(&self, bytes: Bytes, group: Group) -> Seconds {
        let out = &self.constants.scale_out;
        let (size, inside) = (f64::from(group.size), f64::from(group.inside));
        let transfer = bytes * (2.0 * (size - 1.0) / size) / self.bandwidth(group);
        let long = out.long_level * (1.0 / (1.0 + out.long / bytes));
        let levels = (out.level + long) * libm::log2(f64::from(group.domains()));
        out.start + out.inner_hop * (2.0 * (inside - 1.0)) + levels + transfer
    }

    /// NVLink SHARP: the switch sums one n-th part of all members' data for each member, which sends the sum to all
    /// through the switch. A member sends all its data and one part, and receives as much.
    fn switched_inside(&self, bytes: Bytes, size: f64) -> Seconds {
        let switch = &self.constants.switch;
        switch.start + bytes * ((size + 1.0) / size) / (self.scale_up * switch.inside)
    }

    /// In-switch all-reduce by the library (NVLS): one read and one write of the tensor through the switch.
    fn multicast(&self, bytes: Bytes, size: f64) -> Seconds {
        let switch = &self.constants.switch;
        switch.multicast_start + bytes * ((size + 1.0) / size) / (self.scale_up * switch.multicast)
    }

    /// SHARP: the members of each domain scatter their sum, each sends its part into the fabric, whose switches return
    /// the sum over all domains, and the members gather it. This is half of what a ring or a tree sends.
    fn switched(&self, bytes: Bytes, group: Group) -> Seconds {
        let (up, switch) = (&self.constants.scale_up, &self.constants.switch);
        let inside = f64::from(group.inside);
        let ring = bytes * (2.0 * (inside - 1.0) / inside) / (self.inside(inside) * up.efficiency);
        let within = if switch.inside > 0.0 {
            ring.min(bytes * ((inside + 1.0) / inside) / (self.scale_up * switch.inside))
        } else {
            ring
        };
        switch.start + within.max(bytes / self.bandwidth(group))
    }
}
