//! Curves of the Inference view: a served load against one property of the machine or against the load.

use crate::scenario::{Problem, Scenario};
use crate::serving::LoadCurve;
use crate::serving::family::{DramFamily, Varied};
use crate::serving::sweep::{CapacitySweep, DramSweep, LinkSweep};

/// DRAM bandwidth of the inference sweep, TB/s.
pub const SWEEP_TB_S: (f64, f64) = (0.3, 30.0);

/// Points of the inference sweep.
const SWEEP_POINTS: usize = 81;

/// Points of each curve where several are drawn.
const FAMILY_POINTS: usize = 41;

/// Scale-up bandwidth of the inference sweep, GB/s.
const LINKS_GB_S: (f64, f64) = (10.0, 5000.0);

/// Points of the sweep over links.
const LINK_POINTS: usize = 55;

/// DRAM capacity of the inference sweep, GiB.
const CAPACITY_GIB: (f64, f64) = (8.0, 1024.0);

/// Points of the sweep over capacities.
const CAPACITY_POINTS: usize = 43;

/// Points of the curve of service against load.
const LOAD_POINTS: usize = 41;

impl Scenario {
    /// Latency against DRAM bandwidth.
    pub fn dram_sweep(&self) -> Result<DramSweep, Vec<Problem>> {
        self.with_inference(|job| job.dram_sweep(SWEEP_TB_S.0, SWEEP_TB_S.1, SWEEP_POINTS))
    }

    /// Latency against DRAM bandwidth for several choices of a setting.
    pub fn dram_family(&self, varied: Varied) -> Result<DramFamily, Vec<Problem>> {
        self.with_inference(|job| job.dram_family(varied, SWEEP_TB_S, FAMILY_POINTS))
    }

    /// Latency against scale-up bandwidth; `None` if one GPU serves alone.
    pub fn link_sweep(&self) -> Result<Option<LinkSweep>, Vec<Problem>> {
        self.with_inference(|job| {
            let (low, high) = LINKS_GB_S;
            (job.load.worker_gpus() > 1).then(|| job.link_sweep(low, high, LINK_POINTS))
        })
    }

    /// Throughput against DRAM capacity.
    pub fn capacity_sweep(&self) -> Result<CapacitySweep, Vec<Problem>> {
        self.with_inference(|job| job.capacity_sweep(CAPACITY_GIB.0, CAPACITY_GIB.1, CAPACITY_POINTS))
    }

    /// Service against load.
    pub fn load_curve(&self) -> Result<LoadCurve, Vec<Problem>> {
        self.with_inference(|job| job.load_curve(LOAD_POINTS))
    }
}
