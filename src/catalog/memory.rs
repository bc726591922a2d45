//! DRAM technologies.

use serde::{Deserialize, Serialize};

/// A DRAM technology, and what an accelerator fitted with it reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryTechnology {
    /// Unique, lower case.
    pub id: String,
    /// As it is shown, e.g. `HBM3E`.
    pub name: String,
    /// What is counted.
    pub unit: Unit,
    /// Slowest and fastest bandwidth of one unit, GB/s.
    pub per_unit_gb_s: [f64; 2],
    /// Capacities in which a unit is made, GiB.
    pub unit_gib: Vec<f64>,
    /// Units on a typical accelerator.
    pub typical_units: u32,
    /// Bandwidth of a typical accelerator fitted with it, TB/s.
    pub system_tb_s: f64,
    /// Which accelerator that is.
    pub system: String,
    /// Energy per bit moved, pJ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_pj_per_bit: Option<f64>,
    /// Where the figures were read.
    pub source: String,
}

/// What a memory is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A stack of dies on an interposer.
    Stack,
    /// A chip on the board.
    Chip,
    /// A channel of a module.
    Channel,
}

#[cfg(test)]
mod tests {
    use crate::catalog::catalog;

    #[test]
    fn a_system_is_no_faster_than_its_units() {
        for memory in &catalog().memories {
            let most = f64::from(memory.typical_units) * memory.per_unit_gb_s[1] / 1e3;
            assert!(memory.system_tb_s <= most * 1.02, "{}", memory.id);
            assert!(memory.per_unit_gb_s[0] <= memory.per_unit_gb_s[1], "{}", memory.id);
            assert!(!memory.source.is_empty(), "{}", memory.id);
        }
    }
}
