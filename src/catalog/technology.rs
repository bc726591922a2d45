//! Properties of process nodes, DRAM stacks and links, for hypothetical accelerators.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::Sourced;
use super::matrix_rates::MatrixRates;
use crate::json;

/// A logic process, relative to N7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Unique, lower case: `n5`.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// Year of volume production, or announced for it.
    pub year: u16,
    /// Logic per area, relative to N7.
    pub logic_density: Sourced,
    /// Power at N7's clock, relative to N7's.
    pub power: Sourced,
    /// Clock at N7's power, relative to N7's.
    pub speed: Sourced,
    /// Area of a bit cell, µm².
    pub sram_um2_per_bit: Sourced,
    /// Area of the same interface circuit, relative to N7: analog hardly shrinks.
    pub analog_area: Sourced,
    /// Supply at the clock that N7's power allows, V.
    pub voltage: Sourced,
}

/// A kind of multiprocessor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// Unique, lower case.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// The accelerators' generation whose measured efficiencies apply.
    pub architecture: String,
    /// Dense 16-bit matrix operations per cycle.
    pub flops_per_cycle: Sourced,
    /// 32-bit vector operations per cycle.
    pub vector_flops_per_cycle: Sourced,
    /// Registers and shared memory, KiB.
    pub sram_kib: Sourced,
    /// Rate of each format that it multiplies, relative to 16 bits.
    pub rates: MatrixRates,
}

/// A stack of DRAM and its interface on the die.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// The id of its [`super::MemoryTechnology`].
    pub memory: String,
    /// Bandwidth as first shipped, GB/s.
    pub gb_s: Sourced,
    /// Capacity as first shipped, GiB.
    pub gib: Sourced,
    /// Energy per bit, from cell to die, pJ.
    pub pj_per_bit: Sourced,
    /// Die edge that it takes, mm.
    pub edge_mm: Sourced,
    /// Die area of its interface in N7, mm².
    pub phy_mm2: Sourced,
}

/// A generation of links: the same lanes go to the GPUs of the domain and to the network card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Unique, lower case: `ndr`.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// Bandwidth to other domains per accelerator and direction, GB/s.
    pub scale_out_gb_s: Sourced,
    /// Most bandwidth per direction and die edge, GB/s per mm.
    pub gb_s_per_mm: Sourced,
    /// Energy per bit sent, pJ.
    pub pj_per_bit: Sourced,
}

/// Constants that determine a die's area and power, for process N7 unless stated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Area of a multiprocessor's logic apart from its tensor cores, mm².
    pub core_mm2: Sourced,
    /// Area of tensor cores, mm² per operation and cycle.
    pub tensor_mm2_per_flop: Sourced,
    /// Energy of a multiprocessor apart from its tensor cores, pJ per cycle.
    pub core_pj_per_cycle: Sourced,
    /// Energy of tensor cores, pJ per operation.
    pub tensor_pj_per_flop: Sourced,
    /// Clock at which those energies hold, GHz.
    pub reference_ghz: Sourced,
    /// Highest clock, GHz.
    pub highest_ghz: Sourced,
    /// Clock below which the voltage falls no further, as a share of the highest.
    pub lowest_share: Sourced,
    /// Exponent of the energy per operation in the clock.
    pub clock_exponent: Sourced,
    /// Share of the multiprocessors that is enabled; the others are spare.
    pub enabled: Sourced,
    /// Area of SRAM over that of its bit cells.
    pub sram_overhead: Sourced,
    /// L2 traffic per multiprocessor and cycle, bytes.
    pub l2_bytes_per_cycle: Sourced,
    /// Energy of L2 traffic, pJ per bit.
    pub l2_pj_per_bit: Sourced,
    /// Area of links, mm² per GB/s and direction.
    pub link_mm2_per_gb_s: Sourced,
    /// Share of area that is neither multiprocessor, cache nor interface.
    pub uncore_area: Sourced,
    /// Share of power that the same takes.
    pub uncore_power: Sourced,
    /// Usual share of area for L2.
    pub l2_area: Sourced,
    /// Most of the die's edge that DRAM may take, as a share.
    pub dram_edge: Sourced,
    /// Most of the die's edge that links may take, as a share.
    pub network_edge: Sourced,
    /// Usual share of power for links.
    pub network_power: Sourced,
}

