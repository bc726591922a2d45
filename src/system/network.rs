//! Links between GPUs: a scale-up domain of fast links, and a scale-out fabric between domains.

use super::link_constants::{LinkConstants, PcieConstants};
use crate::catalog::{Accelerator, Topology};
use crate::units::Bandwidth;

/// The network at both levels (inside and between domains), per GPU and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// GPUs that the scale-up links connect.
    pub domain: u32,
    /// Links inside a domain, e.g. NVLink.
    pub scale_up: Bandwidth,
    /// Links between domains, e.g. InfiniBand.
    pub scale_out: Bandwidth,
    /// Network adapters per GPU, which share the work.
    pub adapters: f64,
    /// GPUs of a pod, between which the fabric is not oversubscribed.
    pub pod: u32,
    /// Bandwidth into a pod's switches over that between pods; 1 where the fabric is not oversubscribed.
    pub oversubscription: f64,
    /// True if switches reduce in the network.
    pub in_network: bool,
    /// True if those of the scale-up links can (NVLink SHARP).
    pub sums: bool,
    /// Topology of the links inside a domain.
    pub topology: Topology,
    /// Faster links between neighbours within a domain.
    pub bridge: Option<Bridge>,
    /// Constants of collectives on these links.
    pub constants: LinkConstants,
}

/// Links that join neighbouring GPUs of a domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridge {
    /// GPUs that a bridge joins.
    pub domain: u32,
    /// Bandwidth per GPU and direction.
    pub bandwidth: Bandwidth,
}

/// A group of GPUs that communicate, and how many of its members lie close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Members.
    pub size: u32,
    /// Members per scale-up domain; at least 1, at most `size`.
    pub inside: u32,
    /// Members per pod, between which the fabric is not oversubscribed; at least `inside`, at most `size`.
    pub near: u32,
    /// True if a bridge joins all members.
    pub bridged: bool,
}

impl Group {
    /// One GPU.
    pub const ALONE: Self = Self::new(1, 1);

    /// A group within one pod.
    pub const fn new(size: u32, inside: u32) -> Self {
        Self { size, inside, near: size, bridged: false }
    }

    /// The group whose members' ranks are `stride` apart, on domains of `domain` consecutive ranks in one pod.
    pub fn strided(size: u32, stride: u32, domain: u32) -> Self {
        Self::new(size, (domain / stride.max(1)).clamp(1, size.max(1)))
    }

    /// Domains that the group spans.
    pub const fn domains(self) -> u32 {
        self.size.div_ceil(self.inside)
    }

    /// Two neighbours in a ring over the group: the pair with the slowest link between them.
    #[must_use]
    pub const fn neighbours(self) -> Self {
        Self {
            size: 2,
            inside: if self.domains() > 1 { 1 } else { 2 },
            near: if self.size > self.near { 1 } else { 2 },
            bridged: self.bridged,
        }
    }

    /// The group's first `size` members, and those that have the same place in other such parts.
    #[must_use]
    pub fn split(self, size: u32) -> (Self, Self) {
        let size = size.clamp(1, self.size.max(1));
        let (inside, near) = (self.inside.min(size), self.near.min(size));
        let others = self.size / size;
        let inside_others = (self.inside / inside).clamp(1, others);
        let near_others = (self.near / near).clamp(inside_others, others);
        let bridged = self.bridged;
        (
            Self { size, inside, near, bridged },
            Self { size: others, inside: inside_others, near: near_others, bridged },
        )
    }
}

/// Properties of the network, beyond its links, that a scenario sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Network adapters per GPU, each with the device's scale-out bandwidth.
    pub adapters: f64,
    /// GPUs of a pod; a scale-up domain if not given.
    pub pod: Option<u32>,
    /// Bandwidth into a pod's switches over that between pods.
    pub oversubscription: f64,
    /// True if switches reduce in the network.
    pub in_network: bool,
}

impl Default for Fabric {
    fn default() -> Self {
        Self { adapters: 1.0, pod: None, oversubscription: 1.0, in_network: false }
    }
}

impl Network {
    /// This network with its scale-out links in another fabric: adapters, pods and oversubscription change.
    #[must_use]
    pub fn in_fabric(mut self, fabric: &Fabric) -> Self {
        self.adapters = fabric.adapters;
        self.scale_out = self.scale_out * fabric.adapters;
        self.pod = fabric.pod.unwrap_or(self.domain).max(self.domain);
        self.oversubscription = fabric.oversubscription;
        self.in_network = fabric.in_network;
        self
    }

    /// The network of a catalogue device with these constants.
    pub(super) fn of(accelerator: &Accelerator, constants: &LinkConstants) -> Self {
        Self {
            domain: accelerator.scale_up.domain,
            scale_up: Bandwidth::from_gb(accelerator.scale_up.gb_s),
            scale_out: Bandwidth::from_gb(accelerator.scale_out.gb_s),
            adapters: 1.0,
            pod: accelerator.scale_up.domain,
            oversubscription: 1.0,
            in_network: false,
            sums: accelerator.scale_up.sums,
            topology: accelerator.scale_up.topology,
            bridge: accelerator
                .scale_up
                .bridge
                .as_ref()
                .map(|bridge| Bridge { domain: bridge.domain, bandwidth: Bandwidth::from_gb(bridge.gb_s) }),
            constants: *constants,
        }
    }

    /// Bandwidth per member at which a group of `size` in one domain sends and receives over the links inside.
    pub(super) fn inside(&self, size: f64) -> Bandwidth {
        self.scale_up * (self.topology.share(size) * self.constants.pcie.share(size))
    }

    /// The group whose members' ranks are `stride` apart.
    pub fn strided(&self, size: u32, stride: u32) -> Group {
        let group = Group::strided(size, stride, self.domain);
        let near = (self.pod / stride.max(1)).clamp(group.inside, size.max(1));
        let bridged = self.bridge.is_some_and(|bridge| size.saturating_mul(stride) <= bridge.domain);
        Group { near, bridged, ..group }
    }

    /// The network over the bridge that joins all members of a group; `None` if none does.
    pub(super) fn over_bridge(&self, group: Group) -> Option<Self> {
        let bridge = self.bridge.filter(|_| group.bridged)?;
        let constants = LinkConstants { pcie: PcieConstants::ideal(), ..self.constants };
        // The links of a card are divided evenly among the other cards of its bridge.
        let share = f64::from(group.size.saturating_sub(1)) / f64::from(bridge.domain.max(2) - 1);
        Some(Self { scale_up: bridge.bandwidth * share, bridge: None, constants, ..*self })
    }

    /// A group of which `inside` members share each domain, and its next domain is `stride` domains away.
    pub fn placed(&self, size: u32, inside: u32, stride: u32) -> Group {
        let inside = inside.clamp(1, size.max(1));
        let domains = (self.pod / self.domain.max(1) / stride.max(1)).max(1);
        // The members within a domain are not known to be neighbours.
        Group { size, inside, near: inside.saturating_mul(domains).min(size), bridged: false }
    }
}
