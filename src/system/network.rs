//! Links between GPUs: a scale-up domain of fast links, and a scale-out fabric between domains.

use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Seconds};

/// One kind of link, per GPU and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Nominal bandwidth, one direction.
    pub bandwidth: Bandwidth,
    /// Fraction of it that large collectives reach.
    pub efficiency: f64,
    /// Time per step of a collective beyond its bytes.
    pub latency: Seconds,
}

impl Link {
    /// What large collectives reach.
    pub fn effective(&self) -> Bandwidth {
        self.bandwidth * self.efficiency
    }
}

/// Both levels of the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// GPUs that the scale-up links connect.
    pub domain: u32,
    /// Links inside a domain, e.g. NVLink.
    pub scale_up: Link,
    /// Links between domains, e.g. InfiniBand.
    pub scale_out: Link,
}

/// A group of GPUs that communicate, and how many of its members share a scale-up domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Members.
    pub size: u32,
    /// Members per domain; at least 1, at most `size`.
    pub inside: u32,
}

impl Group {
    /// The group whose members' ranks are `stride` apart, on domains of `domain` consecutive ranks.
    pub fn strided(size: u32, stride: u32, domain: u32) -> Self {
        let inside = (domain / stride.max(1)).clamp(1, size.max(1));
        Self { size, inside }
    }

    /// Domains that the group spans.
    pub const fn domains(self) -> u32 {
        self.size.div_ceil(self.inside)
    }
}

impl Network {
    /// The network of a catalogue device with these link constants.
    pub(super) fn of(accelerator: &Accelerator, links: super::calibration::LinkConstants) -> Self {
        Self {
            domain: accelerator.scale_up.domain,
            scale_up: Link {
                bandwidth: Bandwidth::from_gb(accelerator.scale_up.gb_s),
                efficiency: links.scale_up_efficiency,
                latency: links.scale_up_latency,
            },
            scale_out: Link {
                bandwidth: Bandwidth::from_gb(accelerator.scale_out.gb_s),
                efficiency: links.scale_out_efficiency,
                latency: links.scale_out_latency,
            },
        }
    }
}
