//! A visitor's own calibration.

use super::field::{Field, Group, field};
use super::views::ESTIMATED;

/// Corrections beyond these say that something else is wrong.
const RANGE: (f64, f64) = (0.1, 10.0);

/// The widest spread: eight of ten values within a factor of 13 on either side.
const WIDEST: f64 = 2.0;

pub(super) const FIELDS: &[Field] = &[
    field!("profile.name", profile.name).text("Name", "What your calibration profile is called"),
    factor(field!("profile.kernels", profile.kernels).number(
        "Kernel time",
        "Time of all compute kernels against the calibrated constants",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.host", profile.host).number(
        "Host time",
        "Host time per operator, and per step and request of a serving engine, against the calibrated constants",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.links", profile.links).number(
        "Link bandwidth",
        "Bandwidth that links between GPUs reach against the calibrated constants",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.starts", profile.starts).number(
        "Collective start",
        "What collectives take beyond their bytes against the calibrated constants",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.step", profile.step).number(
        "Step overhead",
        "What software adds between training steps, and to each served request, against the calibrated constants",
        RANGE.0,
        RANGE.1,
    )),
    spread(field!("profile.step_spread", profile.step_spread).number(
        "Spread of steps",
        "Standard deviation of log(measured / predicted step time) under the profile, which sets the range; 0: as published rows",
        0.0,
        WIDEST,
    )),
    spread(field!("profile.ttft_spread", profile.ttft_spread).number(
        "Spread of TTFT",
        "Standard deviation of log(measured / predicted TTFT) under the profile, which sets the range; 0: as published rows",
        0.0,
        WIDEST,
    )),
    spread(field!("profile.tpot_spread", profile.tpot_spread).number(
        "Spread of TPOT",
        "Standard deviation of log(measured / predicted TPOT) under the profile, which sets the range; 0: as published rows",
        0.0,
        WIDEST,
    )),
    spread(field!("profile.latency_spread", profile.latency_spread).number(
        "Spread of latency",
        "Standard deviation of log(measured / predicted latency) under the profile, which sets the range; 0: as published rows",
        0.0,
        WIDEST,
    )),
    field!("profile.rows", profile.rows).whole(
        "Rows",
        "Measured rows that the profile was fitted to",
        0.0,
        1_048_576.0,
    ),
    field!("profile.off", profile.off)
        .switch("Profile off", "Whether the profile is kept without being used")
        .on(Group::Profile, ESTIMATED)
        .advanced(),
];

const fn factor(field: Field) -> Field {
    field.unit("×").by(0.05).on(Group::Profile, ESTIMATED).advanced()
}

/// What only a fit sets: without a control.
const fn spread(field: Field) -> Field {
    field
}
