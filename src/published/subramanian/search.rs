//! The whole space of plans, and the fastest that fits (section 5 of the paper's model).

use super::{Degrees, Layer, Machine, Plan, Step, Strategy, Transformer};

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Whether one group, tensor and context, or a SUMMA grid cuts the matrices; panels are searched.
    pub strategy: Strategy,
    /// GPUs.
    pub gpus: u32,
    /// Sequences per step.
    pub batch: u32,
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Best {
    /// Plans that the rules allow.
    pub candidates: u64,
    /// Those that fit into memory.
    pub feasible: u64,
    /// The fastest of these.
    pub fastest: Option<(Plan, Step)>,
}

/// The narrowest local matrix that the authors allow.
const NARROWEST: u32 = 128;
/// The narrowest panel.
const PANEL: u32 = 512;

impl Machine {
    /// Tries every plan.
    pub fn search(&self, model: &Transformer, space: &Space) -> Best {
        let mut best = Best::default();
        space.visit(model, self.domain, &mut |plan, layer: &mut Option<Layer>| {
            best.candidates += 1;
            let layer = layer.get_or_insert_with(|| self.layer(model, plan));
            let step = self.step_of(layer, model, plan, space.batch);
            if step.memory.total() > self.capacity {
                return;
            }
            best.feasible += 1;
            if best.fastest.is_none_or(|(_, fastest)| step.time < fastest.time) {
                best.fastest = Some((*plan, step));
            }
        });
        best
    }
}

fn divisors(number: u32) -> impl Iterator<Item = u32> {
    (1..=number).filter(move |divisor| number.is_multiple_of(*divisor))
}

impl Space {
    /// Every plan with a slot for its layer, which plans that differ in stages and replicas only share.
    fn visit(&self, model: &Transformer, domain: u32, visit: &mut impl FnMut(&Plan, &mut Option<Layer>)) {
        for (first, second) in self.grids(model) {
            let tensor = first * second;
            for microbatch in divisors(self.batch) {
                let tokens = u64::from(microbatch) * u64::from(model.sequence);
                let unit = if matches!(self.strategy, Strategy::Summa { .. }) { second } else { tensor };
                if !tokens.is_multiple_of(u64::from(unit)) {
                    continue;
                }
                for strategy in self.panelled(model, first, second) {
                    let mut layers: Vec<((u32, u32), Option<Layer>)> = Vec::new();
                    for pipeline in divisors((self.gpus / tensor).min(model.depth)) {
                        let data = self.gpus / tensor / pipeline;
                        let fits = model.depth.is_multiple_of(pipeline)
                            && self.gpus.is_multiple_of(tensor * pipeline)
                            && self.batch.is_multiple_of(data)
                            && (self.batch / data).is_multiple_of(microbatch);
                        if !fits {
                            continue;
                        }
                        let degrees = Degrees { first, second, data, pipeline };
                        self.placements(degrees, domain, &mut |inside| {
                            let key = (inside.first, inside.second);
                            let slot = layers.iter().position(|(placed, _)| *placed == key);
                            let slot = slot.unwrap_or_else(|| {
                                layers.push((key, None));
                                layers.len() - 1
                            });
                            visit(&Plan { strategy, degrees, inside, microbatch }, &mut layers[slot].1);
                        });
                    }
                }
            }
        }
    }

    /// Sizes of the two groups that cut a layer.
    fn grids(&self, model: &Transformer) -> Vec<(u32, u32)> {
        let fits = |tensor: &u32| {
            self.gpus.is_multiple_of(*tensor)
                && model.heads.is_multiple_of(*tensor)
                && model.width.is_multiple_of(*tensor)
        };
        if self.strategy == Strategy::OneD {
            let wide = |tensor: &u32| 3 * model.width / tensor >= NARROWEST;
            return divisors(self.gpus).filter(fits).filter(wide).map(|tensor| (tensor, 1)).collect();
        }
        let mut grids = Vec::new();
        for tensor in divisors(self.gpus) {
            for first in divisors(tensor).filter(fits) {
                let second = tensor / first;
                let wide = model.width / first >= NARROWEST && model.sequence / second >= NARROWEST;
                let whole = self.strategy == Strategy::Context || model.width.is_multiple_of(second);
                if wide && whole {
                    grids.push((first, second));
                }
            }
        }
        grids
    }

    /// Panels in powers of two from the larger side of the grid.
    fn panelled(&self, model: &Transformer, first: u32, second: u32) -> Vec<Strategy> {
        if !matches!(self.strategy, Strategy::Summa { .. }) {
            return vec![self.strategy];
        }
        let mut panels = first.max(second);
        let mut found = vec![Strategy::Summa { panels }];
        while model.width / (2 * panels) >= PANEL {
            panels *= 2;
            found.push(Strategy::Summa { panels });
        }
        found
    }

    /// Ways to fill a domain with members of the groups; a job that fits into one is inside altogether.
    fn placements(&self, degrees: Degrees, domain: u32, visit: &mut impl FnMut(Degrees)) {
        if self.gpus <= domain {
            visit(degrees);
            return;
        }
        for first in divisors(domain).filter(|part| degrees.first.is_multiple_of(*part)) {
            let rest = domain / first;
            for second in divisors(rest).filter(|part| degrees.second.is_multiple_of(*part)) {
                let rest = rest / second;
                for data in divisors(rest).filter(|part| degrees.data.is_multiple_of(*part)) {
                    let pipeline = rest / data;
                    if degrees.pipeline.is_multiple_of(pipeline) {
                        visit(Degrees { first, second, data, pipeline });
                    }
                }
            }
        }
    }
}
