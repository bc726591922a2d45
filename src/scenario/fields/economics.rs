//! Prices, energy and failures.

use super::catalog_options::device;
use super::field::{Field, field};
use super::group::Group;
use super::number::show;
use super::options;
use super::views::{ONE_DEVICE, PRICED};
use crate::economics::{Economics, Terms};
use crate::scenario::Scenario;
use crate::sizing::SizingJob;

pub(super) const FIELDS: &[Field] = &[
    every(field!("cost.terms", economics.terms).select(
        "Terms",
        "Whether GPUs are rented on demand, reserved for a year or longer, or owned",
        options::terms,
    )),
    plain(
        field!("cost.gpu_hour", economics.usd_per_gpu_hour)
            .number("GPU price", "Price of one GPU-hour on demand instead of the catalogue's rent", 0.0, 1e4)
            .unit("$/h")
            .by(0.25)
            .otherwise(rent)
            .when(|form| form.terms != Terms::Owned),
    ),
    every(
        field!("cost.discount", economics.reserved_discount)
            .number("Discount", "Discount of reserved GPUs relative to the on-demand price", 0.0, 0.95)
            .unit("%")
            .by(5.0)
            .scaled(0.01)
            .when(|form| form.terms == Terms::Reserved),
    ),
    owned(plain(
        field!("cost.gpu", economics.usd_per_gpu)
            .number(
                "Purchase price",
                "Price of a GPU with its share of server and network, instead of the catalogue's",
                0.0,
                1e7,
            )
            .unit("$")
            .by(1000.0)
            .otherwise(purchase),
    )),
    owned(every(
        field!("cost.years", economics.years)
            .number("Pay-back time", "Years over which a purchase is paid off", 0.25, 20.0)
            .unit("years")
            .by(0.5),
    )),
    owned(every(
        field!("cost.operation", economics.operation)
            .number(
                "Operation",
                "Cost of building, staff and repairs over the pay-back time, as a share of the purchase price",
                0.0,
                5.0,
            )
            .unit("%")
            .by(5.0)
            .scaled(0.01),
    )),
    every(
        field!("cost.kwh", economics.usd_per_kwh)
            .number(
                "Electricity",
                "Price of electricity, paid in addition to the GPU price; 0 for rented GPUs by default, since rents include it",
                0.0,
                100.0,
            )
            .unit("$/kWh")
            .by(0.01)
            .otherwise(|scenario| Some(show(scenario.economics.electricity()))),
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
    every(
        field!("cost.power", economics.power_share)
            .number("Power drawn", "Power that a server draws, as a share of its rated power", 0.01, 1.0)
            .unit("%")
            .by(2.0)
            .scaled(0.01)
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
            .unit("GPU-hours"),
    ),
    interrupted(
        field!("cost.storage", economics.storage_gb_s)
            .number(
                "Storage",
                "Bandwidth of checkpoint storage per GPU",
                1e-4,
                1e3,
            )
            .unit("GB/s")
            .by(0.1),
    ),
    interrupted(
        field!("cost.checkpoint_s", economics.checkpoint_s)
            .number(
                "Checkpoint",
                "Time for which the job stops to write a checkpoint. By default the size of weights and optimizer state over the storage bandwidth; 0 for asynchronous checkpoints",
                0.0,
                1e5,
            )
            .unit("s")
            .by(5.0)
            .otherwise(checkpoint),
    ),
    interrupted(
        field!("cost.restart_s", economics.restart_s)
            .number(
                "Restart",
                "Time from a failure to the first new step, without reading the checkpoint and repeating lost steps",
                0.0,
                1e6,
            )
            .unit("s")
            .by(60.0),
    ),
];

/// Time in which the storage takes a checkpoint, to a tenth of a second.
fn checkpoint(scenario: &Scenario) -> Option<String> {
    let state = scenario.recipe.checkpoint(scenario.architecture().ok()?);
    let time = scenario.economics.storage_time(scenario.system.gpus, state);
    Some(show(libm::round(time.get() * 10.0) / 10.0))
}

const fn every(field: Field) -> Field {
    field.on(Group::Cost, PRICED)
}

/// A field about failures and checkpoints, which the Sizing view counts for training runs.
const fn interrupted(field: Field) -> Field {
    every(field).sized(SizingJob::Train).advanced()
}

/// A field about GPUs that are bought.
const fn owned(field: Field) -> Field {
    field.when(|form| form.terms == Terms::Owned)
}

const fn plain(field: Field) -> Field {
    field.on(Group::Cost, ONE_DEVICE)
}

const fn advanced(field: Field) -> Field {
    plain(field).advanced()
}

/// The catalogue's rent of the chosen device.
fn rent(scenario: &Scenario) -> Option<String> {
    listed(scenario, Terms::OnDemand)
}

/// The catalogue's purchase price of the chosen device.
fn purchase(scenario: &Scenario) -> Option<String> {
    listed(scenario, Terms::Owned)
}

fn listed(scenario: &Scenario, terms: Terms) -> Option<String> {
    let plain = Economics { terms, ..Economics::default() };
    Some(show(plain.quote(device(scenario)?)?.usd))
}
