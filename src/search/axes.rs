//! The dimensions of the space of plans: a row per degree or choice, with its candidates.

use super::axis::PlanAxis;
use super::scope::Scope;
use crate::plan::{Offload, Schedule, TensorKind};
use crate::training::TrainingJob;
use crate::workload::{AttentionKernel, ContextKind, Recompute};

/// The highest degree that a plan may have.
const HIGHEST: u32 = 1024;

/// Kinds of recomputation by the axis' number. The last two are kept if the question sets them and are not searched, because
/// full recomputation of some layers comes close to them.
const RECOMPUTE: [Recompute; 5] =
    [Recompute::None, Recompute::Selective, Recompute::Full, Recompute::Operators, Recompute::Outputs];

/// All axes, outermost first. A walk changes the last axis most often, so a layer's times, which depend only on the first
/// axes, are computed seldom.
pub const AXES: [PlanAxis; 17] = [
    PlanAxis {
        id: "tensor",
        name: "Tensor parallelism",
        get: |plan| plan.tensor,
        set: |plan, value| plan.tensor = value,
        candidates: |job, scope| divisors(job.gpus, HIGHEST.min(scope.tensor)),
        ..DEGREE
    },
    PlanAxis {
        id: "context",
        name: "Context parallelism",
        get: |plan| plan.context,
        set: |plan, value| plan.context = value,
        candidates: |job, _| common(job.gpus, job.recipe.sequence, HIGHEST),
        ..DEGREE
    },
    PlanAxis {
        id: "context_kind",
        name: "Context exchange",
        get: |plan| ContextKind::ALL.iter().position(|kind| *kind == plan.context_kind).unwrap_or(0) as u32,
        set: |plan, value| plan.context_kind = ContextKind::ALL[value as usize % ContextKind::ALL.len()],
        show: |value| ContextKind::ALL[value as usize % ContextKind::ALL.len()].name().to_owned(),
        candidates: |_, _| vec![0, 1, 2, 3],
        moot: |job| job.plan.context == 1,
        ..DEGREE
    },
    PlanAxis {
        id: "tensor_kind",
        name: "Tensor layout",
        get: |plan| u32::from(plan.tensor_kind == TensorKind::Grid),
        set: |plan, value| plan.tensor_kind = TensorKind::ALL[value as usize % TensorKind::ALL.len()],
        show: |value| TensorKind::ALL[value as usize % TensorKind::ALL.len()].name().to_owned(),
        candidates: |_, _| vec![0, 1],
        ..DEGREE
    },
    PlanAxis {
        id: "expert",
        name: "Expert parallelism",
        get: |plan| plan.expert,
        set: |plan, value| plan.expert = value,
        candidates: |job, _| {
            let experts = job.architecture.moe.as_ref().map_or(1, |moe| moe.experts);
            common(job.gpus, experts, HIGHEST)
        },
        ..DEGREE
    },
    PlanAxis {
        id: "expert_tensor",
        name: "Expert tensor parallelism",
        get: |plan| plan.expert_tensor.unwrap_or(0),
        set: |plan, value| plan.expert_tensor = (value > 0).then_some(value),
        show: |value| if value == 0 { "as others".to_owned() } else { value.to_string() },
        // Tensor parallelism within experts: as wide as that of the other matrices, or none.
        candidates: |job, _| if job.architecture.moe.is_some() { vec![0, 1] } else { vec![0] },
        moot: |job| job.plan.tensor == 1,
        ..DEGREE
    },
    PlanAxis {
        id: "microbatch",
        name: "Microbatch",
        get: |plan| plan.microbatch,
        set: |plan, value| plan.microbatch = value,
        candidates: |job, _| divisors(job.recipe.batch, job.recipe.batch),
        lean: true,
        ..DEGREE
    },
    PlanAxis {
        id: "sequence_parallel",
        name: "Sequence parallelism",
        get: |plan| u32::from(plan.sequence_parallel),
        set: |plan, value| plan.sequence_parallel = value == 1,
        candidates: |_, _| vec![1, 0],
        moot: |job| job.plan.tensor == 1,
        ..CHOICE
    },
    PlanAxis {
        id: "recompute",
        name: "Recomputation",
        get: |plan| RECOMPUTE.iter().position(|kind| *kind == plan.recompute).unwrap_or(0) as u32,
        set: |plan, value| plan.recompute = RECOMPUTE[value as usize % RECOMPUTE.len()],
        show: |value| RECOMPUTE[value as usize % RECOMPUTE.len()].name().to_owned(),
        candidates: |job, _| match job.recipe.attention {
            // A fused kernel forms its scores anew in any case: nothing is kept of them that could be saved.
            AttentionKernel::Flash | AttentionKernel::Flash2 => vec![1, 2],
            AttentionKernel::Unfused => vec![0, 1, 2],
        },
        ..CHOICE
    },
    PlanAxis {
        id: "tensor_overlap",
        name: "Tensor-parallel overlap",
        get: |plan| u32::from(plan.tensor_overlap),
        set: |plan, value| plan.tensor_overlap = value == 1,
        candidates: |_, _| vec![1, 0],
        // A grid overlaps itself, and may not be asked to.
        moot: |job| job.plan.tensor == 1 && job.plan.tensor_kind == TensorKind::Line,
        ..CHOICE
    },
    PlanAxis {
        id: "pipeline",
        name: "Pipeline stages",
        get: |plan| plan.pipeline,
        set: |plan, value| plan.pipeline = value,
        candidates: |job, _| divisors(job.gpus, HIGHEST.min(job.architecture.layers)),
        ..DEGREE
    },
    PlanAxis {
        id: "interleave",
        name: "Interleaving",
        get: |plan| plan.interleave,
        set: |plan, value| plan.interleave = value,
        candidates: |job, _| divisors(job.architecture.layers, job.architecture.layers),
        lean: true,
        ..DEGREE
    },
    PlanAxis {
        id: "recompute_layers",
        name: "Recomputed layers",
        get: |plan| plan.recompute_layers.unwrap_or(0),
        set: |plan, value| plan.recompute_layers = (value > 0).then_some(value),
        show: |value| if value == 0 { "all".to_owned() } else { value.to_string() },
        candidates: |job, _| {
            let powers = std::iter::successors(Some(1), |layers| Some(layers * 2));
            [0].into_iter().chain(powers.take_while(|layers| *layers < job.architecture.layers)).collect()
        },
        lean: true,
        ..DEGREE
    },
    PlanAxis {
        id: "schedule",
        name: "Pipeline schedule",
        get: |plan| SCHEDULES.iter().position(|kind| *kind == plan.schedule).unwrap_or(0) as u32,
        set: |plan, value| plan.schedule = SCHEDULES[value as usize % SCHEDULES.len()],
        show: |value| SCHEDULES[value as usize % SCHEDULES.len()].name().to_owned(),
        candidates: |_, _| vec![0, 1, 2, 3],
        moot: |job| job.plan.pipeline == 1,
        lean: true,
    },
    PlanAxis {
        id: "zero",
        name: "ZeRO stage",
        get: |plan| u32::from(plan.zero),
        set: |plan, value| plan.zero = value as u8,
        candidates: |_, _| vec![0, 1, 2, 3],
        moot: one_replica,
        ..DEGREE
    },
    PlanAxis {
        id: "data_overlap",
        name: "Data-parallel overlap",
        get: |plan| u32::from(plan.data_overlap),
        set: |plan, value| plan.data_overlap = value == 1,
        candidates: |_, _| vec![1, 0],
        moot: one_replica,
        lean: true,
        ..CHOICE
    },
    PlanAxis {
        id: "offload",
        name: "Kept by the host",
        get: |plan| {
            let Offload { activations, weights, optimizer } = plan.offload;
            u32::from(activations) + 2 * u32::from(weights) + 4 * u32::from(optimizer)
        },
        set: |plan, value| {
            let [activations, weights, optimizer] = [1, 2, 4].map(|bit| value & bit > 0);
            plan.offload = Offload { activations, weights, optimizer };
        },
        show: |value| {
            let names = [(1, "activations"), (2, "weights"), (4, "optimizer")];
            let kept: Vec<&str> =
                names.iter().filter(|(bit, _)| value & bit > 0).map(|(_, name)| *name).collect();
            if kept.is_empty() { "nothing".to_owned() } else { kept.join(" and ") }
        },
        candidates: |job, _| if job.system.device.host.is_some() { (0..8).collect() } else { vec![0] },
        ..DEGREE
    },
];

