//! DRAM technologies.

use serde::Deserialize;

use crate::words::words;

/// A DRAM technology, and what an accelerator fitted with it reaches.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryTechnology {
    /// Unique, lower case.
    pub id: String,
    /// Name on the page, e.g. `HBM3E`.
    pub name: String,
    /// Unit that capacity and bandwidth are counted in.
    pub unit: Unit,
    /// Width of one unit's interface, bits.
    pub bus_bits: u32,
    /// Slowest and fastest bandwidth of one unit, GB/s.
    pub per_unit_gb_s: [f64; 2],
    /// Capacities in which a unit is made, GiB.
    pub unit_gib: Vec<f64>,
    /// Units on a typical accelerator.
    pub typical_units: u32,
    /// Bandwidth of a typical accelerator fitted with it, TB/s.
    pub system_tb_s: f64,
    /// Name of that accelerator.
    pub system: String,
    /// Energy per bit moved, pJ.
    pub energy_pj_per_bit: Option<f64>,
    /// Source of the figures.
    #[serde(default)]
    pub source: String,
}

/// Unit of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// A stack of dies on an interposer.
    #[default]
    Stack,
    /// A chip on the board.
    Chip,
    /// A channel of a module.
    Channel,
}

words!(Unit { Stack "stack", Chip "chip", Channel "channel" });

#[cfg(test)]
mod tests {
    use crate::catalog::catalog;

    #[test]
    fn a_system_is_as_fast_as_its_units() {
        for memory in &catalog().memories {
            let [low, high] = memory.per_unit_gb_s.map(|rate| f64::from(memory.typical_units) * rate / 1e3);
            // Shipped devices stay up to 3 % below what a technology is specified for.
            assert!((0.97 * low..=1.01 * high).contains(&memory.system_tb_s), "{}", memory.id);
            assert!((0.3..=30.0).contains(&memory.system_tb_s), "{} is beyond the sweep", memory.id);
            assert!(!memory.system.is_empty(), "{}", memory.id);
        }
    }

    #[test]
    fn the_named_devices_have_that_bandwidth() {
        let devices = [
            "l40s",
            "rtx-4090",
            "rtx-5090",
            "a100-sxm-40gb",
            "a100-sxm-80gb",
            "h100-sxm",
            "b200",
            "rubin-nvl72",
        ];
        for id in devices {
            let dram = crate::catalog::accelerator(id).map(|device| &device.dram);
            let found =
                dram.and_then(|dram| catalog().memories.iter().find(|memory| memory.name == dram.technology));
            let rates = dram.zip(found).map(|(dram, memory)| (dram.bandwidth_gb_s, memory.system_tb_s * 1e3));
            assert!(rates.is_some_and(|(device, memory)| (device - memory).abs() < 0.5), "{id}: {rates:?}");
        }
    }
}
