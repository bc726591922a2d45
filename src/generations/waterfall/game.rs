//! The machine of every coalition of causes, and how fast it is.

use std::collections::BTreeMap;

use super::cause::Cause;
use super::plans::{Plans, Slice};
use super::side::{End, Side};
use crate::catalog::Architecture;
use crate::plan::Plan;
use crate::system::{Assumed, Precision, System};
use crate::training::{FrameworkOverheads, TrainingJob, TrainingRecipe};
use crate::units::Seconds;

/// Two sides, and the causes in which they differ.
pub(super) struct Game<'a> {
    architecture: &'a Architecture,
    sides: [Side<'a>; 2],
    systems: [System; 2],
    causes: Vec<Cause>,
    overheads: FrameworkOverheads,
    /// All plans for either side's job.
    plans: [Plans; 2],
}

/// The logarithm of every coalition's speed, and both ends.
pub(super) struct Values {
    pub(super) logarithms: Vec<f64>,
    pub(super) from: End,
    pub(super) to: End,
}

impl<'a> Game<'a> {
    pub(super) fn new(
        architecture: &'a Architecture,
        from: Side<'a>,
        to: Side<'a>,
        assumed: Assumed,
    ) -> Result<Self, String> {
        let systems = [&from, &to].map(|side| System::new(side.accelerator, assumed));
        for (side, system) in [&from, &to].into_iter().zip(&systems) {
            let precision = side.recipe.precision;
            if system.device.peak(precision).is_none() {
                return Err(format!("{} has no {} matrix units", side.accelerator.name, precision.name()));
            }
        }
        let mut to = to;
        // Settings that are no causes keep their values: a fused attention kernel, for example, is no property of a
        // device.
        to.recipe = TrainingRecipe {
            batch: to.recipe.batch,
            sequence: to.recipe.sequence,
            precision: to.recipe.precision,
            ..from.recipe
        };
        let overheads = from.recipe.framework.overheads_on(&assumed, from.accelerator);
        let domain = from.accelerator.scale_up.domain.max(to.accelerator.scale_up.domain);
        let plans = [&from, &to].map(|side| {
            let job = TrainingJob {
                architecture,
                system: &systems[0],
                plan: &from.plan,
                recipe: &side.recipe,
                gpus: side.gpus,
                overheads,
            };
            Plans::of(&job, domain)
        });
        let mut game =
            Self { architecture, sides: [from, to], systems, causes: Vec::new(), overheads, plans };
        game.causes = Cause::ALL.into_iter().filter(|cause| game.differs(*cause)).collect();
        Ok(game)
    }

    /// The causes in which the sides differ, in the order of a coalition's bits.
    pub(super) fn causes(&self) -> &[Cause] {
        &self.causes
    }

    fn differs(&self, cause: Cause) -> bool {
        let [from, to] = &self.sides;
        let [old, new] = &self.systems;
        match cause {
            Cause::Rate => {
                Precision::ALL.iter().any(|&format| old.device.peak(format) != new.device.peak(format))
            }
            Cause::Precision => from.recipe.precision != to.recipe.precision,
            Cause::DramBandwidth => old.device.dram != new.device.dram,
            Cause::DramCapacity => old.device.capacity != new.device.capacity,
            Cause::ScaleUp => {
                let links = |system: &System| (system.network.scale_up, system.network.bridge);
                links(old) != links(new)
            }
            Cause::Domain => old.network.domain != new.network.domain,
            Cause::ScaleOut => old.network.scale_out != new.network.scale_out,
            Cause::Job => {
                let job = |side: &Side<'_>| (side.recipe.batch, side.recipe.sequence, side.gpus);
                job(from) != job(to)
            }
            Cause::Plan => true,
            Cause::Rest => {
                let rest = |system: &System| {
                    let device = &system.device;
                    (device.vector, device.l2, device.multiprocessors, system.assumptions.clone())
                };
                rest(old) != rest(new)
            }
        }
    }

    fn has(&self, coalition: usize, cause: Cause) -> bool {
        self.causes.iter().position(|other| *other == cause).is_some_and(|place| coalition >> place & 1 == 1)
    }

