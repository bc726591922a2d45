//! Days of training against features of a system, each at its best plan (section 6 of the paper's study).

use super::{Machine, Run, Space};
use crate::units::{Bandwidth, Bytes, FlopRate};

/// Two features of a system that are varied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// DRAM capacity (GB) and bandwidth (GB/s).
    Dram,
    /// DRAM capacity (GB) and arithmetic (TFLOP/s): bandwidth and the vector units grow along as they do between the
    /// authors' machines.
    Rate,
    /// GPUs in a scale-up domain, and GPUs.
    Domain,
}

/// Days of training for each pair of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What is varied.
    pub feature: Feature,
    /// What is trained.
    pub run: Run,
    /// Values of the first feature.
    pub rows: Vec<f64>,
    /// Values of the second.
    pub columns: Vec<f64>,
    /// Days for each row's columns, as far as they are computed; none where no plan fits.
    pub days: Vec<Option<f64>>,
}

/// GPUs of the maps whose features are those of one GPU.
pub const GPUS: u32 = 8192;

/// Between the authors' machines: matrix rate (TFLOP/s), vector rate (TFLOP/s), DRAM capacity (GB) and bandwidth
/// (GB/s) of A100, H200, B200, and of twice a B200.
const MACHINES: [[f64; 4]; 4] = [
    [312.0, 78.0, 80.0, 1555.0],
    [989.4, 133.8, 141.0, 4800.0],
    [2500.0, 339.0, 192.0, 8000.0],
    [3750.0, 508.5, 384.0, 16000.0],
];

/// A machine's property where another has this value, by proportion between the authors' machines.
fn along(given: usize, value: f64, wanted: usize) -> f64 {
    let last = MACHINES.len() - 2;
    let place = MACHINES.windows(2).position(|pair| value <= pair[1][given]).unwrap_or(last);
    let (low, high) = (MACHINES[place], MACHINES[place + 1]);
    let share = (value - low[given]) / (high[given] - low[given]);
    low[wanted] + (high[wanted] - low[wanted]) * share
}

impl Feature {
    /// All of them.
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

    /// The base machine with these values, and how many of it there are.
    fn apply(self, base: &Machine, row: f64, column: f64) -> (Machine, u32) {
        let capacity = Bytes::new(row * 1e9);
        match self {
            Self::Dram => (Machine { capacity, dram: Bandwidth::from_gb(column), ..*base }, GPUS),
            Self::Rate => {
                let machine = Machine {
                    capacity,
                    dram: Bandwidth::from_gb(along(2, row, 3)),
                    matrix: FlopRate::from_tera(column),
                    vector: FlopRate::from_tera(along(0, column, 1)),
                    ..*base
                };
                (machine, GPUS)
            }
            // The authors fill domains completely, and no degree of their models is a multiple of 9: of 72 GPUs 64
            // are used.
            Self::Domain => {
                let domain = row as u32;
                let filled = if domain.is_multiple_of(9) { domain / 9 * 8 } else { domain };
                (Machine { domain: filled, ..*base }, column as u32)
            }
        }
    }
}

impl Map {
    /// A map of which nothing is computed yet.
    pub fn new(feature: Feature, run: Run) -> Self {
        let (rows, columns) = (feature.rows(), feature.columns());
        Self { feature, run, days: Vec::with_capacity(rows.len() * columns.len()), rows, columns }
    }

    /// Days at a row and a column, if they are computed and a plan fits.
    pub fn at(&self, row: usize, column: usize) -> Option<f64> {
        self.days.get(row * self.columns.len() + column).copied().flatten()
    }

    /// Points in all.
    pub fn points(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// Returns true if all points are computed.
    pub fn done(&self) -> bool {
        self.days.len() >= self.points()
    }

    /// Computes the next point.
    pub fn advance(&mut self, base: &Machine) {
        if self.done() {
            return;
        }
        let (row, column) = (self.days.len() / self.columns.len(), self.days.len() % self.columns.len());
        let (machine, gpus) = self.feature.apply(base, self.rows[row], self.columns[column]);
        let space = Space::of(self.run.method, gpus, Run::BATCH);
        let fastest = machine.search(&self.run.model, &space).fastest;
        self.days.push(fastest.map(|(_, step)| self.run.days(step.time)));
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
    }
}
