//! Budgets of a die.

use serde::Serialize;

use crate::units::{Area, Length, Power};

/// Budgets of a die, and number of dies per accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Budget {
    /// Area of one die.
    pub area: Area,
    /// Power of one die with its DRAM and links.
    pub power: Power,
    /// Edge of one die towards its package.
    pub edge: Length,
    /// Dies that form one accelerator for software.
    pub dies: u32,
}

/// Something that there is a budget of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// Area of the die.
    Area,
    /// Power.
    Power,
    /// Edge of the die.
    Edge,
}

/// Height over width of a die of the size that a reticle allows: 33 mm by 26 mm.
const ASPECT: f64 = 33.0 / 26.0;

impl Budget {
    /// A single die of a reticle's proportions.
    pub fn single(area: Area, power: Power) -> Self {
        let (width, height) = sides(area);
        Self { area, power, edge: (width + height) * 2.0, dies: 1 }
    }

    /// Two dies, each of this area and power, joined at their long edges.
    pub fn pair(area: Area, power: Power) -> Self {
        let (width, height) = sides(area);
        Self { area, power, edge: width * 2.0 + height, dies: 2 }
    }
}

fn sides(area: Area) -> (Length, Length) {
    let width = libm::sqrt(area.get() / ASPECT);
    (Length::new(width), Length::new(width * ASPECT))
}

impl Resource {
    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Power => "power",
            Self::Edge => "die edge",
        }
    }
}