    /// 1 where the coalition has the cause, else 0: which side counts.
    fn side(&self, coalition: usize, cause: Cause) -> usize {
        usize::from(self.has(coalition, cause))
    }

    fn system(&self, coalition: usize) -> System {
        let of = |cause| &self.systems[self.side(coalition, cause)];
        let mut system = of(Cause::Rest).clone();
        system.device.dram = of(Cause::DramBandwidth).device.dram;
        system.device.capacity = of(Cause::DramCapacity).device.capacity;
        system.network.scale_up = of(Cause::ScaleUp).network.scale_up;
        system.network.bridge = of(Cause::ScaleUp).network.bridge;
        system.network.domain = of(Cause::Domain).network.domain;
        system.network.scale_out = of(Cause::ScaleOut).network.scale_out;
        system.device.matrix = of(Cause::Rate).device.matrix;
        if self.has(coalition, Cause::Precision) {
            // The first device may lack the narrower format; the second device's speed-up by the format is applied.
            let [wide, narrow] = [0, 1].map(|side: usize| self.sides[side].recipe.precision);
            let second = &self.systems[1].device;
            let rate = system.device.rate(wide) * (second.rate(narrow) / second.rate(wide));
            let place = Precision::ALL.iter().position(|format| *format == narrow);
            if let Some(entry) = place.and_then(|place| system.device.matrix.get_mut(place)) {
                *entry = Some(rate);
            }
        }
        system
    }

    fn recipe(&self, coalition: usize) -> TrainingRecipe {
        let job = &self.sides[self.side(coalition, Cause::Job)].recipe;
        let precision = self.sides[self.side(coalition, Cause::Precision)].recipe.precision;
        TrainingRecipe { precision, ..*job }
    }

