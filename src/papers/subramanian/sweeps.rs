//! Days to train against DRAM capacity, DRAM bandwidth and matrix rate, on 8,192 B200 in scale-up domains of 8.

use super::authors_code::{CODE, SEARCHED};
use super::plan;
use crate::papers::{
    Begin, Chart, Computing, Data, Entry, Found, Line, Lines, Look, Point, Printed, Quantity,
};
use crate::published::subramanian::{
    Device, Explorer, Feature, GPUS, Machine, Map, Plan, Run, Setup, Space, Step,
};
use crate::search::Subject;
use crate::units::{Bandwidth, Bytes, format};

/// Days computed by the authors' code.
const PUBLISHED: &str = include_str!("../data/subramanian_sweeps.csv");

const ASSUMED: &[&str] = &[
    SEARCHED,
    "Of the published maps, six of 32 capacities are shown against DRAM bandwidth, and four of ten against matrix rate",
];

/// One result for each model.
pub(super) static ENTRIES: [Entry; 2] = [
    Entry { id: "sweeps-gpt3", inferred: ASSUMED, begin: Begin::Steps(|| Sweeps::begin(Run::LLM)) },
    Entry { id: "sweeps-vit", inferred: ASSUMED, begin: Begin::Steps(|| Sweeps::begin(Run::VIT)) },
];

const SETUP: Setup = Setup { device: Device::B200, domain: 8 };

/// Published days: values of the swept feature, and one row per DRAM capacity.
#[derive(Debug)]
struct Published {
    across: Vec<f64>,
    rows: Vec<(f64, Vec<Option<Printed>>)>,
}

/// The published days of a model in a sweep.
fn published(run: &Run, sweep: &str) -> Published {
    let model = if run.model == Run::LLM.model { "gpt3_1T" } else { "vit_era5" };
    let numbers = |cells: &str| cells.split(',').map(Printed::read).collect::<Vec<Option<Printed>>>();
    let rows = |name: String| PUBLISHED.lines().filter_map(move |line| line.strip_prefix(name.as_str()));
    let across = rows(format!("{sweep},GB,")).next().map_or_else(Vec::new, numbers);
    let row = |cells: &str| {
        let (capacity, days) = cells.split_once(',')?;
        Some((capacity.parse().ok()?, numbers(days)))
    };
    Published {
        across: across.into_iter().flatten().map(|known| known.value).collect(),
        rows: rows(format!("{model} {sweep},")).filter_map(row).collect(),
    }
}

/// The sweeps of one model.
#[derive(Debug)]
struct Sweeps {
    run: Run,
    dram: Published,
    rate: Published,
    /// The best plan by bandwidth, then by capacity.
    found: Vec<Vec<Option<(Plan, Step)>>>,
    map: Map,
}

impl Sweeps {
    fn begin(run: Run) -> Box<dyn Computing> {
        let (dram, rate) = (published(&run, "dram"), published(&run, "rate"));
        let mut map = Map::new(Feature::Rate, run);
        (map.rows, map.columns) = (rate.rows.iter().map(|row| row.0).collect(), rate.across.clone());
        Box::new(Self { run, dram, rate, found: Vec::new(), map })
    }

    /// The best plan for each capacity at one bandwidth. One search covers all capacities, since times do not depend on
    /// them.
    fn best(&self, gb_s: f64) -> Vec<Option<(Plan, Step)>> {
        let machine =
            Machine { dram: Bandwidth::from_gb(gb_s), capacity: Bytes::new(f64::MAX), ..SETUP.machine() };
        let mut best: Vec<Option<(Plan, Step)>> = vec![None; self.dram.rows.len()];
        let space = Space::of(self.run.method, GPUS, Run::BATCH);
        Explorer::new(machine, self.run.model).explore(&space, &mut |cut, step| {
            let gb = step.memory.total().get() * 1e-9;
            for (slot, (capacity, _)) in best.iter_mut().zip(&self.dram.rows) {
                if gb <= *capacity && slot.is_none_or(|(_, known)| step.time < known.time) {
                    *slot = Some((*cut, *step));
                }
            }
        });
        best
    }

