//! Links between GPUs: a scale-up domain of fast links, and a scale-out fabric between domains.

use super::collective::LinkConstants;
use crate::catalog::Accelerator;
use crate::units::Bandwidth;

/// Both levels of the network, per GPU and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// GPUs that the scale-up links connect.
    pub domain: u32,
    /// Links inside a domain, e.g. NVLink.
    pub scale_up: Bandwidth,
    /// Links between domains, e.g. InfiniBand.
    pub scale_out: Bandwidth,
    /// How collectives behave on them.
    pub constants: LinkConstants,
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
    /// The network of a catalogue device with these constants.
    pub(super) fn of(accelerator: &Accelerator, constants: LinkConstants) -> Self {
        Self {
            domain: accelerator.scale_up.domain,
            scale_up: Bandwidth::from_gb(accelerator.scale_up.gb_s),
            scale_out: Bandwidth::from_gb(accelerator.scale_out.gb_s),
            constants,
        }
    }
}
