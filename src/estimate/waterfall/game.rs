//! The machine of every coalition of causes, and how fast it is.

use super::plans::Plans;
use super::{Cause, End, Side};
use crate::catalog::Architecture;
use crate::estimate::training::{TrainingJob, TrainingRecipe};
use crate::plan::Plan;
use crate::system::{AssumptionSet, Precision, System};
use crate::units::Seconds;

/// Two sides, and the causes in which they differ.
pub(super) struct Game<'a> {
    architecture: &'a Architecture,
    sides: [Side<'a>; 2],
    systems: [System; 2],
    causes: Vec<Cause>,
    /// Plans for either side's job: all of them, which only few machines search.
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
        set: AssumptionSet,
    ) -> Result<Self, String> {
        let systems = [&from, &to].map(|side| System::new(side.accelerator, set));
        for (side, system) in [&from, &to].into_iter().zip(&systems) {
            let precision = side.recipe.precision;
            if system.device.peak(precision).is_none() {
                return Err(format!("{} has no {} matrix units", side.accelerator.name, precision.name()));
            }
        }
        let mut to = to;
        // What is not a cause is kept: a fused attention kernel, say, is no property of a device.
        to.recipe = TrainingRecipe {
            batch: to.recipe.batch,
            sequence: to.recipe.sequence,
            precision: to.recipe.precision,
            ..from.recipe
        };
        let domain = from.accelerator.scale_up.domain.max(to.accelerator.scale_up.domain);
        let plans = [&from, &to].map(|side| {
            let job = TrainingJob {
                architecture,
                system: &systems[0],
                plan: &from.plan,
                recipe: &side.recipe,
                gpus: side.gpus,
            };
            Plans::of(&job, domain)
        });
        let mut game = Self { architecture, sides: [from, to], systems, causes: Vec::new(), plans };
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
            Cause::ScaleUp => old.network.scale_up != new.network.scale_up,
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
        system.network.domain = of(Cause::Domain).network.domain;
        system.network.scale_out = of(Cause::ScaleOut).network.scale_out;
        system.device.matrix = of(Cause::Rate).device.matrix;
        if self.has(coalition, Cause::Precision) {
            // The first device may lack the narrower format: it is as much faster as on the second.
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

    /// The fastest of some plans for a coalition's job on its machine.
    fn fastest(&self, coalition: usize, plans: &Plans) -> Option<(Plan, Seconds)> {
        let (system, recipe) = (self.system(coalition), self.recipe(coalition));
        let side = &self.sides[self.side(coalition, Cause::Job)];
        let job = TrainingJob {
            architecture: self.architecture,
            system: &system,
            plan: &side.plan,
            recipe: &recipe,
            gpus: side.gpus,
        };
        plans.fastest(&job, &system)
    }

    /// Given plans, for either side's job.
    fn only(&self, plans: &[Plan]) -> [Plans; 2] {
        [0, 1].map(|side: usize| {
            let side = &self.sides[side];
            let job = TrainingJob {
                architecture: self.architecture,
                system: &self.systems[0],
                plan: &side.plan,
                recipe: &side.recipe,
                gpus: side.gpus,
            };
            Plans::only(&job, plans)
        })
    }

    /// The value of every coalition.
    ///
    /// A full search on each of up to 2¹⁰ machines would take seconds. Only those with none, one, all but one
    /// or all of the causes search; every other takes the best of the plans that these have found.
    pub(super) fn values(&self) -> Result<Values, String> {
        let all = (1 << self.causes.len()) - 1;
        // Whether the plan is kept says nothing about the machine that a search is for.
        let machine = |place: &usize| self.causes[*place] != Cause::Plan;
        let singles = || (0..self.causes.len()).filter(machine).map(|place| 1 << place);
        let corners = [0, all].into_iter().chain(singles()).chain(singles().map(|bit| all ^ bit));
        let mut shortlist = vec![self.sides[0].plan, self.sides[1].plan];
        for coalition in corners {
            let full = &self.plans[self.side(coalition, Cause::Job)];
            if let Some((plan, _)) = self.fastest(coalition, full)
                && !shortlist.contains(&plan)
            {
                shortlist.push(plan);
            }
        }
        let (asked, short) = (self.only(&shortlist[..1]), self.only(&shortlist));
        let mut logarithms = Vec::with_capacity(all + 1);
        let mut ends = [None, None];
        for coalition in 0..=all {
            let job = self.side(coalition, Cause::Job);
            let kept =
                if self.has(coalition, Cause::Plan) { None } else { self.fastest(coalition, &asked[job]) };
            if coalition == 0 && kept.is_none() {
                return Err(format!("{} does not run the job as asked", self.sides[0].accelerator.name));
            }
            let found = kept
                .or_else(|| self.fastest(coalition, &short[job]))
                .or_else(|| self.fastest(coalition, &self.plans[job]));
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

    /// Tokens per second and GPU.
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
