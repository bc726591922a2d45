//! Dies that were built, as the model builds them.

use serde::Serialize;

use super::allocation::Allocation;
use super::budget::Budget;
use super::components::Components;
use super::die::Die;
use crate::catalog::technology::Built;
use crate::catalog::{self, Accelerator, Technology};
use crate::units::{Area, Bandwidth, Bytes, Frequency, Power};

/// A real accelerator, and the model's with the same budgets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// The catalogue id.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// True if constants were fitted to it.
    pub fitted: bool,
    /// The die that the model derives from the budgets.
    pub die: Die,
    /// Each figure per die, real and modelled.
    pub misses: Vec<Miss>,
}

/// One figure of a die.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Miss {
    /// The quantity.
    pub quantity: &'static str,
    /// Unit of the quantity.
    pub unit: &'static str,
    /// Published.
    pub real: f64,
    /// Modelled value.
    pub model: f64,
}

impl Miss {
    /// Modelled over real, less 1.
    pub fn error(&self) -> f64 {
        self.model / self.real - 1.0
    }
}

/// The A100, the H100, the B200 and, not fitted, the V100, with the misses of each.
pub fn references(known: &Technology) -> Vec<Reference> {
    known.built.iter().filter_map(|built| reference(known, built)).collect()
}

fn reference(known: &Technology, built: &Built) -> Option<Reference> {
    let real = catalog::accelerator(&built.accelerator)?;
    let components = Components::of(known, &built.node, &built.core, &built.memory, &built.fabric)?;
    let power = Power::new(real.tdp_w? / f64::from(built.dies));
    let area = Area::new(built.die_mm2.value);
    let budget = if built.dies == 2 { Budget::pair(area, power) } else { Budget::single(area, power) };
    let die = components.die(&budget, components.usual(&budget))?;
    let misses = misses(&components, &budget, &die, real)?;
    let (id, name) = (real.id.clone(), real.name.clone());
    Some(Reference { id, name, fitted: built.fitted, die, misses })
}

fn misses(components: &Components<'_>, budget: &Budget, die: &Die, real: &Accelerator) -> Option<Vec<Miss>> {
    let dies = f64::from(budget.dies);
    let stacks = f64::from(real.dram.stacks?);
    let clock = Frequency::from_giga(real.boost_mhz? / 1e3);
    let multiprocessors = f64::from(real.multiprocessors?) / dies;
    let l2 = real.l2.as_ref().map(|l2| l2.capacity_mb / dies)?;
    let built = Allocation {
        l2: components.cache_area(Bytes::from_mb(l2)) / budget.area,
        stacks: (stacks / dies) as u32,
        scale_up: Bandwidth::from_gb(real.scale_up.gb_s / dies),
    };
    let (area, power) = components.needs(budget, built, multiprocessors, clock);
    let matrix = real.matrix_tflops.bf16.or(real.matrix_tflops.fp16)?;
    let miss = |quantity, unit, real, model| Miss { quantity, unit, real, model };
    Some(vec![
        miss("Matrix rate, 16 bits", "TFLOP/s", matrix / dies, die.matrix.to_tera()),
        miss("Multiprocessors", "", multiprocessors, f64::from(die.multiprocessors)),
        miss("Clock", "GHz", clock.to_giga(), die.clock.to_giga()),
        miss("DRAM bandwidth", "GB/s", real.dram.bandwidth_gb_s / dies, die.dram.get() / 1e9),
        miss(
            "DRAM bandwidth of a stack",
            "GB/s",
            real.dram.bandwidth_gb_s / stacks,
            components.stack.gb_s.value,
        ),
        miss("L2", "MB", l2, die.l2.get() / 1e6),
        miss("Scale-up bandwidth", "GB/s", real.scale_up.gb_s / dies, die.allocation.scale_up.get() / 1e9),
        miss("Area for what was built", "mm²", budget.area.get(), area.get()),
        miss("Power of what was built", "W", budget.power.get(), power.get()),
    ])
}

impl Components<'_> {
    /// Area and power that a die of these multiprocessors at this clock needs, whatever there is.
    fn needs(
        &self,
        budget: &Budget,
        built: Allocation,
        multiprocessors: f64,
        clock: Frequency,
    ) -> (Area, Power) {
        let constants = self.constants;
        let links = built.scale_up + self.scale_out(budget.dies);
        let stacks = f64::from(built.stacks);
        let area = (self.logic() + self.sram()) * multiprocessors
            + self.interface() * stacks
            + self.link_area(links)
            + budget.area * (built.l2 + constants.uncore_area.value);
        let power = (self.cycle(clock) * clock) * multiprocessors
            + self.stack_power() * stacks
            + self.link_power(links)
            + budget.power * constants.uncore_power.value;
        (area, power)
    }
}
