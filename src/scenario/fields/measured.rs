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
];

/// The dense peak of the device in the recipe's format, TFLOP/s.
fn peak(scenario: &Scenario) -> Option<String> {
    let device = scenario.machine().ok()?.device;
    device
        .peak(scenario.recipe.precision)
        .map(|peak| super::number::show(libm::round(peak.get() * 1e-11) / 10.0))
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
