//! What GPUs and electricity cost, and how often GPUs fail.

use super::number::show;
use super::options::device;
use super::row::{Group, ONE_DEVICE, Part, number};
use crate::catalog;
use crate::scenario::Scenario;

pub(super) static PARTS: &[Part] = &[
    Part {
        group: Group::Cost,
        views: ONE_DEVICE,
        advanced: false,
        rows: &[
            number(
                "economics.usd_per_gpu_hour",
                "GPU price",
                "$/h",
                "What one GPU costs in an hour, instead of the catalogue's price of renting it",
            )
            .by(0.25)
            .otherwise(price),
            number(
                "economics.usd_per_kwh",
                "Electricity",
                "$/kWh",
                "What electricity costs on top of that; 0 where the price per hour contains it, as rents do",
            )
            .by(0.01),
        ],
    },
    Part {
        group: Group::Cost,
        views: ONE_DEVICE,
        advanced: true,
        rows: &[
            number(
                "economics.pue",
                "PUE",
                "",
                "Energy of the whole data centre over that of its computers (power usage effectiveness)",
            )
            .by(0.05),
            number(
                "economics.carbon_g_kwh",
                "Carbon",
                "g/kWh",
                "What the electricity's making emits, in CO₂",
            )
            .by(25.0),
            number(
                "economics.gpu_hours_per_failure",
                "Failures",
                "GPU hours",
                "Hours that one GPU, with its share of host and links, runs until it interrupts the job",
            ),
            number(
                "economics.checkpoint_s",
                "Checkpoint",
                "s",
                "Time for which writing a checkpoint stops the job",
            )
            .by(5.0),
            number(
                "economics.restart_s",
                "Restart",
                "s",
                "Time from a failure to the first new step, lost steps apart",
            )
            .by(60.0),
        ],
    },
];

/// What the catalogue says that the chosen device costs in an hour.
fn price(scenario: &Scenario) -> Option<String> {
    let price = catalog::price(&device(scenario)?.id)?;
    Some(show(price.usd_per_hour))
}
