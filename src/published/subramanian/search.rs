//! Exhaustive search over spaces of plans. Layer times are cached and shared between plans.

use std::collections::BTreeMap;

use super::space::{Space, Split};
use super::{Layer, Machine, Plan, Step, Strategy, Transformer};

/// The outcome of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Best {
    /// Number of plans that the rules allow, and of those that fit into memory.
    pub counts: Counts,
    /// The fastest plan that fits; the first one in case of a tie.
    pub fastest: Option<(Plan, Step)>,
}

/// Number of plans in a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Plans that the rules allow.
    pub candidates: u64,
    /// Plans that fit into memory.
    pub feasible: u64,
}

/// Search state for one model on one machine. Layer times are cached: plans that differ only in stages, replicas,
/// number of GPUs or domain size share them.
#[derive(Clone, Debug)]
pub struct Explorer {
    machine: Machine,
    model: Transformer,
    /// Timed layers by strategy, grid and microbatch.
    layers: BTreeMap<LayerKey, Placements>,
}

/// Strategy (0 to 2), panels (0 without SUMMA), both sides of the grid, microbatch.
type LayerKey = [u32; 5];

/// Layers by the number of members of both tensor-parallel groups inside a domain.
type Placements = Vec<((u32, u32), Layer)>;

fn key(strategy: Strategy, (first, second): (u32, u32), microbatch: u32) -> LayerKey {
    let (kind, panels) = match strategy {
        Strategy::OneD => (0, 0),
        Strategy::Context => (1, 0),
        Strategy::Summa { panels } => (2, panels),
    };
    [kind, panels, first, second, microbatch]
}

impl Machine {
    /// Searches all plans of a space.
    pub fn search(&self, model: &Transformer, space: &Space) -> Best {
        Explorer::new(*self, *model).best(space)
    }
}

impl Explorer {
    /// An explorer with an empty cache.
    pub const fn new(machine: Machine, model: Transformer) -> Self {
        Self { machine, model, layers: BTreeMap::new() }
    }

    /// The machine.
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The model.
    pub const fn model(&self) -> &Transformer {
        &self.model
    }

    /// Changes the size of scale-up domains. Cached layers stay valid: they depend on it only through their placement.
    pub fn set_domain(&mut self, domain: u32) {
        self.machine.domain = domain;
    }

    /// The fastest plan of a space.
    pub fn best(&mut self, space: &Space) -> Best {
        let mut fastest: Option<(Plan, Step)> = None;
        let counts = self.explore(space, &mut |plan, step| {
            if fastest.is_none_or(|(_, fastest)| step.time < fastest.time) {
                fastest = Some((*plan, *step));
            }
        });
        Best { counts, fastest }
    }

    /// Calls `visit` with every plan of a space that fits into memory, in a fixed order.
    pub fn explore(&mut self, space: &Space, visit: &mut impl FnMut(&Plan, &Step)) -> Counts {
        let mut walk = Walk::new(*space, &self.model);
        while !walk.done() {
            walk.advance(self, u64::MAX, visit);
        }
        walk.counts
    }

    /// Explores all stages, replicas and placements for one layer configuration.
    fn explore_splits(
        &mut self,
        of: &Cut,
        splits: &[Split],
        counts: &mut Counts,
        visit: &mut impl FnMut(&Plan, &Step),
    ) {
        let Self { machine, model, layers } = self;
        let Cut { strategy, grid, microbatch, batch } = *of;
        let known = layers.entry(key(strategy, grid, microbatch)).or_default();
        let plan = |degrees, inside| Plan { strategy, degrees, inside, microbatch };
        for Split { degrees, placements } in splits {
            if !(batch / degrees.data).is_multiple_of(microbatch) {
                continue;
            }
            let Some(first) = placements.first() else { continue };
            counts.candidates += placements.len() as u64;
            // Memory does not depend on the placement, so one placement decides for all.
            let first = plan(*degrees, *first);
            let stored = match known.first() {
                Some((_, layer)) => *layer,
                None => *timed(known, machine, model, &first),
            };
            if Machine::memory_of(&stored, model, &first, batch).total() > machine.capacity {
                continue;
            }
            counts.feasible += placements.len() as u64;
            for inside in placements {
                let plan = plan(*degrees, *inside);
                let layer = timed(known, machine, model, &plan);
                visit(&plan, &machine.step_of(layer, model, &plan, batch));
            }
        }
    }
}

/// An interruptible walk through a space of plans.
#[derive(Clone, Debug)]
pub struct Walk {
    space: Space,
    /// Grids still to be explored, in reverse order.
    grids: Vec<(u32, u32)>,
    cuts: Vec<Cut>,
    /// Stages, replicas and placements of the current grid.
    splits: Vec<Split>,
    counts: Counts,
}

impl Walk {
    /// A walk through the space of a model.
    pub fn new(space: Space, model: &Transformer) -> Self {
        let mut grids = space.grids(model);
        grids.reverse();
        Self { space, grids, cuts: Vec::new(), splits: Vec::new(), counts: Counts::default() }
    }

    /// Number of plans so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns true if the walk is complete.
    pub const fn done(&self) -> bool {
        self.grids.is_empty() && self.cuts.is_empty()
    }

    /// Explores at least `plans` further plans, and calls `visit` with those that fit into memory.
    pub fn advance(&mut self, explorer: &mut Explorer, plans: u64, visit: &mut impl FnMut(&Plan, &Step)) {
        let enough = self.counts.candidates.saturating_add(plans);
        while self.counts.candidates < enough {
            if let Some(cut) = self.cuts.pop() {
                explorer.explore_splits(&cut, &self.splits, &mut self.counts, visit);
            } else if let Some(grid) = self.grids.pop() {
                self.enter(grid, explorer);
            } else {
                return;
            }
        }
    }

    fn enter(&mut self, grid: (u32, u32), explorer: &Explorer) {
        let Self { space, cuts, .. } = self;
        let (model, batch) = (&explorer.model, space.batch);
        let strategies = space.strategies(model, grid);
        for microbatch in space.microbatches(model, grid) {
            cuts.extend(strategies.iter().map(|&strategy| Cut { strategy, grid, microbatch, batch }));
        }
        cuts.reverse();
        self.splits = space.splits(model, grid, explorer.machine.domain);
    }
}

/// A layer configuration.
#[derive(Clone, Copy, Debug)]
struct Cut {
    strategy: Strategy,
    grid: (u32, u32),
    microbatch: u32,
    batch: u32,
}

/// The layer of a plan, from the cache or newly timed.
fn timed<'a>(known: &'a mut Placements, machine: &Machine, model: &Transformer, plan: &Plan) -> &'a Layer {
    let placed = (plan.inside.first, plan.inside.second);
    let slot = known.iter().position(|(other, _)| *other == placed).unwrap_or_else(|| {
        known.push((placed, machine.layer(model, plan)));
        known.len() - 1
    });
    &known[slot].1
}