    /// Applies `answer` to a coalition's job on its machine with the first side's plan.
    fn with_job<T>(&self, coalition: usize, answer: impl FnOnce(&TrainingJob<'_>) -> T) -> T {
        let (system, recipe) = (self.system(coalition), self.recipe(coalition));
        let gpus = self.sides[self.side(coalition, Cause::Job)].gpus;
        let plan = &self.sides[0].plan;
        let (architecture, overheads) = (self.architecture, self.overheads);
        answer(&TrainingJob { architecture, system: &system, plan, recipe: &recipe, gpus, overheads })
    }

    /// The members of a coalition that are among these causes.
    fn among(&self, coalition: usize, causes: &[Cause]) -> usize {
        let places = self.causes.iter().enumerate().filter(|(_, cause)| causes.contains(cause));
        places.fold(0, |mask, (place, _)| mask | coalition & 1 << place)
    }

    /// The slices of a coalition's job: kernels do not depend on links, nor links on kernels, so that few
    /// machines have to be looked at.
    fn slices(&self, coalition: usize, known: &mut BTreeMap<usize, Vec<Slice>>) -> Vec<Slice> {
        let mut of = |causes: &[Cause]| -> Vec<Slice> {
            let part = self.among(coalition, causes);
            let plans = &self.plans[self.side(coalition, Cause::Job)];
            let look = || {
                self.with_job(part, |job| plans.slices().iter().map(|slice| Slice::of(job, *slice)).collect())
            };
            known.entry(part).or_insert_with(look).clone()
        };
        let kernels = of(&[Cause::Rate, Cause::Precision, Cause::DramBandwidth, Cause::Job, Cause::Rest]);
        let links = of(&[Cause::ScaleUp, Cause::Domain, Cause::ScaleOut, Cause::Job, Cause::Rest]);
        let both = kernels.into_iter().zip(links);
        both.map(|(kernels, links)| Slice { links: links.links, links_again: links.links_again, ..kernels })
            .collect()
    }

    /// A plan as given, where the laws and the memory of a coalition's machine allow it.
    fn given(&self, coalition: usize, plan: &Plan) -> Option<(Plan, Seconds)> {
        self.with_job(coalition, |job| {
            let recipe = job.recipe;
            plan.check(job.architecture, job.gpus, recipe.batch, recipe.sequence).ok()?;
            let job = TrainingJob { plan, ..*job };
            job.memory().fits().then(|| (*plan, job.step()))
        })
    }

    /// The value of every coalition.
    pub(super) fn values(&self) -> Result<Values, String> {
        let all = (1 << self.causes.len()) - 1;
        let mut known = BTreeMap::new();
        let mut logarithms = Vec::with_capacity(all + 1);
        let mut ends = [None, None];
        for coalition in 0..=all {
            let asked = self.given(coalition, &self.sides[0].plan);
            if coalition == 0 && asked.is_none() {
                return Err(format!("{} does not run the job as asked", self.sides[0].accelerator.name));
            }
            let found = if asked.is_some() && !self.has(coalition, Cause::Plan) {
                asked
            } else {
                self.fastest(coalition, asked, &mut known)
            };
            let Some((plan, step)) = found else {
                return Err(format!("No plan fits {}", self.describe(coalition)));
            };
            let speed = self.speed(coalition, step);
            logarithms.push(libm::log(speed));
            if coalition == 0 || coalition == all {
                let side = usize::from(coalition == all);
                ends[side] = Some(End {
                    name: self.sides[side].accelerator.name.clone(),
                    plan,
                    step,
                    tokens_per_second_per_gpu: speed,
                });
            }
        }
        match ends {
            [Some(from), Some(to)] => Ok(Values { logarithms, from, to }),
            _ => Err("Both sides are the same".to_owned()),
        }
    }

    /// The fastest plan of a coalition's job on its machine, the given plans included.
    fn fastest(
        &self,
        coalition: usize,
        asked: Option<(Plan, Seconds)>,
        known: &mut BTreeMap<usize, Vec<Slice>>,
    ) -> Option<(Plan, Seconds)> {
        let second = self.given(coalition, &self.sides[1].plan);
        let given = [asked, second].into_iter().flatten().min_by(|a, b| a.1.get().total_cmp(&b.1.get()));
        let slices = self.slices(coalition, known);
        let plans = &self.plans[self.side(coalition, Cause::Job)];
        self.with_job(coalition, |job| plans.fastest(job, &slices, given))
    }

    /// Tokens per second per GPU.
    fn speed(&self, coalition: usize, step: Seconds) -> f64 {
        let recipe = self.recipe(coalition);
        let gpus = self.sides[self.side(coalition, Cause::Job)].gpus;
        f64::from(recipe.batch) * f64::from(recipe.sequence) / step.get() / f64::from(gpus)
    }

    fn describe(&self, coalition: usize) -> String {
        let changed: Vec<&str> = self
            .causes
            .iter()
            .filter(|cause| self.has(coalition, **cause))
            .map(|cause| cause.name())
            .collect();
        format!("{} with {}", self.sides[0].accelerator.name, changed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use crate::system::AssumptionSet;

    /// The search returns the fastest plan although it skips plans.
    #[test]
    fn the_search_is_exact() {
        let architecture = catalog::architecture("gpt-3-175b").unwrap();
        let mut b200 = catalog::accelerator("b200").unwrap().clone();
        b200.scale_up.domain = 64;
        let plan = Plan { tensor: 8, pipeline: 8, ..Plan::default() };
        let recipe = TrainingRecipe { batch: 1024, sequence: 2048, ..TrainingRecipe::default() };
        let a100 = catalog::accelerator("a100-sxm-80gb").unwrap();
        let from = Side { accelerator: a100, plan, recipe, gpus: 8192 };
        let recipe = TrainingRecipe { batch: 4096, precision: Precision::Fp4, ..recipe };
        let to = Side { accelerator: &b200, plan, recipe, gpus: 8192 };
        let game = Game::new(architecture, from, to, AssumptionSet::Calibrated.into()).unwrap();
        let mut known = BTreeMap::new();
        for coalition in (0..1 << game.causes().len()).step_by(97) {
            let plans = &game.plans[game.side(coalition, Cause::Job)];
            let found = game.fastest(coalition, None, &mut known);
            let nothing = vec![Slice::default(); plans.slices().len()];
            let exhaustive = game.with_job(coalition, |job| plans.fastest(job, &nothing, None));
            assert!(found.is_some());
            assert_eq!(found.map(|found| found.1), exhaustive.map(|found| found.1), "{coalition:b}");
        }
    }
}
