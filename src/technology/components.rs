//! The components of a die, and the area, power and edge that each takes.

use crate::catalog::technology::{Constants, Core, Fabric, Node, Stack};
use crate::catalog::{Technology, technology};
use crate::units::{Area, Bandwidth, Bytes, Energy, Frequency, Length, Power};

/// The pieces of a die. Each may be a visitor's own.
#[derive(Clone, Copy, Debug)]
pub struct Components<'a> {
    /// The process.
    pub node: &'a Node,
    /// The multiprocessors.
    pub core: &'a Core,
    /// The DRAM.
    pub stack: &'a Stack,
    /// The links.
    pub fabric: &'a Fabric,
    /// Accelerators that a switch connects by scale-up links.
    pub domain: u32,
    /// Constants that determine area and power.
    pub constants: &'a Constants,
}

/// Bits per byte.
const BITS: f64 = 8.0;

impl Components<'static> {
    /// Components of known technologies, in domains of 8; `None` if one of them is unknown.
    pub fn named(node: &str, core: &str, memory: &str, fabric: &str) -> Option<Self> {
        Self::of(technology(), node, core, memory, fabric)
    }
}

impl<'a> Components<'a> {
    /// Components from a set of technologies, which may be user-defined; `None` where an id is unknown.
    pub fn of(known: &'a Technology, node: &str, core: &str, memory: &str, fabric: &str) -> Option<Self> {
        Some(Self {
            node: known.node(node)?,
            core: known.core(core)?,
            stack: known.stack(memory)?,
            fabric: known.fabric(fabric)?,
            domain: 8,
            constants: &known.constants,
        })
    }
}

impl Components<'_> {
    /// Area of a multiprocessor's logic, spare ones included: (a + b · FLOP per cycle) / density / enabled.
    pub(super) fn logic(&self) -> Area {
        let constants = self.constants;
        let reference =
            constants.core_mm2.value + constants.tensor_mm2_per_flop.value * self.core.flops_per_cycle.value;
        Area::new(reference / self.node.logic_density.value / constants.enabled.value)
    }

    /// Area of a multiprocessor's registers and shared memory, spare ones included.
    pub(super) fn sram(&self) -> Area {
        self.cache_area(Bytes::new(self.core.sram_kib.value * 1024.0)) / self.constants.enabled.value
    }

    fn mm2_per_byte(&self) -> f64 {
        self.node.sram_um2_per_bit.value * 1e-6 * BITS * self.constants.sram_overhead.value
    }

    /// Area of a cache.
    pub(super) fn cache_area(&self, capacity: Bytes) -> Area {
        Area::new(capacity.get() * self.mm2_per_byte())
    }

    /// The cache that an area holds.
    pub(super) fn cache(&self, area: Area) -> Bytes {
        Bytes::new(area.get() / self.mm2_per_byte())
    }

    /// Area of a stack's interface.
    pub(super) fn interface(&self) -> Area {
        Area::new(self.stack.phy_mm2.value * self.node.analog_area.value)
    }

    /// Power of a stack at full bandwidth.
    pub(super) fn stack_power(&self) -> Power {
        Power::new(self.stack.gb_s.value * 1e9 * BITS * self.stack.pj_per_bit.value * 1e-12)
    }

    /// Bandwidth to other domains per die and direction.
    pub(super) fn scale_out(&self, dies: u32) -> Bandwidth {
        Bandwidth::from_gb(self.fabric.scale_out_gb_s.value / f64::from(dies.max(1)))
    }

    /// Area of links of this bandwidth per direction.
    pub(super) fn link_area(&self, links: Bandwidth) -> Area {
        Area::new(self.constants.link_mm2_per_gb_s.value * self.node.analog_area.value * links.get() / 1e9)
    }

    /// Energy per byte sent in one direction while the other direction sends as much, J/B.
    fn link_energy(&self) -> f64 {
        2.0 * BITS * self.fabric.pj_per_bit.value * 1e-12
    }

    /// Power of links of this bandwidth per direction, both directions busy.
    pub(super) fn link_power(&self, links: Bandwidth) -> Power {
        Power::new(links.get() * self.link_energy())
    }

    /// The links that a power sustains.
    pub(super) fn links(&self, power: Power) -> Bandwidth {
        Bandwidth::new(power.get() / self.link_energy())
    }

    /// Edge that links of this bandwidth take.
    pub(super) fn link_edge(&self, links: Bandwidth) -> Length {
        Length::new(links.get() / (self.fabric.gb_s_per_mm.value * 1e9))
    }

    /// The links that an edge has room for.
    pub(super) fn links_along(&self, edge: Length) -> Bandwidth {
        Bandwidth::new(edge.get() * self.fabric.gb_s_per_mm.value * 1e9)
    }

    /// The highest clock that the process allows.
    pub(super) fn highest_clock(&self) -> Frequency {
        Frequency::from_giga(self.constants.highest_ghz.value * self.node.speed.value)
    }

    /// The clock below which the voltage falls no further.
    pub(super) fn lowest_clock(&self) -> Frequency {
        self.highest_clock() * self.constants.lowest_share.value
    }

    fn reference_clock(&self) -> Frequency {
        Frequency::from_giga(self.constants.reference_ghz.value)
    }

    /// Energy of a multiprocessor's cycle at N7's clock, its share of L2 traffic included.
    fn reference_cycle(&self) -> Energy {
        let constants = self.constants;
        let cache = BITS * constants.l2_bytes_per_cycle.value * constants.l2_pj_per_bit.value;
        let tensor = constants.tensor_pj_per_flop.value * self.core.flops_per_cycle.value;
        Energy::from_pico(constants.core_pj_per_cycle.value + tensor + cache) * self.node.power.value
    }

    /// Energy relative to that at N7's clock: (clock / reference)^k, as voltage follows the clock.
    fn stretch(&self, clock: Frequency) -> f64 {
        let clock = clock.max(self.lowest_clock());
        libm::pow(clock / self.reference_clock(), self.constants.clock_exponent.value)
    }

    /// Energy of a multiprocessor's cycle at a clock.
    pub(super) fn cycle(&self, clock: Frequency) -> Energy {
        self.reference_cycle() * self.stretch(clock)
    }

    /// Energy of one 16-bit matrix operation at a clock, with all that a multiprocessor does for it.
    pub fn operation(&self, clock: Frequency) -> Energy {
        self.cycle(clock) / self.core.flops_per_cycle.value
    }

    /// Energy of moving data between DRAM and die.
    pub fn transfer(&self, bytes: Bytes) -> Energy {
        Energy::from_pico(bytes.get() * BITS * self.stack.pj_per_bit.value)
    }

    /// Energy of sending data over links.
    pub fn send(&self, bytes: Bytes) -> Energy {
        Energy::from_pico(bytes.get() * BITS * self.fabric.pj_per_bit.value)
    }

    /// The clock at which a multiprocessor takes this power: f_ref (P / (E f_ref))^(1 / (k + 1)), where voltage follows the
    /// clock. [`super::Die`] limits it to at least [`Self::lowest_clock`].
    pub(super) fn clock(&self, power: Power) -> Frequency {
        let reference = self.reference_clock();
        let ratio = power / (self.reference_cycle() * reference);
        reference * libm::pow(ratio.max(0.0), 1.0 / (self.constants.clock_exponent.value + 1.0))
    }

    /// Supply voltage at a clock, V. Energy is proportional to its square.
    pub(super) fn voltage(&self, clock: Frequency) -> f64 {
        let nominal = self.reference_clock() * self.node.speed.value;
        self.node.voltage.value * libm::sqrt(self.stretch(clock) / self.stretch(nominal))
    }
}
