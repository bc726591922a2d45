//! Why one machine trains faster than another: the whole speed-up attributed to its causes.

mod cause;
mod game;
mod plans;
mod side;

use serde::Serialize;

use super::shapley::contributions;
use crate::catalog::Architecture;
use crate::plan::Plan;
use crate::system::{Assumed, System};
use crate::training::TrainingJob;
use crate::units::Seconds;
use game::Game;
use plans::{Plans, Slice};

pub use cause::Cause;
pub use side::{End, Side};

/// Contribution of one cause to a speed-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// The cause.
    pub cause: Cause,
    /// Factor on the speed: the geometric mean over all orders in which causes may be added.
    pub factor: f64,
    /// The least that it does in any order.
    pub least: f64,
    /// The most that it does in any order.
    pub most: f64,
}

/// A speed-up and its causes, which multiply to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Waterfall {
    /// The first side with its given plan.
    pub from: End,
    /// The second side, at its best.
    pub to: End,
    /// Tokens per second per GPU, second over first.
    pub speedup: f64,
    /// One factor for each of [`Cause::ALL`]; 1 where both sides are the same.
    pub factors: Vec<Factor>,
}

/// Attributes the speed-up from the first side with its given plan to the second side at its best.
///
/// Each coalition of causes is a machine of its own: what is in the coalition is the second side's, the rest the
/// first's. Shapley values of the logarithms of their speeds share the whole out without regard to order. Where a
/// coalition cannot run the first side's plan, it runs the fastest that it can. The error says what does not fit.
pub fn waterfall(
    architecture: &Architecture,
    from: &Side<'_>,
    to: &Side<'_>,
    assumed: impl Into<Assumed>,
) -> Result<Waterfall, String> {
    let assumed = assumed.into();
    let game = Game::new(architecture, *from, *to, assumed)?;
    let values = game.values()?;
    let contributions = contributions(&values.logarithms);
    let factors = Cause::ALL.into_iter().map(|cause| {
        let place = game.causes().iter().position(|other| *other == cause);
        let share = place.map(|place| contributions[place]).unwrap_or_default();
        Factor {
            cause,
            factor: libm::exp(share.mean),
            least: libm::exp(share.least),
            most: libm::exp(share.most),
        }
    });
    let speedup = values.to.tokens_per_second_per_gpu / values.from.tokens_per_second_per_gpu;
    Ok(Waterfall { speedup, factors: factors.collect(), from: values.from, to: values.to })
}

/// The fastest plan for a side's job on its own device, and its step, among all that fit: powers of two for
/// tensor parallelism within the domain and for microbatches, every even pipeline, up to 4 chunks per stage.
pub fn fastest_plan(
    architecture: &Architecture,
    side: &Side<'_>,
    assumed: impl Into<Assumed>,
) -> Option<(Plan, Seconds)> {
    let assumed = assumed.into();
    let system = System::new(side.accelerator, assumed);
    let job = TrainingJob {
        architecture,
        system: &system,
        plan: &side.plan,
        recipe: &side.recipe,
        gpus: side.gpus,
        overheads: side.recipe.framework.overheads_on(&assumed, side.accelerator),
    };
    let plans = Plans::of(&job, system.network.domain);
    let slices: Vec<Slice> = plans.slices().iter().map(|slice| Slice::of(&job, *slice)).collect();
    plans.fastest(&job, &slices, None)
}