    fn dram_line(&self, row: usize) -> Line {
        let (capacity, days) = &self.dram.rows[row];
        let point = |(column, gb_s): (usize, &f64)| {
            let best = self.found.get(column).and_then(|found| found[row]);
            Point {
                x: gb_s * 1e-3,
                ours: best.map(|(_, step)| self.run.days(step.time)),
                published: days.get(column).copied().flatten(),
                what: best.map_or_else(String::new, |(cut, _)| plan::name(&cut)),
                link: best.and_then(|(cut, _)| {
                    plan::question_with(&self.run, SETUP, &cut, &Feature::Dram.changed(*capacity, *gb_s))
                }),
            }
        };
        line(row, *capacity, self.dram.across.iter().enumerate().map(point).collect())
    }

    fn rate_line(&self, row: usize) -> Line {
        let (capacity, days) = &self.rate.rows[row];
        let point = |(column, tera): (usize, &f64)| {
            let best = self.map.planned(row, column);
            let changed = Feature::Rate.changed(*capacity, *tera);
            Point {
                x: *tera,
                ours: self.map.at(row, column),
                published: days.get(column).copied().flatten(),
                what: best.map_or_else(String::new, |best| plan::name(&best.plan)),
                link: best.and_then(|best| plan::question_with(&self.run, SETUP, &best.plan, &changed)),
            }
        };
        line(row, *capacity, self.rate.across.iter().enumerate().map(point).collect())
    }

    fn chart(&self, id: &'static str, across: Quantity, lines: Vec<Line>, assumed: &str) -> Chart {
        let ends = |line: &Line| {
            let mut known = line.points.iter().filter_map(|point| Some((point.x, point.ours?)));
            Some((known.next()?, known.next_back()?))
        };
        let say = |line: &Line| {
            let ((low, slow), (high, fast)) = ends(line)?;
            Some(format!(
                "with {} from {} days at {} {} to {} days at {}",
                line.name,
                format::digits(slow),
                format::digits(low),
                across.unit,
                format::digits(fast),
                format::digits(high)
            ))
        };
        let said: Vec<String> = [lines.first(), lines.last()].into_iter().flatten().filter_map(say).collect();
        Chart {
            id: id.into(),
            title: format!("Days to train {} against {}", self.run.name, lower(across.name)),
            finding: format!("Time to train: {}.", said.join("; ")),
            source: CODE,
            data: Data::Lines(Lines {
                x: across,
                y: Quantity { name: "Time to train", unit: "days", logarithmic: true },
                lines,
                limits: Vec::new(),
                posts: Vec::new(),
            }),
            assumptions: vec![
                format!(
                    "{} GPUs in scale-up domains of 8; each point at its best plan",
                    format::grouped(f64::from(GPUS))
                ),
                assumed.to_owned(),
            ],
        }
    }
}

/// A quantity's name inside a sentence: lower case, except for `DRAM bandwidth`.
fn lower(name: &str) -> String {
    if name.starts_with("DRAM") { name.to_owned() } else { name.to_lowercase() }
}

fn line(row: usize, capacity: f64, points: Vec<Point>) -> Line {
    let look = Look { colour: row as u8, dash: row as u8 };
    Line { name: format!("{} GB", format::digits(capacity)), look, points }
}

impl Computing for Sweeps {
    fn progress(&self) -> (u32, u32) {
        let (parts, computed) = self.map.parts();
        ((self.found.len() + computed) as u32, (self.dram.across.len() + parts) as u32)
    }

    fn advance(&mut self) {
        match self.dram.across.get(self.found.len()) {
            Some(gb_s) => {
                let best = self.best(*gb_s);
                self.found.push(best);
            }
            None => self.map.advance(&SETUP.machine()),
        }
    }

    fn found(&self) -> Found {
        let dram = self.chart(
            "sweep-dram",
            Quantity { name: "DRAM bandwidth", unit: "TB/s", logarithmic: true },
            (0..self.dram.rows.len()).map(|row| self.dram_line(row)).collect(),
            "All features except DRAM are those of the authors' B200",
        );
        let rate = self.chart(
            "sweep-rate",
            Quantity { name: "Matrix rate", unit: "TFLOP/s", logarithmic: true },
            (0..self.rate.rows.len()).map(|row| self.rate_line(row)).collect(),
            "DRAM bandwidth grows with capacity, and vector units with matrix units, as between A100, H200 and B200",
        );
        let systems = Device::ALL.map(|device| Setup { device, ..SETUP });
        let questions =
            systems.into_iter().filter_map(|setup| plan::search(&self.run, setup, GPUS, Subject::Features));
        Found { charts: vec![dram, rate], questions: questions.collect(), ..Found::default() }
    }
}
