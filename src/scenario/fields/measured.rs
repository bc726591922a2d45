//! Fields of the values that the user measured.

use super::field::{Field, Group, field};
use super::views::{SERVED, TRAINED_ALONE};
use crate::scenario::{Scenario, View};

pub(super) const FIELDS: &[Field] = &[
    field!("measured.from", measured.from)
        .text("Source", "Source of the measured values, such as the benchmark that was opened"),
    trained(
        field!("measured.step", measured.step_s)
            .number("Step time", "Time of one optimizer step, from your log", 1e-6, 1e7)
            .unit("s"),
    ),
    advanced(
        field!("measured.tokens", measured.tokens_per_gpu)
            .number("Tokens", "Trained tokens per second and GPU, from your log", 1e-3, 1e9)
            .unit("1/s per GPU"),
        TRAINED_ALONE,
    ),
    trained(
        field!("measured.mfu", measured.mfu)
            .number("MFU", "Model FLOPs utilisation, as your software counts it", 1e-6, 2.0)
            .unit("%")
            .by(1.0)
            .scaled(0.01),
    ),
    field!("measured.peak", measured.peak_tflops)
        .number(
            "Peak of that MFU",
            "Peak FLOP/s per GPU that the MFU refers to; some software takes the sparse peak, not the dense one",
            1e-3,
            1e6,
        )
        .unit("TFLOP/s")
        .otherwise(peak)
        .on(Group::Measured, TRAINED_ALONE)
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
            .number("Request latency", "Mean time from sending a request to its last token", 1e-3, 1e9)
            .unit("ms"),
        SERVED,
    ),
    advanced(
        field!("measured.output", measured.output)
            .number("Output", "Generated tokens per second of all GPUs together", 1e-3, 1e9)
            .unit("tokens/s"),
        SERVED,
    ),
    spent(field!("measured.in.matmul", measured.activity.matmul), "Matrix multiplies", "Time of matrix multiplies, from a profile"),
    spent(field!("measured.in.experts", measured.activity.experts), "Experts", "Time of experts' grouped multiplies, from a profile"),
    spent(field!("measured.in.attention", measured.activity.attention), "Attention", "Time of attention, from a profile"),
    spent(field!("measured.in.elementwise", measured.activity.elementwise), "Elementwise", "Time of elementwise kernels, norms and reductions, from a profile"),
    spent(field!("measured.in.optimizer", measured.activity.optimizer), "Optimizer", "Time of the optimizer's kernels, from a profile"),
    spent(field!("measured.in.other", measured.activity.other), "Other kernels", "Time of kernels whose name says nothing, from a profile"),
    spent(field!("measured.in.tensor", measured.activity.tensor_parallel), "Tensor-parallel communication", "Time of tensor-parallel communication while nothing computes, from a profile"),
    spent(field!("measured.in.context", measured.activity.context_parallel), "Context-parallel communication", "Time of context-parallel communication while nothing computes, from a profile"),
    spent(field!("measured.in.expert", measured.activity.expert_parallel), "Expert-parallel communication", "Time of expert-parallel communication while nothing computes, from a profile"),
    spent(field!("measured.in.pipeline", measured.activity.pipeline), "Pipeline communication", "Time of pipeline communication while nothing computes, from a profile"),
    spent(field!("measured.in.data", measured.activity.data_parallel), "Data-parallel communication", "Time of data-parallel communication while nothing computes, from a profile"),
    spent(field!("measured.in.collectives", measured.activity.collectives), "Collectives of unnamed groups", "Time of collectives of unnamed groups while nothing computes, from a profile"),
    spent(field!("measured.in.copies", measured.activity.copies), "Copies", "Time of copies while no kernel runs, from a profile"),
    spent(field!("measured.in.idle", measured.activity.idle), "No kernel", "Time without a kernel, from a profile"),
    spent(field!("measured.in.hidden", measured.activity.hidden), "Hidden communication", "Time of communication while a kernel computes, from a profile"),
];

/// The dense peak of the device in the recipe's format, TFLOP/s.
fn peak(scenario: &Scenario) -> Option<String> {
    let device = scenario.machine().ok()?.device;
    device
        .peak(scenario.recipe.precision)
        .map(|peak| super::number::show(libm::round(peak.get() * 1e-11) / 10.0))
}

/// A field of a profile, which only links set.
const fn spent(field: Field, label: &'static str, help: &'static str) -> Field {
    field.number(label, help, 0.0, 1e7).unit("s").otherwise(|_| Some("none".to_owned()))
}

const fn none(field: Field, views: &'static [View]) -> Field {
    field.otherwise(|_| Some("none".to_owned())).on(Group::Measured, views)
}

const fn trained(field: Field) -> Field {
    none(field, TRAINED_ALONE)
}

const fn served(field: Field) -> Field {
    none(field, SERVED)
}

const fn advanced(field: Field, views: &'static [View]) -> Field {
    none(field, views).advanced()
}