/// A real accelerator with its components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Built {
    /// The id of its [`super::Accelerator`].
    pub accelerator: String,
    /// The id of its [`Node`].
    pub node: String,
    /// The id of its [`Core`].
    pub core: String,
    /// The memory of its [`Stack`]s.
    pub memory: String,
    /// The id of its [`Fabric`].
    pub fabric: String,
    /// Dies in the package.
    pub dies: u32,
    /// True if constants are fitted to it.
    pub fitted: bool,
    /// Area of one die, mm².
    pub die_mm2: Sourced,
}

/// Technologies of accelerators, and the constants that determine their area and power.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Technology {
    /// Processes, coarsest first.
    pub nodes: Vec<Node>,
    /// Multiprocessors, oldest first.
    pub cores: Vec<Core>,
    /// DRAM stacks, slowest first.
    pub stacks: Vec<Stack>,
    /// Links, slowest first.
    pub fabrics: Vec<Fabric>,
    /// Accelerators with which the constants are compared.
    pub built: Vec<Built>,
    /// Constants that determine area and power.
    pub constants: Constants,
}

/// The library's set of technologies.
#[expect(
    clippy::missing_panics_doc,
    clippy::expect_used,
    reason = "the data is compiled in, and a test parses it"
)]
pub fn technology() -> &'static Technology {
    static PARSED: OnceLock<Technology> = OnceLock::new();
    PARSED.get_or_init(|| {
        json::from_text(include_str!("data/technology.json")).expect("technology.json is well-formed")
    })
}

impl Technology {
    /// The node with this id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The multiprocessor with this id.
    pub fn core(&self, id: &str) -> Option<&Core> {
        self.cores.iter().find(|core| core.id == id)
    }

    /// The stack of this memory technology.
    pub fn stack(&self, memory: &str) -> Option<&Stack> {
        self.stacks.iter().find(|stack| stack.memory == memory)
    }

    /// The links with this id.
    pub fn fabric(&self, id: &str) -> Option<&Fabric> {
        self.fabrics.iter().find(|fabric| fabric.id == id)
    }
}

impl Stack {
    /// Name on the page, e.g. `HBM3E`.
    pub fn name(&self) -> String {
        self.memory.to_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use super::technology;
    use crate::catalog::catalog;

    #[test]
    fn each_node_is_better_than_the_one_before() {
        for pair in technology().nodes.windows(2) {
            let [old, new] = pair else { continue };
            assert!(new.logic_density.value > old.logic_density.value, "{}", new.id);
            assert!(new.power.value < old.power.value, "{}", new.id);
            assert!(new.speed.value > old.speed.value, "{}", new.id);
            assert!(new.analog_area.value < old.analog_area.value, "{}", new.id);
            // SRAM density does not improve in two of the steps.
            assert!(new.sram_um2_per_bit.value <= old.sram_um2_per_bit.value, "{}", new.id);
        }
    }

    /// A node's power at equal clock and clock at equal power are two points of one law.
    #[test]
    fn the_claims_of_each_node_agree_on_the_clocks_exponent() {
        for node in &technology().nodes {
            let (power, speed) = (node.power.value, node.speed.value);
            if node.id != "n7" {
                let exponent = -libm::log(power * speed) / libm::log(speed);
                assert!((1.5..=1.9).contains(&exponent), "{}: {exponent}", node.id);
            }
        }
    }

    #[test]
    fn stacks_are_those_of_the_catalogue() {
        for stack in &technology().stacks {
            let memory = catalog().memories.iter().find(|memory| memory.id == stack.memory);
            let (low, high) =
                memory.map(|memory| (memory.per_unit_gb_s[0], memory.per_unit_gb_s[1])).unwrap_or_default();
            assert!((low..=high).contains(&stack.gb_s.value), "{}", stack.memory);
            assert!(
                memory.is_some_and(|memory| memory.unit_gib.contains(&stack.gib.value)),
                "{}",
                stack.memory
            );
            let energy = memory.and_then(|memory| memory.energy_pj_per_bit);
            assert!(energy.is_none_or(|energy| (energy - stack.pj_per_bit.value).abs() < 1e-9));
        }
        for fabric in &technology().fabrics {
            let id = format!("ib-{}", fabric.id);
            let link = catalog().interconnects.iter().find(|link| link.id == id);
            assert_eq!(link.map(|link| link.gb_s), Some(fabric.scale_out_gb_s.value), "{id}");
        }
    }
}
