//! Prices, energy and failures.

use super::field::{Field, Group, field};
use super::number::show;
use super::options::device;
use super::views::{ONE_DEVICE, PRICED};
use crate::catalog;
use crate::scenario::Scenario;
use crate::sizing::SizingJob;

pub(super) const FIELDS: &[Field] = &[
    plain(
        field!("cost.gpu_hour", economics.usd_per_gpu_hour)
            .number("GPU price", "Price of one GPU-hour instead of the catalogue's rent", 0.0, 1e4)
            .unit("$/h")
            .by(0.25)
            .otherwise(price),
    ),
    every(
        field!("cost.kwh", economics.usd_per_kwh)
            .number(
                "Electricity",
                "Price of electricity on top of the GPU price; 0 where that contains it, as rents do",
                0.0,
                100.0,
            )
            .unit("$/kWh")
            .by(0.01),
    ),
    every(
        field!("cost.pue", economics.pue)
            .number(
                "PUE",
                "Energy of the whole data centre over that of its computers (power usage effectiveness)",
                1.0,
                10.0,
            )
            .by(0.05)
            .advanced(),
    ),
    advanced(
        field!("cost.carbon", economics.carbon_g_kwh)
            .number("Carbon", "CO₂ emitted per kWh of electricity", 0.0, 1e4)
            .unit("g/kWh")
            .by(25.0),
    ),
    interrupted(
        field!("cost.failure_hours", economics.gpu_hours_per_failure)
            .number(
                "Failures",
                "GPU-hours between failures of a GPU, its host or its links that interrupt the job",
                1.0,
                1e12,
            )
            .unit("GPU hours"),
    ),
    interrupted(
        field!("cost.checkpoint_s", economics.checkpoint_s)
            .number("Checkpoint", "Time for which writing a checkpoint stops the job", 0.0, 1e5)
            .unit("s")
            .by(5.0),
    ),
    interrupted(
        field!("cost.restart_s", economics.restart_s)
            .number("Restart", "Time from a failure to the first new step, lost steps apart", 0.0, 1e6)
            .unit("s")
            .by(60.0),
    ),
];

const fn every(field: Field) -> Field {
    field.on(Group::Cost, PRICED)
}

/// A field about failures and checkpoints, which the Sizing view counts for training runs.
const fn interrupted(field: Field) -> Field {
    every(field).sized(SizingJob::Train).advanced()
}

const fn plain(field: Field) -> Field {
    field.on(Group::Cost, ONE_DEVICE)
}

const fn advanced(field: Field) -> Field {
    plain(field).advanced()
}

/// The catalogue's rent of the chosen device.
fn price(scenario: &Scenario) -> Option<String> {
    let price = catalog::price(&device(scenario)?.id)?;
    Some(show(price.usd_per_hour))
}
