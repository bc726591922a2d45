//! Costs of one step and of the whole run: time, money, energy, carbon dioxide.

use crate::economics::Bill;
use crate::figure::{Cell, Column, Table};
use crate::scenario::{Problem, Scenario};
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds, Unit};
use crate::view::TablePart;

/// A row's name, the unit of its values, and the value in a bill.
type Cost = (&'static str, Unit, fn(&Bill) -> Option<f64>);

const COSTS: [Cost; 5] = [
    ("Time with failures", Unit::Seconds, |bill| Some(bill.time.get())),
    // The row's name is the unit, in the file of the table too.
    ("GPU-hours", Unit::Rate, |bill| Some(bill.gpu_hours)),
    ("Money", Unit::Usd, |bill| bill.usd),
    ("Energy", Unit::KilowattHours, |bill| bill.kwh),
    ("Carbon dioxide", Unit::Kilograms, |bill| bill.co2_kg),
];

/// The table of costs. Each cell has its own unit, because rows have different units.
pub(super) fn part(question: &Scenario, estimate: &TrainingEstimate) -> Result<TablePart, Vec<Problem>> {
    let device = question.system.accelerator().map_err(|problem| vec![problem])?;
    let economics = &question.economics;
    let bill = |time: Seconds| question.bill(&device, question.system.gpus, time);
    let (step, run) = (bill(estimate.step), bill(estimate.run));
    let mut table = Table::under([Column::new("Cost"), Column::new("Whole run"), Column::new("One step")]);
    for (name, unit, of) in COSTS {
        let cell = |bill: &Bill| match of(bill) {
            Some(value) => Cell::amount(Amount::new(value, unit)),
            None => Cell::text("not known"),
        };
        table.push([Cell::text(name), cell(&run), cell(&step)]);
    }
    let price = economics.hourly_usd(&device).map_or_else(
        || format!("The price of {} is not known: enter one under Costs. ", device.name),
        |usd| {
            let taken = economics
                .priced_as(&device)
                .map_or_else(String::new, |name| format!(", the price of {name}"));
            format!("{} per GPU-hour, {}{taken}. ", Amount::usd(usd), economics.terms.name().to_lowercase())
        },
    );
    let personal = device.class.is_personal();
    let failures = economics.gpu_hours_per_failure * 3600.0 / f64::from(question.system.gpus);
    let time = if question.assumptions.of_paper() {
        "Failures and checkpoints are left out, as in the paper".to_owned()
    } else {
        format!(
            "{} of the time is spent on steps that are not lost, with a checkpoint every {} and a failure every {}",
            Amount::percent(run.goodput),
            Amount::time(run.checkpoint_interval),
            Amount::new(failures, Unit::Seconds),
        )
    };
    let finding = format!(
        "{price}{time}. \
         Energy is that of the servers, which draw {} of their rated power{}.",
        Amount::percent(economics.power_share),
        if personal {
            String::new()
        } else {
            format!(", times a PUE of {}", Amount::new(economics.pue, Unit::None))
        },
    );
    Ok(TablePart::new("costs", "What the run costs", finding, table))
}
