//! Searches through whole spaces of plans, which share the times of their layers.

use std::collections::BTreeMap;

use super::space::{Space, Split};
use super::{Layer, Machine, Plan, Step, Strategy, Transformer};

/// The outcome of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Best {
    /// Plans that the rules allow, and how many of them fit into memory.
    pub counts: Counts,
    /// The fastest of those that fit, the first one of equals.
    pub fastest: Option<(Plan, Step)>,
}

/// Sizes of a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Plans that the rules allow.
    pub candidates: u64,
    /// Those that fit into memory.
    pub feasible: u64,
}

/// One model on one machine whose spaces are searched. Layers are timed once: plans that differ in stages, replicas,
/// GPUs or the size of a domain only share them.
#[derive(Clone, Debug)]
pub struct Explorer {
    machine: Machine,
    model: Transformer,
    /// By strategy, grid and microbatch.
    layers: BTreeMap<LayerKey, Placements>,
}

/// Panels (0 without SUMMA), both sides of the grid, microbatch. An explorer's strategies are told apart by their
/// first number.
type LayerKey = [u32; 5];

/// Layers by the members of both groups in a domain.
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
    /// Tries every plan.
    pub fn search(&self, model: &Transformer, space: &Space) -> Best {
        Explorer::new(*self, *model).best(space)
    }
}

impl Explorer {
    /// A search that has timed nothing yet.
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

    /// Goes on with domains of another size, on which no layer's time depends but through its placement.
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

    /// Shows every plan of a space that fits into memory, always in the same order.
    pub fn explore(&mut self, space: &Space, visit: &mut impl FnMut(&Plan, &Step)) -> Counts {
        let mut walk = Walk::new(*space, &self.model);
        while !walk.done() {
            walk.advance(self, u64::MAX, visit);
        }
        walk.counts
    }

    /// All stages, replicas and placements of one cut of a layer.
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
            // What a layer stores does not depend on where its group lies.
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

/// A way through a space, in parts.
#[derive(Clone, Debug)]
pub struct Walk {
    space: Space,
    /// Grids, microbatches and strategies that are yet to be explored, last first.
    grids: Vec<(u32, u32)>,
    cuts: Vec<Cut>,
    /// Stages, replicas and placements of the grid at hand.
    splits: Vec<Split>,
    counts: Counts,
}

impl Walk {
    /// The way through the space of a model.
    pub fn new(space: Space, model: &Transformer) -> Self {
        let mut grids = space.grids(model);
        grids.reverse();
        Self { space, grids, cuts: Vec::new(), splits: Vec::new(), counts: Counts::default() }
    }

    /// What is counted so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns true if there is nothing left.
    pub const fn done(&self) -> bool {
        self.grids.is_empty() && self.cuts.is_empty()
    }

    /// Explores about so many further plans, and shows those that fit into memory.
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

/// One cut of a layer.
#[derive(Clone, Copy, Debug)]
struct Cut {
    strategy: Strategy,
    grid: (u32, u32),
    microbatch: u32,
    batch: u32,
}

/// The layer of a plan, timed unless its placement is known.
fn timed<'a>(known: &'a mut Placements, machine: &Machine, model: &Transformer, plan: &Plan) -> &'a Layer {
    let placed = (plan.inside.first, plan.inside.second);
    let slot = known.iter().position(|(other, _)| *other == placed).unwrap_or_else(|| {
        known.push((placed, machine.layer(model, plan)));
        known.len() - 1
    });
    &known[slot].1
}
