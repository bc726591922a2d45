//! The system features that the maps of arXiv 2410.00273 vary, with their values.

use super::{Machine, Study};
use crate::units::{Bandwidth, Bytes, FlopRate};

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

    /// Values of the first feature.
    pub(super) fn rows(self) -> Vec<f64> {
        match self {
            Self::Dram => vec![80.0, 110.0, 141.0, 192.0, 288.0, 384.0, 576.0, 1000.0],
            Self::Rate => vec![80.0, 110.0, 141.0, 166.0, 192.0, 256.0, 320.0, 384.0],
            Self::Domain => vec![4.0, 8.0, 64.0, 72.0],
        }
    }

    /// Values of the second feature.
    pub(super) fn columns(self) -> Vec<f64> {
        match self {
            Self::Dram => vec![500.0, 1000.0, 2000.0, 3350.0, 4800.0, 8000.0, 12000.0, 16000.0],
            Self::Rate => vec![312.0, 625.0, 989.4, 1500.0, 2000.0, 2500.0, 3125.0, 3750.0],
            Self::Domain => vec![512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0],
        }
    }

    /// The authors' values of both features, with additional domain sizes.
    pub(super) fn fine(self) -> (Vec<f64>, Vec<f64>) {
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
    /// A machine with these changes.
    pub(super) fn applied_to(&self, base: &Machine) -> Machine {
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
