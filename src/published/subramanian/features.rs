//! Days to train against system features, each point at its best plan, by the equations of arXiv 2410.00273.

use std::ops::Range;

use super::{Explorer, Machine, Method, Plan, Run, Space, Step, Study, Transformer, Walk};
use crate::units::{Bandwidth, Bytes, FlopRate, Seconds};

/// A pair of system features that a map varies: rows, columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// DRAM capacity (GB) and bandwidth (GB/s).
    Dram,
    /// DRAM capacity (GB) and matrix rate (TFLOP/s). DRAM bandwidth scales with capacity, and the vector rate with the
    /// matrix rate, by interpolation between the authors' machines.
    Rate,
    /// GPUs per scale-up domain, and number of GPUs.
    Domain,
}

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

/// Number of GPUs in maps that vary features of the device.
pub const GPUS: u32 = 8192;
/// GPUs per scale-up domain in these maps.
const DOMAIN: u32 = 8;

/// Number of plans per call of [`Map::advance`].
const SLICE: u64 = 100_000;

/// Points of interpolation: matrix rate (TFLOP/s), vector rate (TFLOP/s), DRAM capacity (GB) and DRAM bandwidth (GB/s)
/// of A100, H200, B200, and of a device with 1.5 times the rates and twice the DRAM of B200.
const MACHINES: [[f64; 4]; 4] = [
    [312.0, 78.0, 80.0, 1555.0],
    [989.4, 133.8, 141.0, 4800.0],
    [2500.0, 339.0, 192.0, 8000.0],
    [3750.0, 508.5, 384.0, 16000.0],
];

/// Interpolates property `wanted` at the point where property `given` has this value (column indices of [`MACHINES`]).
fn along(given: usize, value: f64, wanted: usize) -> f64 {
    let last = MACHINES.len() - 2;
    let place = MACHINES.windows(2).position(|pair| value <= pair[1][given]).unwrap_or(last);
    let (low, high) = (MACHINES[place], MACHINES[place + 1]);
    let share = (value - low[given]) / (high[given] - low[given]);
    low[wanted] + (high[wanted] - low[wanted]) * share
}

/// `count` evenly spaced values from `low` to `high`, both included.
fn spread(low: f64, high: f64, count: u32) -> Vec<f64> {
    let step = (high - low) / f64::from(count.max(2) - 1);
    (0..count).map(|place| if place + 1 == count { high } else { low + step * f64::from(place) }).collect()
}

/// Values of a property from the first to the last of [`MACHINES`], with `steps` even steps between neighbours.
fn between(property: usize, steps: u32) -> Vec<f64> {
    let mut values = vec![MACHINES[0][property]];
    for pair in MACHINES.windows(2) {
        values.extend(spread(pair[0][property], pair[1][property], steps + 1).into_iter().skip(1));
    }
    values
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 3] = [Self::Dram, Self::Rate, Self::Domain];

    fn rows(self) -> Vec<f64> {
        match self {
            Self::Dram => vec![80.0, 110.0, 141.0, 192.0, 288.0, 384.0, 576.0, 1000.0],
            Self::Rate => vec![80.0, 110.0, 141.0, 166.0, 192.0, 256.0, 320.0, 384.0],
            Self::Domain => vec![4.0, 8.0, 64.0, 72.0],
        }
    }

    fn columns(self) -> Vec<f64> {
        match self {
            Self::Dram => vec![500.0, 1000.0, 2000.0, 3350.0, 4800.0, 8000.0, 12000.0, 16000.0],
            Self::Rate => vec![312.0, 625.0, 989.4, 1500.0, 2000.0, 2500.0, 3125.0, 3750.0],
            Self::Domain => vec![512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0],
        }
    }

    /// The authors' values of both features, with additional domain sizes.
    fn fine(self) -> (Vec<f64>, Vec<f64>) {
        match self {
            Self::Dram => (spread(80.0, 1000.0, 32), spread(500.0, 16000.0, 28)),
            Self::Rate => (between(2, 3), between(0, 7)),
            Self::Domain => (vec![4.0, 8.0, 16.0, 32.0, 64.0, 72.0], Study::COUNTS.map(f64::from).to_vec()),
        }
    }

    /// The changed features at a point of a map.
    pub fn changed(self, row: f64, column: f64) -> Changed {
        match self {
            Self::Dram => Changed { capacity_gb: Some(row), dram_gb_s: Some(column), ..Changed::default() },
            Self::Rate => Changed {
                capacity_gb: Some(row),
                dram_gb_s: Some(along(2, row, 3)),
                rates_tflops: Some((column, along(0, column, 1))),
                ..Changed::default()
            },
            // Plans fill domains completely and no degree of the authors' models is a multiple of 9, so 64 of 72 GPUs
            // are used.
            Self::Domain => {
                let domain = row as u32;
                let filled = if domain.is_multiple_of(9) { domain / 9 * 8 } else { domain };
                Changed { domain: Some(filled), gpus: Some(column as u32), ..Changed::default() }
            }
        }
    }
}

/// Changes relative to the base machine and job; `None` leaves a feature unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Changed {
    /// DRAM capacity, GB.
    pub capacity_gb: Option<f64>,
    /// DRAM bandwidth, GB/s.
    pub dram_gb_s: Option<f64>,
    /// 16-bit rates of the matrix and the vector units, TFLOP/s.
    pub rates_tflops: Option<(f64, f64)>,
    /// GPUs in a scale-up domain.
    pub domain: Option<u32>,
    /// GPUs of the job.
    pub gpus: Option<u32>,
}

impl Changed {
    fn applied_to(&self, base: &Machine) -> Machine {
        let rate = |rate| FlopRate::from_tera(rate);
        Machine {
            capacity: self.capacity_gb.map_or(base.capacity, |gb| Bytes::new(gb * 1e9)),
            dram: self.dram_gb_s.map_or(base.dram, Bandwidth::from_gb),
            matrix: self.rates_tflops.map_or(base.matrix, |(matrix, _)| rate(matrix)),
            vector: self.rates_tflops.map_or(base.vector, |(_, vector)| rate(vector)),
            domain: self.domain.unwrap_or(base.domain),
            ..*base
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_lie_between_the_authors_machines() {
        assert!((along(0, 989.4, 1) - 133.8).abs() < 1e-9);
        assert!((along(2, 166.5, 3) - 6400.0).abs() < 1e-9);
        assert!((along(2, 384.0, 3) - 16000.0).abs() < 1e-9);
        let rates = between(0, 7);
        assert_eq!((rates.len(), rates[7], rates[21]), (22, 989.4, 3750.0));
        assert!((spread(80.0, 1000.0, 32)[1] - 109.677_419).abs() < 1e-6);
    }
}
