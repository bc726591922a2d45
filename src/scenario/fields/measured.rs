//! Fields of the values that the user measured.

use super::field::{Field, field};
use super::group::Group;
use super::views::{ONLY_INFERENCE, ONLY_TRAINING};
use crate::scenario::{Scenario, View};

pub(super) const FIELDS: &[Field] = &[
    field!("measured.from", measured.from)
        .text("Source", "Source of the measured values, e.g. the name of the benchmark"),
    trained(
        field!("measured.step", measured.step_s)
            .number("Step time", "Time of one optimizer step, from your log", 1e-6, 1e7)
            .unit("s"),
    ),
    advanced(
        field!("measured.tokens", measured.tokens_per_gpu)
            .number("Tokens", "Training throughput per GPU, from your log", 1e-3, 1e9)
            .unit("tokens/s per GPU"),
        ONLY_TRAINING,
    ),
    trained(
        field!("measured.mfu", measured.mfu)
            .number("MFU", "Model FLOPs utilisation, as your software reports it", 1e-6, 2.0)
            .unit("%")
            .by(1.0)
            .scaled(0.01),
    ),
    field!("measured.peak", measured.peak_tflops)
        .number(
            "Peak for MFU",
            "Peak rate per GPU that the reported MFU refers to; some software uses the sparse peak, not the dense one",
            1e-3,
            1e6,
        )
        .unit("TFLOP/s")
        .otherwise(peak)
        .on(Group::Measured, ONLY_TRAINING)
        .advanced(),
    served(
        field!("measured.ttft", measured.ttft_ms)
            .number("TTFT", "Mean time to first token, from your benchmark", 1e-3, 1e8)
            .unit("ms"),
    ),
    served(
        field!("measured.tpot", measured.tpot_ms)
            .number(
                "TPOT",
                "Mean time per output token after the first, from your benchmark",
                1e-3,
                1e7,
            )
            .unit("ms"),
    ),
    advanced(
        field!("measured.latency", measured.latency_ms)
            .number("Request latency", "Mean time from sending a request to its last token, from your benchmark", 1e-3, 1e9)
            .unit("ms"),
        ONLY_INFERENCE,
    ),
    advanced(
        field!("measured.output", measured.output)
            .number("Output", "Output throughput of all GPUs, from your benchmark", 1e-3, 1e9)
            .unit("tokens/s"),
        ONLY_INFERENCE,
    ),
    spent(field!("measured.in.matmul", measured.activity.matmul), "Matrix multiplies", "Time of matrix multiplies, from a profile"),
    spent(field!("measured.in.experts", measured.activity.experts), "Experts", "Time of grouped matrix multiplies and routing of experts, from a profile"),
    spent(field!("measured.in.attention", measured.activity.attention), "Attention", "Time of attention, from a profile"),
    spent(field!("measured.in.elementwise", measured.activity.elementwise), "Elementwise", "Time of elementwise kernels, norms and reductions, from a profile"),
    spent(field!("measured.in.optimizer", measured.activity.optimizer), "Optimizer", "Time of the optimizer's kernels, from a profile"),
    spent(field!("measured.in.other", measured.activity.other), "Other kernels", "Time of kernels whose name matches no pattern, from a profile"),
    spent(field!("measured.in.tensor", measured.activity.tensor_parallel), "Tensor-parallel communication", "Exposed tensor-parallel communication, from a profile"),
    spent(field!("measured.in.context", measured.activity.context_parallel), "Context-parallel communication", "Exposed context-parallel communication, from a profile"),
    spent(field!("measured.in.expert", measured.activity.expert_parallel), "Expert-parallel communication", "Exposed expert-parallel communication, from a profile"),
    spent(field!("measured.in.pipeline", measured.activity.pipeline), "Pipeline communication", "Exposed pipeline communication, from a profile"),
    spent(field!("measured.in.data", measured.activity.data_parallel), "Data-parallel communication", "Exposed data-parallel communication, from a profile"),
    spent(field!("measured.in.collectives", measured.activity.collectives), "Collectives of unnamed groups", "Exposed collectives of unnamed process groups, from a profile"),
    spent(field!("measured.in.copies", measured.activity.copies), "Copies", "Time of copies while no kernel runs, from a profile"),
    spent(field!("measured.in.idle", measured.activity.idle), "Idle", "Time without a kernel or copy, from a profile"),
    spent(field!("measured.in.forward", measured.phases.forward), "Forward", "Time of the forward passes of a step, from a log"),
    spent(field!("measured.in.backward", measured.phases.backward), "Backward", "Time of the backward passes of a step without the gradient reduction, from a log"),
    spent(field!("measured.in.reduction", measured.phases.reduction), "Gradient reduction", "Time of the gradient reduction that backward passes do not hide, from a log"),
    spent(field!("measured.in.update", measured.phases.optimizer), "Optimizer step", "Time of the optimizer's step, from a log"),
    field!("measured.course", measured.course)
        .text("Step over time", "Shares of the groups of kernels in each of 48 equal intervals of a step, from a profile"),
    spent(field!("measured.in.hidden", measured.activity.hidden), "Hidden communication", "Communication overlapped by compute kernels, from a profile"),
];

/// The dense peak of the device in the recipe's format, TFLOP/s.
fn peak(scenario: &Scenario) -> Option<String> {
    let device = scenario.machine().ok()?.device;
    device
        .peak(scenario.recipe.precision)
        .map(|peak| super::number::show(libm::round(peak.get() * 1e-11) / 10.0))
}

/// A field with the time of an activity, s. It is set by links and opened profiles, not by the form.
const fn spent(field: Field, label: &'static str, help: &'static str) -> Field {
    field.number(label, help, 0.0, 1e7).unit("s").otherwise(|_| Some("none".to_owned()))
}

const fn none(field: Field, views: &'static [View]) -> Field {
    field.otherwise(|_| Some("none".to_owned())).on(Group::Measured, views)
}

const fn trained(field: Field) -> Field {
    none(field, ONLY_TRAINING)
}

const fn served(field: Field) -> Field {
    none(field, ONLY_INFERENCE)
}

const fn advanced(field: Field, views: &'static [View]) -> Field {
    none(field, views).advanced()
}
