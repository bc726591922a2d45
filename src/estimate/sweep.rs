//! Inference latency against DRAM bandwidth, everything else kept.

use serde::Serialize;

use super::inference::{InferenceJob, Phase};
use crate::system::{Cost, System};
use crate::units::{Bandwidth, Seconds};

/// Latencies at each bandwidth, and the floors that no bandwidth gets under.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DramSweep {
    /// DRAM bandwidth of each point, TB/s, rising.
    pub bandwidth_tb_s: Vec<f64>,
    /// Time to first token, seconds.
    pub ttft: Vec<f64>,
    /// Time per output token, seconds.
    pub tpot: Vec<f64>,
    /// Whole request, seconds.
    pub latency: Vec<f64>,
    /// The request if only arithmetic at calibrated efficiency took time, seconds.
    pub compute_floor: f64,
    /// The request if only communication took time, seconds; 0 on one GPU.
    pub network_floor: f64,
    /// The device's own bandwidth, TB/s.
    pub device_tb_s: f64,
    /// The request at the device's own bandwidth, seconds.
    pub device_latency: f64,
}

/// Points between two ends, evenly spaced in the logarithm, ends included.
pub fn logarithmic(from: f64, to: f64, points: usize) -> impl Iterator<Item = f64> {
    let ratio = libm::log(to / from);
    let last = points.saturating_sub(1).max(1) as f64;
    (0..points).map(move |index| from * libm::exp(ratio * index as f64 / last))
}

impl InferenceJob<'_> {
    /// Sweeps DRAM bandwidth between two values in TB/s.
    pub fn dram_sweep(&self, from_tb_s: f64, to_tb_s: f64, points: usize) -> DramSweep {
        let mut system = self.system.clone();
        let mut sweep = DramSweep {
            bandwidth_tb_s: Vec::with_capacity(points),
            ttft: Vec::with_capacity(points),
            tpot: Vec::with_capacity(points),
            latency: Vec::with_capacity(points),
            compute_floor: self.floor(|cost| cost.compute),
            network_floor: self.floor(|cost| cost.network),
            device_tb_s: self.system.device.dram.get() / 1e12,
            device_latency: self.latency(self.time(Phase::Prefill), self.time(Phase::Decode)).get(),
        };
        for tera in logarithmic(from_tb_s, to_tb_s, points) {
            self.at(&mut system, tera, &mut sweep);
        }
        sweep
    }

    fn at(&self, system: &mut System, tera: f64, sweep: &mut DramSweep) {
        system.device.dram = Bandwidth::from_gb(tera * 1e3);
        let job = InferenceJob { system, ..*self };
        let (ttft, tpot) = (job.time(Phase::Prefill), job.time(Phase::Decode));
        sweep.bandwidth_tb_s.push(tera);
        sweep.ttft.push(ttft.get());
        sweep.tpot.push(tpot.get());
        sweep.latency.push(self.latency(ttft, tpot).get());
    }

    /// The request if only one part of each operator's cost took time.
    fn floor(&self, part: impl Fn(&Cost) -> Seconds) -> f64 {
        let total = |phase| {
            let mut sum = Seconds::ZERO;
            self.pass(phase, &mut |_, count, cost| sum += part(&cost) * count);
            sum
        };
        self.latency(total(Phase::Prefill), total(Phase::Decode)).get()
    }
}
