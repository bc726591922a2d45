//! The die that follows from components, budgets and their allocation.

use serde::Serialize;

use super::allocation::Allocation;
use super::budget::{Budget, Resource};
use super::budget_split::{BudgetSplit, DiePart, Split};
use super::components::Components;
use crate::catalog::accelerator::{Dram, L2, ScaleOut};
use crate::catalog::scale_up::{ScaleUp, Topology};
use crate::catalog::{Accelerator, Class, MatrixRates};
use crate::units::{Area, Bandwidth, Bytes, FlopRate, Frequency, Power};

/// One die, and where its budgets went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Die {
    /// Allocation of the budgets.
    pub allocation: Allocation,
    /// Multiprocessors that are enabled.
    pub multiprocessors: u32,
    /// Clock at which the power is used up, or the highest that the process allows.
    pub clock: Frequency,
    /// Supply at that clock, V.
    pub voltage: f64,
    /// Dense 16-bit matrix rate.
    pub matrix: FlopRate,
    /// L2 capacity.
    pub l2: Bytes,
    /// DRAM bandwidth.
    pub dram: Bandwidth,
    /// Resource that limits the matrix rate.
    pub bound: Resource,
    /// The budgets of area, power and edge, divided among the parts.
    #[serde(rename = "account")]
    pub budgets: BudgetSplit,
}

