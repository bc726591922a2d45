//! Fields of a visitor's calibration profile.

use super::field::{Field, field};
use super::group::Group;
use super::views::ESTIMATED;

/// Range of the factors. A fit beyond it points to a faulty measurement or scenario.
const RANGE: (f64, f64) = (0.1, 10.0);

/// Largest standard deviation of a logarithm: 80 % of values lie within a factor of 13 on either side.
const WIDEST: f64 = 2.0;

pub(super) const FIELDS: &[Field] = &[
    field!("profile.name", profile.name).text("Name", "Name of your calibration profile"),
    field!("profile.gpu", profile.gpu)
        .text("Device", "Id of the device of the profile's rows, the only one that the profile applies to. Empty: all"),
    field!("profile.software", profile.software).text(
        "Software",
        "Engines and frameworks of the profile's rows, to which host time, step overhead and ranges apply. Empty: all",
    ),
    factor(field!("profile.kernels", profile.kernels).number(
        "Kernel time",
        "Factor on the time of all compute kernels",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.host", profile.host).number(
        "Host time",
        "Factor on host time per operator, and per step and request of a serving engine",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.links", profile.links).number(
        "Link bandwidth",
        "Factor on the achieved bandwidth of links between GPUs",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.starts", profile.starts).number(
        "Collective start",
        "Factor on the part of collectives' time that does not depend on message size",
        RANGE.0,
        RANGE.1,
    )),
    factor(field!("profile.step", profile.step).number(
        "Step overhead",
        "Factor on software overhead between training steps and per served request",
        RANGE.0,
        RANGE.1,
    )),
    spread(field!("profile.step_spread", profile.step_spread).number(
        "Spread of steps",
        "Standard deviation of log(measured / predicted step time) under the profile; sets the range. 0: that of published rows",
        0.0,
        WIDEST,
    )),
    spread(field!("profile.ttft_spread", profile.ttft_spread).number(
        "Spread of TTFT",
        "Standard deviation of log(measured / predicted TTFT) under the profile; sets the range. 0: that of published rows",
        0.0,
        WIDEST,
    )),
    spread(field!("profile.tpot_spread", profile.tpot_spread).number(
        "Spread of TPOT",
        "Standard deviation of log(measured / predicted TPOT) under the profile; sets the range. 0: that of published rows",
        0.0,
        WIDEST,
    )),
    spread(field!("profile.latency_spread", profile.latency_spread).number(
        "Spread of latency",
        "Standard deviation of log(measured / predicted latency) under the profile; sets the range. 0: that of published rows",
        0.0,
        WIDEST,
    )),
    field!("profile.rows", profile.rows).whole(
        "Rows",
        "Number of measured rows that the profile was fitted to",
        0.0,
        1_048_576.0,
    ),
    field!("profile.off", profile.off)
        .switch("Profile off", "Keeps the profile in the link without applying it")
        .on(Group::Profile, ESTIMATED)
        .advanced(),
];

const fn factor(field: Field) -> Field {
    field.unit("×").by(0.05).on(Group::Profile, ESTIMATED).advanced()
}

/// A field that only a fit sets: it has no control in the form.
const fn spread(field: Field) -> Field {
    field
}
