//! Links inside a scale-up domain, and their topology.

use serde::{Deserialize, Serialize};

/// Links inside a scale-up domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleUp {
    /// E.g. `NVLink4`.
    pub technology: String,
    /// Bandwidth per accelerator, one direction, GB/s.
    pub gb_s: f64,
    /// Accelerators that the links connect.
    pub domain: u32,
    /// True if the links' switches can reduce in the network (NVLink SHARP, from NVLink 4 on).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sums: bool,
    /// Topology of the links.
    #[serde(default, skip_serializing_if = "Topology::is_switched")]
    pub topology: Topology,
    /// Faster links that join neighbours within the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bridge: Option<Bridge>,
}

/// Bridges between neighbouring accelerators of a domain: NVLink between PCIe cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bridge {
    /// Bandwidth per accelerator, one direction, GB/s.
    pub gb_s: f64,
    /// Accelerators that a bridge joins.
    pub domain: u32,
}

/// Topology of the links of a scale-up domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// Switches: two accelerators have all links of each between them.
    #[default]
    Switched,
    /// A link or bundle of links from each accelerator to each of this number of others.
    Mesh(u32),
    /// A torus with this number of axes, and a link in each direction of each axis.
    Torus(u32),
}

impl Topology {
    /// Returns true if any two accelerators can use all their links.
    pub const fn is_switched(&self) -> bool {
        matches!(self, Self::Switched)
    }

    /// Fraction of an accelerator's links that a group of `size` in one domain can use. On a torus the group is a box
    /// over as many axes as possible; an axis of length two has one link, longer axes have two.
    pub fn share(self, size: f64) -> f64 {
        match self {
            Self::Switched => 1.0,
            Self::Mesh(peers) => ((size - 1.0) / f64::from(peers)).clamp(f64::MIN_POSITIVE, 1.0),
            Self::Torus(axes) => {
                let (used, side) = Self::extent(axes, size);
                let links = if side > 2.0 { 2.0 } else { 1.0 };
                (used * links / (2.0 * f64::from(axes))).min(1.0)
            }
        }
    }

    /// Steps from one end of a ring over a group to the other: along one axis of a torus after another.
    pub fn steps(self, size: f64) -> f64 {
        match self {
            Self::Switched | Self::Mesh(_) => size - 1.0,
            Self::Torus(axes) => {
                let (used, side) = Self::extent(axes, size);
                used * (side - 1.0)
            }
        }
    }

    /// Axes that a box of `size` uses, and its length along each.
    fn extent(axes: u32, size: f64) -> (f64, f64) {
        let used = f64::from(axes).min(libm::floor(libm::log2(size))).max(1.0);
        (used, libm::pow(size, 1.0 / used))
    }
}
