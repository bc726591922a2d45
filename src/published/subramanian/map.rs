//! Days to train against system features, each point at its best plan, by the equations of arXiv 2410.00273.

use std::ops::Range;

use super::features::Feature;
use super::{Explorer, Machine, Method, Plan, Run, Space, Step, Transformer, Walk};
use crate::units::{Bytes, Seconds};

/// Number of GPUs in maps that vary features of the device.
pub const GPUS: u32 = 8192;
/// GPUs per scale-up domain in these maps.
const DOMAIN: u32 = 8;

/// Number of plans per call of [`Map::advance`].
const SLICE: u64 = 100_000;

/// The training job of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Name of the model for display.
    pub name: String,
    /// Name for display of the base device, whose other features are unchanged.
    pub device: String,
    /// The model.
    pub model: Transformer,
    /// Sequences per step.
    pub batch: u32,
    /// Number of sequences in the whole run.
    pub samples: f64,
    /// Strategies to search. The fastest plan of all of them is taken.
    pub methods: Vec<Method>,
    /// Number of GPUs, if not varied.
    pub gpus: u32,
    /// GPUs per scale-up domain, if not varied.
    pub domain: u32,
}

impl Job {
    /// Duration of the job in days at this step time.
    pub fn days(&self, step: Seconds) -> f64 {
        (step * self.samples / f64::from(self.batch)).to_days()
    }
}

impl From<Run> for Job {
    fn from(run: Run) -> Self {
        Self {
            name: run.name.to_owned(),
            device: "their B200".to_owned(),
            model: run.model,
            batch: Run::BATCH,
            samples: run.samples,
            methods: vec![run.method],
            gpus: GPUS,
            domain: DOMAIN,
        }
    }
}

/// The best plan at a point of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// The fastest plan that fits into memory.
    pub plan: Plan,
    /// Step of the grid.
    pub step: Step,
}

/// Days to train for each pair of feature values.
#[derive(Clone, Debug)]
pub struct Map {
    /// The features that are varied.
    pub feature: Feature,
    /// The training job.
    pub job: Job,
    /// Values of the first feature, in increasing order.
    pub rows: Vec<f64>,
    /// Values of the second feature.
    pub columns: Vec<f64>,
    /// Days, in row-major order; `None` if not computed yet or if no plan fits.
    pub days: Vec<Option<f64>>,
    planned: Vec<Option<Planned>>,
    /// Number of computed parts. A part is a point or, if one walk covers all rows, a column.
    computed: usize,
    part: Option<Part>,
}

/// A part in progress.
#[derive(Clone, Debug)]
struct Part {
    explorer: Explorer,
    /// Number of strategies already searched.
    methods: usize,
    walk: Option<Walk>,
}

impl Map {
    /// A coarse map, with no point computed yet.
    pub fn new(feature: Feature, job: impl Into<Job>) -> Self {
        Self::over(feature, job.into(), feature.rows(), feature.columns())
    }

    /// A map at the authors' resolution, with no point computed yet.
    pub fn fine(feature: Feature, job: impl Into<Job>) -> Self {
        let (rows, columns) = feature.fine();
        Self::over(feature, job.into(), rows, columns)
    }

    fn over(feature: Feature, job: Job, rows: Vec<f64>, columns: Vec<f64>) -> Self {
        let (days, planned) = (Vec::new(), Vec::new());
        Self { feature, job, rows, columns, days, planned, computed: 0, part: None }
    }

    /// Days at a row and a column, if computed and if a plan fits.
    pub fn at(&self, row: usize, column: usize) -> Option<f64> {
        self.days.get(row * self.columns.len() + column).copied().flatten()
    }

    /// The best plan at a row and a column, if computed and if one fits.
    pub fn planned(&self, row: usize, column: usize) -> Option<&Planned> {
        self.planned.get(row * self.columns.len() + column)?.as_ref()
    }

    /// Total number of points.
    pub fn points(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// Total number of parts, and number of computed parts.
    pub fn parts(&self) -> (usize, usize) {
        let all = if self.feature == Feature::Dram { self.columns.len() } else { self.points() };
        (all, self.computed)
    }

    /// Returns true if all points are computed.
    pub fn done(&self) -> bool {
        let (all, computed) = self.parts();
        computed >= all
    }

    /// Searches about `SLICE` further plans.
    pub fn advance(&mut self, base: &Machine) {
        if self.done() {
            return;
        }
        self.planned.resize(self.points(), None);
        self.days.resize(self.points(), None);
        let (rows, column) = self.place();
        // Search with the largest memory of the part: it admits every plan that fits into a smaller one.
        let widest = self.rows[rows.end - 1];
        let Job { gpus, model, batch, .. } = self.job;
        let changed = self.feature.changed(widest, self.columns[column]);
        let (machine, gpus) = (changed.applied_to(base), changed.gpus.unwrap_or(gpus));
        let part = self.part.get_or_insert_with(|| Part {
            explorer: Explorer::new(machine, model),
            methods: 0,
            walk: None,
        });
        part.explorer.set_domain(machine.domain);
        let Some(&method) = self.job.methods.get(part.methods) else {
            self.finish(rows, column);
            return;
        };
        let walk = part.walk.get_or_insert_with(|| Walk::new(Space::of(method, gpus, batch), &model));
        let (feature, values, columns) = (self.feature, &self.rows, self.columns.len());
        let planned = &mut self.planned;
        walk.advance(&mut part.explorer, SLICE, &mut |plan, step| {
            for row in rows.clone() {
                let capacity =
                    if feature == Feature::Dram { Bytes::new(values[row] * 1e9) } else { machine.capacity };
                if step.memory.total() > capacity {
                    continue;
                }
                let best = &mut planned[row * columns + column];
                if best.is_some_and(|best| step.time >= best.step.time) {
                    // Rows with larger memories already have a plan at least as fast.
                    break;
                }
                *best = Some(Planned { plan: *plan, step: *step });
            }
        });
        if walk.done() {
            part.walk = None;
            part.methods += 1;
            if part.methods >= self.job.methods.len() {
                self.finish(rows, column);
            }
        }
    }

    /// Rows and column of the next part.
    fn place(&self) -> (Range<usize>, usize) {
        let (place, columns) = (self.computed, self.columns.len());
        if self.feature == Feature::Dram {
            (0..self.rows.len(), place)
        } else {
            let row = place / columns;
            (row..row + 1, place % columns)
        }
    }

    fn finish(&mut self, rows: Range<usize>, column: usize) {
        for row in rows {
            let point = row * self.columns.len() + column;
            self.days[point] = self.planned[point].map(|planned| self.job.days(planned.step.time));
        }
        self.computed += 1;
        match (&mut self.part, self.feature) {
            // Layer times do not depend on the number of GPUs, so the explorer is kept.
            (Some(part), Feature::Domain) => part.methods = 0,
            (part, _) => *part = None,
        }
    }
}
