//! Configurations of both ends of a speed-up: the machines and their jobs.

use crate::catalog::Accelerator;
use crate::economics::Bill;
use crate::figure::{Cell, Column, Table};
use crate::generations::Waterfall;
use crate::generations::waterfall::End;
use crate::scenario::compare::OWN;
use crate::scenario::{Choice, Scenario, SystemChoice, View, link};
use crate::search::Found;
use crate::system::Device;
use crate::units::{Amount, Bytes, Seconds, Unit};
use crate::view::TablePart;

const FINDING: &str = "A machine's name opens its configuration as a training question";

/// A machine with what it runs.
struct Side<'a> {
    device: &'a Accelerator,
    end: &'a End,
    /// The training question that gives the same step.
    question: Scenario,
}

/// Name of a row, and the property of a machine that it shows.
type Property<T> = (&'static str, fn(&Side<'_>) -> T);

/// One property a row, with the ratio of the second machine to the first.
pub(super) fn part(question: &Scenario, found: &Waterfall) -> Option<TablePart> {
    let [first, second] = question.compared_devices().ok()?;
    let sides = [
        Side {
            device: &first,
            end: &found.from,
            question: asked(question, &question.comparison.from, &found.from),
        },
        Side { device: &second, end: &found.to, question: reached(question, &found.to) },
    ];
    let mut table = Table::under([
        Column::new("What it takes"),
        Column::new(&*first.name),
        Column::new(&*second.name),
        Column::of("Ratio", "×"),
    ]);
    let names = sides.each_ref().map(|side| {
        Cell::text(format!("{} × {}", side.question.system.gpus, side.device.listed_name()))
            .opening(link::encode(&side.question))
    });
    let [from, to] = names;
    table.push([Cell::text("Machine"), from, to, Cell::none()]);
    let words: [Property<String>; 2] = [
        ("Matrix format", |side| side.question.recipe.precision.name().to_owned()),
        ("Plan", |side| {
            let plan = side.end.plan;
            let memory = Bytes::ZERO;
            Found { plan, gpus: side.question.system.gpus, step: side.end.step, memory, published: None }
                .name()
        }),
    ];
    for (name, of) in words {
        let [from, to] = sides.each_ref().map(|side| Cell::text(of(side)));
        table.push([Cell::text(name), from, to, Cell::none()]);
    }
    let numbers: [Property<Option<Amount>>; 11] = [
        ("Matrix rate in that format", |side| {
            let peak = Device::of(side.device).peak(side.question.recipe.precision)?;
            Some(Amount::new(peak.get(), Unit::FlopRate))
        }),
        ("Sequences per step", |side| Some(Amount::count(side.question.recipe.batch))),
        ("GPUs in a scale-up domain", |side| Some(Amount::count(side.device.scale_up.domain))),
        ("Scale-up bandwidth", |side| Some(gb_s(side.device.scale_up.gb_s))),
        ("Scale-out bandwidth", |side| Some(gb_s(side.device.scale_out.gb_s))),
        ("DRAM bandwidth", |side| Some(gb_s(side.device.dram.bandwidth_gb_s))),
        ("DRAM capacity", |side| Some(Amount::memory(Bytes::from_gib(side.device.dram.capacity_gib)))),
        ("Step", |side| Some(Amount::time(side.end.step))),
        ("Tokens per second per GPU", |side| {
            Some(Amount::new(side.end.tokens_per_second_per_gpu, Unit::None))
        }),
        ("Run to the token budget", |side| Some(Amount::time(side.bill().time))),
        ("Energy of the run", |side| side.bill().kwh.map(|kwh| Amount::new(kwh, Unit::KilowattHours))),
    ];
    for (name, of) in numbers {
        let [from, to] = sides.each_ref().map(of);
        let ratio = match (from, to) {
            (Some(from), Some(to)) if from.value > 0.0 => Some(Amount::times(to.value / from.value)),
            _ => None,
        };
        table.push([Cell::text(name), Cell::known(from), Cell::known(to), Cell::known(ratio)]);
    }
    Some(TablePart::new("configurations", "What it takes: both configurations", FINDING, table))
}

fn gb_s(gb_s: f64) -> Amount {
    Amount::new(gb_s * 1e9, Unit::Bandwidth)
}

impl Side<'_> {
    /// The bill of a run to the question's token budget.
    fn bill(&self) -> Bill {
        let gpus = self.question.system.gpus;
        let rate = self.end.tokens_per_second_per_gpu * f64::from(gpus);
        let run = Seconds::new(self.question.recipe.tokens / rate);
        self.question.bill(self.device, gpus, run)
    }
}

/// The training question of an end of the comparison on a device.
fn asked(question: &Scenario, id: &str, end: &End) -> Scenario {
    let mut asked = Scenario { view: View::Training, parallelism: end.plan, ..question.clone() };
    asked.constants.clear();
    if id != OWN {
        let gpus = question.system.gpus;
        asked.system =
            SystemChoice { accelerator: Choice::Named(id.to_owned()), gpus, ..SystemChoice::default() };
    }
    asked
}

/// The question of the second end, with its domain, batch and format.
fn reached(question: &Scenario, end: &End) -> Scenario {
    let comparison = &question.comparison;
    let mut reached = asked(question, &comparison.to, end);
    reached.system.scale_up_domain = comparison.domain.or(reached.system.scale_up_domain);
    reached.recipe.batch = question.recipe.batch.saturating_mul(comparison.batch);
    reached.recipe.precision = comparison.precision;
    reached
}