/// Schedules, that which needs least memory first.
const SCHEDULES: [Schedule; 4] =
    [Schedule::Alternating, Schedule::ZeroBubble, Schedule::Dualpipe, Schedule::Gpipe];

/// Common values of the axes of degrees.
const DEGREE: PlanAxis = PlanAxis {
    id: "",
    name: "",
    get: |_| 1,
    set: |_, _| {},
    show: |value| value.to_string(),
    candidates: |_, _| vec![1],
    moot: |_| false,
    lean: false,
};

/// Common values of the axes of choices.
const CHOICE: PlanAxis =
    PlanAxis { show: |value| if value == 1 { "yes" } else { "no" }.to_owned(), ..DEGREE };

/// Returns true if no other GPU holds the same weights.
fn one_replica(job: &TrainingJob<'_>) -> bool {
    let stages = job.plan.pipeline.max(1);
    job.architecture.moe.is_none() && job.plan.schedule.copies() == 1 && job.gpus / stages == job.plan.tensor
}

/// Divisors, up to a highest one.
fn divisors(number: u32, highest: u32) -> Vec<u32> {
    common(number, number, highest)
}

/// Divisors of both numbers, up to a highest one.
fn common(one: u32, other: u32, highest: u32) -> Vec<u32> {
    let both = |divisor: &u32| one.is_multiple_of(*divisor) && other.is_multiple_of(*divisor);
    (1..=highest.min(one).min(other)).filter(both).collect()
}

/// Text of [`Scope::fixed`] with every axis free.
const NONE: &str = "none";

impl Scope {
    /// This scope with one axis toggled: fixed if it was free, free if it was fixed.
    #[must_use]
    pub fn toggled(&self, axis: &str) -> Self {
        let names = AXES.iter().map(|known| known.id);
        let fixed: Vec<&str> = names.filter(|name| self.fixes(name) != (*name == axis)).collect();
        // A link has no room for nothing.
        let fixed = if fixed.is_empty() { NONE.to_owned() } else { fixed.join(" ") };
        Self { fixed, ..self.clone() }
    }

    /// A name that is fixed although no axis has it.
    pub fn unknown(&self) -> Option<&str> {
        let known = |name: &str| name == NONE || AXES.iter().any(|axis| axis.id == name);
        self.fixed.split(' ').find(|name| !known(name))
    }
}
