//! What the Training view shows below its first answer: what a run costs, what its step depends on, how it unfolds.

use super::{Answer, Files, html};
use crate::economics::Bill;
use crate::figure::{self, Cell, Size, Table, escape};
use crate::scenario::{Problem, Scenario};
use crate::system::AssumptionSet;
use crate::training::{TrainingEstimate, sensitivities};
use crate::units::{Seconds, format};

/// By how much each number of the hardware is varied.
const CHANGE: f64 = 0.1;

/// The rest of the training answer.
pub fn training_more(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    let estimate = question.training()?;
    let (drawn, unfolded) = question.with_training(|job| {
        let varied = sensitivities(job, CHANGE);
        let timeline = job.timeline();
        let unfolded = timeline.map(|timeline| {
            let occupancy = job.occupancy(&timeline);
            [figure::timeline(&timeline, size), figure::memory_timeline(&occupancy, size)]
        });
        (figure::tornado(estimate.step, &varied, CHANGE, size), unfolded)
    })?;
    let (costs, cost_table) = costs(question, &estimate)?;
    let (bound, bound_table) = bound(question, &estimate)?;
    let figures: Vec<_> = unfolded.into_iter().flatten().chain([drawn]).collect();
    Ok(Answer {
        headline: String::new(),
        figures: [html::each(&figures, html::figure), costs, bound].concat(),
        files: Files {
            figures,
            tables: vec![("costs", cost_table), ("bound", bound_table)],
            operators: None,
        },
    })
}

/// What one step and the whole run cost.
fn costs(question: &Scenario, estimate: &TrainingEstimate) -> Result<(String, Table), Vec<Problem>> {
    let device = question.system.accelerator().map_err(|problem| vec![problem])?;
    let economics = &question.economics;
    let bill = |time: Seconds| economics.bill(&device, question.system.gpus, time);
    let (step, run) = (bill(estimate.step), bill(estimate.run));
    let mut table = Table::new([("What", None), ("One step", None), ("Whole run", None)]);
    let amount = |value: Option<f64>, unit: &str| match value {
        Some(value) => Cell::number(value, format!("{} {unit}", format::count(value))),
        None => Cell::text("not known"),
    };
    let time = |bill: &Bill| Cell::number(bill.time.get(), format::time(bill.time));
    table.push([Cell::text("Time, failures included"), time(&step), time(&run)]);
    for (name, unit, of) in [
        ("GPU hours", "h", (|bill| Some(bill.gpu_hours)) as fn(&Bill) -> Option<f64>),
        ("Money", "$", |bill| bill.usd),
        ("Energy", "kWh", |bill| bill.kwh),
        ("Carbon dioxide", "kg", |bill| bill.co2_kg),
    ] {
        table.push([Cell::text(name), amount(of(&step), unit), amount(of(&run), unit)]);
    }
    let hourly = economics.hourly_usd(&device);
    let price = hourly.map_or_else(
        || format!("No price of {} is known: the form takes one. ", device.name),
        |usd| format!("{} $ per GPU and hour. ", format::digits(usd)),
    );
    let finding = format!(
        "{price}{} of the time goes into steps that are kept, with a checkpoint every {} and a failure every {}. \
         Energy is that of GPUs at their design power, times a PUE of {}; hosts and switches are not counted.",
        format::percent(run.goodput),
        format::time(run.checkpoint_interval),
        format::time(Seconds::new(
            economics.gpu_hours_per_failure * 3600.0 / f64::from(question.system.gpus)
        )),
        format::digits(economics.pue),
    );
    Ok((tabulated("costs", "What the run costs", &finding, &table), table))
}

/// Each term beside what physics allows.
fn bound(question: &Scenario, estimate: &TrainingEstimate) -> Result<(String, Table), Vec<Problem>> {
    let ideal = Scenario {
        assumptions: AssumptionSet::Ideal,
        constants: std::collections::BTreeMap::new(),
        ..question.clone()
    };
    let ideal = ideal.training()?;
    let mut table =
        Table::new([("Term", None), ("Predicted", Some("s")), ("Ideal", Some("s")), ("Beyond", Some("s"))]);
    let time = |time: Seconds| Cell::number(time.get(), format::time(time));
    for term in &estimate.terms {
        let least = ideal.terms.iter().find(|other| other.id == term.id);
        let least = least.map_or(Seconds::ZERO, |other| other.time);
        table.push([Cell::text(term.label), time(term.time), time(least), time(term.time - least)]);
    }
    table.push([Cell::text("Step"), time(estimate.step), time(ideal.step), time(estimate.step - ideal.step)]);
    let finding = format!(
        "Without any overhead, at peak rates, the same plan takes {}: the step is {} times that.",
        format::time(ideal.step),
        format::digits(estimate.step / ideal.step),
    );
    Ok((tabulated("bound", "How far the step is from the physical bound", &finding, &table), table))
}

/// A table as it is shown and saved.
fn tabulated(id: &'static str, title: &str, finding: &str, table: &Table) -> String {
    let head = html::headings(table.columns.iter().map(|column| column.label.as_str()));
    let rows = html::each(&table.rows, |row| {
        let (first, rest) =
            row.cells.split_first().map_or(("", &[][..]), |(first, rest)| (first.shown(), rest));
        let cells = html::each(rest, |cell| format!("<td>{}</td>", escape(cell.shown())));
        format!(r#"<tr><th scope="row">{}</th>{cells}</tr>"#, escape(first))
    });
    html::table(id, title, finding, (&head, &format!("<tbody>{rows}</tbody>")), &html::downloads(&["csv"]))
}
