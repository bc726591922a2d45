//! Search over the whole space of training plans: the fastest, cheapest or smallest, and why the rest are infeasible.
//!
//! A [`Space`] is the product of the candidates of each of [`AXES`]; a [`Search`] walks through it in steps, for one
//! number of GPUs after another. Every plan is accounted for: it breaks a law, does not fit into memory, is no
//! different from another, or is feasible. Plans that cannot come into anything that is shown are not timed
//! ([`Outcome::pruned`] counts them): with sums in the same order, what is shown is bit for bit what trying every plan
//! shows, whatever the size of the steps.

mod axes;
mod axis;
mod formats;
mod front;
mod methods;
mod nearest;
mod paper;
mod problem;
mod ranking;
mod run;
mod sample;
mod scope;
pub mod serving;
mod space;
mod stopped;
pub mod tradeoff;

pub use axes::AXES;
pub use axis::PlanAxis;
pub use formats::NumberFormats;
pub use front::Front;
pub use methods::Methods;
pub use nearest::Nearest;
pub use paper::{PaperSearch, Searched};
pub use problem::PlanProblem;
pub use ranking::Ranking;
pub use run::{Outcome, Search};
pub use sample::Sample;
pub use scope::{Objective, Scope, Subject};
pub use space::{Cursor, Space};
pub use stopped::{Reason, Stopped};

use crate::plan::{Plan, Schedule, TensorKind};
use crate::published::subramanian;
use crate::units::{Bytes, Seconds, format};
use crate::workload::{ContextKind, Recompute};

/// A plan that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The parallelism plan.
    pub plan: Plan,
    /// Number of GPUs.
    pub gpus: u32,
    /// Step time.
    pub step: Seconds,
    /// Memory of the fullest GPU.
    pub memory: Bytes,
    /// The plan as arXiv 2410.00273 has it, where its space was searched.
    pub published: Option<subramanian::Plan>,
}

impl Found {
    /// The plan in a line, without what it does not use.
    pub fn name(&self) -> String {
        if let Some(plan) = self.published {
            return plan.name();
        }
        let Plan { tensor, pipeline, interleave, context, expert, microbatch, zero, .. } = self.plan;
        let replicas = self.gpus / self.plan.replica().max(1);
        let mut parts = vec![format!("TP {tensor}")];
        let mut add = |when: bool, part: String| parts.extend(when.then_some(part));
        add(context > 1, format!("CP {context}"));
        add(true, format!("PP {pipeline}"));
        add(interleave > 1, format!("{interleave} chunks"));
        add(true, format!("DP {replicas}"));
        add(expert > 1, format!("EP {expert}"));
        add(self.plan.expert_tensor.is_some(), format!("ETP {}", self.plan.expert_tensor()));
        add(true, format!("microbatch {microbatch}"));
        add(zero > 0, format!("ZeRO {zero}"));
        let grid = self.plan.tensor_kind == TensorKind::Grid;
        add(grid, "SUMMA".to_owned());
        add(tensor > 1 && !grid && !self.plan.sequence_parallel, "no SP".to_owned());
        let usual = self.plan.context_kind == ContextKind::default();
        add(context > 1 && !usual, self.plan.context_kind.name().to_lowercase());
        add(self.plan.offload.any(), "offloads".to_owned());
        let schedule = self.plan.schedule;
        add(pipeline > 1 && schedule != Schedule::Alternating, schedule.name().to_owned());
        match (self.plan.recompute, self.plan.recompute_layers) {
            (Recompute::Full, Some(layers)) => {
                add(true, format!("{} recomputed", format::counted(layers, "layers")));
            }
            (Recompute::Full, None) => add(true, "full recomputation".to_owned()),
            _ => {}
        }
        parts.join(", ")
    }
}
