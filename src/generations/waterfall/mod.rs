//! Why one machine trains faster than another: the whole speed-up attributed to its causes.

mod game;
mod plans;

use serde::Serialize;

use super::shapley::contributions;
use crate::catalog::{Accelerator, Architecture};
use crate::plan::Plan;
use crate::system::{Assumed, System};
use crate::training::{TrainingJob, TrainingRecipe};
use crate::units::Seconds;
use game::Game;
use plans::{Plans, Slice};

/// A device, and how a job is run on it.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The device and its network.
    pub accelerator: &'a Accelerator,
    /// The given parallelism plan.
    pub plan: Plan,
    /// Training recipe.
    pub recipe: TrainingRecipe,
    /// GPUs.
    pub gpus: u32,
}

/// A cause of a speed-up: a property in which two sides differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Matrix rate at the first side's precision.
    Rate,
    /// A narrower number format, at its speed-up on the second device.
    Precision,
    /// DRAM bandwidth.
    DramBandwidth,
    /// DRAM capacity: larger microbatches, less recomputation, fewer cuts.
    DramCapacity,
    /// Bandwidth inside a scale-up domain.
    ScaleUp,
    /// GPUs in a scale-up domain.
    Domain,
    /// Bandwidth between domains.
    ScaleOut,
    /// Batch, sequence and number of GPUs.
    Job,
    /// Degrees, microbatch and recomputation chosen anew instead of kept.
    Plan,
    /// Vector units, L2, multiprocessors, and the fractions of the peaks that kernels and collectives reach.
    Rest,
}

impl Cause {
    /// All causes, in display order.
    pub const ALL: [Self; 10] = [
        Self::Rate,
        Self::Precision,
        Self::DramBandwidth,
        Self::DramCapacity,
        Self::ScaleUp,
        Self::Domain,
        Self::ScaleOut,
        Self::Job,
        Self::Plan,
        Self::Rest,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rate => "Matrix rate, same format",
            Self::Precision => "Narrower format",
            Self::DramBandwidth => "DRAM bandwidth",
            Self::DramCapacity => "DRAM capacity",
            Self::ScaleUp => "Scale-up bandwidth",
            Self::Domain => "Scale-up domain",
            Self::ScaleOut => "Scale-out bandwidth",
            Self::Job => "Batch and GPUs",
            Self::Plan => "Parallelism chosen anew",
            Self::Rest => "Rest of the device",
        }
    }
}

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

/// One end of a waterfall.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// Name of the device.
    pub name: String,
    /// The parallelism plan.
    pub plan: Plan,
    /// Step time.
    pub step: Seconds,
    /// Tokens per second per GPU.
    pub tokens_per_second_per_gpu: f64,
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