impl Components<'_> {
    /// The die: interfaces and cache as allocated, multiprocessors on the remaining area, at the clock that the
    /// remaining power sustains. `None` without remaining area or power.
    pub fn die(&self, budget: &Budget, allocation: Allocation) -> Option<Die> {
        let constants = self.constants;
        let stacks = f64::from(allocation.stacks);
        let links = allocation.scale_up + self.scale_out(budget.dies);
        let cache = budget.area * allocation.l2;
        let fixed = [
            (DiePart::L2, cache),
            (DiePart::Dram, self.interface() * stacks),
            (DiePart::Network, self.link_area(links)),
            (DiePart::Uncore, budget.area * constants.uncore_area.value),
        ];
        let drawn = [
            (DiePart::Dram, self.stack_power() * stacks),
            (DiePart::Network, self.link_power(links)),
            (DiePart::Uncore, budget.power * constants.uncore_power.value),
        ];
        let dram_edge = self.edge(allocation.stacks);
        let edges = [
            (DiePart::Dram, dram_edge),
            (DiePart::Network, self.link_edge(links)),
            (DiePart::Uncore, budget.edge * (1.0 - constants.dram_edge.value - constants.network_edge.value)),
        ];
        let left = |budget: f64, spent: f64| (budget - spent).max(0.0);
        let area = left(budget.area.get(), fixed.iter().map(|(_, area)| area.get()).sum());
        let power = left(budget.power.get(), drawn.iter().map(|(_, power)| power.get()).sum());
        let within_edge = dram_edge <= budget.edge * constants.dram_edge.value * ROUNDING
            && self.link_edge(links) <= budget.edge * constants.network_edge.value * ROUNDING;
        if !within_edge {
            return None;
        }
        let (count, clock, bound) = self.cores(Area::new(area), Power::new(power))?;
        let cores = f64::from(count);
        let core_power = (self.cycle(clock) * clock) * cores;
        let budgets = BudgetSplit {
            area: Split::of(
                budget.area,
                &[
                    &[(DiePart::Cores, self.logic() * cores), (DiePart::Sram, self.sram() * cores)],
                    &fixed[..],
                ]
                .concat(),
            ),
            power: Split::of(budget.power, &[&[(DiePart::Cores, core_power)], &drawn[..]].concat()),
            edge: Split::of(budget.edge, &edges),
        };
        Some(Die {
            allocation,
            multiprocessors: count,
            clock,
            voltage: self.voltage(clock),
            matrix: FlopRate::new(cores * self.core.flops_per_cycle.value * clock.get()),
            l2: self.cache(cache),
            dram: Bandwidth::from_gb(self.stack.gb_s.value * stacks),
            bound,
            budgets,
        })
    }

    /// As many multiprocessors as fit into the area, at the clock that the power sustains. If this clock is below the
    /// minimum, fewer run at the minimum clock and the rest of the area stays dark.
    fn cores(&self, area: Area, power: Power) -> Option<(u32, Frequency, Resource)> {
        let room = (area / (self.logic() + self.sram())).floor().min(MOST_MULTIPROCESSORS);
        if !(room >= 1.0 && power > Power::ZERO) {
            return None;
        }
        let clock = self.clock(power / room);
        let lowest = self.lowest_clock();
        if clock >= self.highest_clock() {
            Some((room as u32, self.highest_clock(), Resource::Area))
        } else if clock >= lowest {
            Some((room as u32, clock, Resource::Power))
        } else {
            let lit = (power / (self.cycle(lowest) * lowest)).floor().min(room);
            (lit >= 1.0).then_some((lit as u32, lowest, Resource::Power))
        }
    }

    /// The catalogue entry of an accelerator made of such dies.
    pub fn accelerator(&self, budget: &Budget, die: &Die) -> Accelerator {
        let dies = f64::from(budget.dies);
        let sixteen = die.matrix.to_tera() * dies;
        let times = |factor: Option<f64>| factor.map(|factor| sixteen * factor);
        let core = self.core;
        let rates = &core.rates;
        let vector = f64::from(die.multiprocessors) * core.vector_flops_per_cycle.value * die.clock.get();
        let (node, stack, fabric) = (self.node, self.stack, self.fabric);
        Accelerator {
            id: format!("{}-{}-{}-{}", node.id, core.id, stack.memory, fabric.id),
            name: format!("{}, {}, {}", node.name, stack.name(), fabric.name),
            vendor: "Parametric".to_owned(),
            architecture: core.architecture.clone(),
            year: node.year,
            class: Class::DataCenter,
            announced: false,
            matrix_tflops: MatrixRates {
                tf32: times(rates.tf32),
                bf16: times(rates.bf16),
                fp16: times(rates.fp16),
                fp8: times(rates.fp8),
                fp6: times(rates.fp6),
                fp4: times(rates.fp4),
                int8: times(rates.int8),
            },
            vector_tflops: vector * dies / 1e12,
            dram: Dram {
                technology: stack.name(),
                capacity_gib: stack.gib.value * f64::from(die.allocation.stacks) * dies,
                bandwidth_gb_s: die.dram.get() * dies / 1e9,
                stacks: Some(die.allocation.stacks.saturating_mul(budget.dies)),
            },
            l2: Some(L2 { capacity_mb: die.l2.get() * dies / 1e6, bandwidth_gb_s: None }),
            multiprocessors: Some(die.multiprocessors.saturating_mul(budget.dies)),
            boost_mhz: Some(die.clock.get() / 1e6),
            tdp_w: Some(budget.power.get() * dies),
            server_w: None,
            sockets: 1,
            node: Some(node.name.clone()),
            die_mm2: Some(budget.area.get()),
            host: None,
            vector16_tflops: None,
            paper: None,
            scale_up: ScaleUp {
                technology: format!("{} lanes", fabric.name),
                gb_s: die.allocation.scale_up.get() * dies / 1e9,
                domain: self.domain,
                sums: false,
                topology: Topology::Switched,
                bridge: None,
            },
            scale_out: ScaleOut {
                technology: format!("InfiniBand {}", fabric.name),
                gb_s: fabric.scale_out_gb_s.value,
            },
            source: "Parametric: technology.json".to_owned(),
            recalled: Vec::new(),
            notes: None,
        }
    }
}

/// Far more than any die has: a visitor's own numbers may make a multiprocessor as small as they like.
const MOST_MULTIPROCESSORS: f64 = 1e6;

/// Tolerance for budgets that are full up to rounding.
const ROUNDING: f64 = 1.0 + 1e-9;
