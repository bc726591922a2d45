//! Inference against one property of the machine, everything else kept: DRAM bandwidth or capacity, scale-up links.

use serde::Serialize;

use super::capacity::{LoadAxis, LoadPoint};
use super::spacing::logarithmic;
use crate::estimate::{Binding, Shares};
use crate::inference::{InferenceJob, Phase};
use crate::system::{Cost, Network, System};
use crate::units::{Bandwidth, Bytes, Seconds};

/// A part of a request's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RequestPart {
    /// Until the first token.
    Prefill,
    /// Decode: from the first token to the last.
    Decode,
    /// The whole request.
    Request,
}

impl RequestPart {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Prefill, Self::Decode, Self::Request];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::Request => "the whole request",
        }
    }
}

/// The point of a sweep from which the swept resource no longer limits most of a phase's time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Takeover {
    /// The part.
    pub of: RequestPart,
    /// The resource's amount, in the sweep's unit.
    pub at: f64,
    /// The part's time at that amount, seconds.
    pub time: f64,
    /// Resource that binds the part from this point on.
    pub binding: Binding,
}

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
    /// Bandwidths at which DRAM stops binding, for each part that it binds at first.
    pub takeovers: Vec<Takeover>,
}

/// Latencies at each bandwidth of the scale-up links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkSweep {
    /// Scale-up bandwidth per GPU and direction of each point, GB/s, rising.
    pub gb_s: Vec<f64>,
    /// Time to first token, seconds.
    pub ttft: Vec<f64>,
    /// Time per output token, seconds.
    pub tpot: Vec<f64>,
    /// Whole request, seconds.
    pub latency: Vec<f64>,
    /// The device's own bandwidth, GB/s.
    pub device_gb_s: f64,
    /// The request at the device's own bandwidth, seconds.
    pub device_latency: f64,
    /// Bandwidths at which the links stop binding, for each part that they bind at first.
    pub takeovers: Vec<Takeover>,
}

/// Number of requests that fit, and their service, as functions of DRAM capacity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CapacitySweep {
    /// Capacity of each point that the weights fit into, GiB, and the service with as many requests as fit.
    pub points: Vec<(f64, LoadPoint)>,
    /// The device's own capacity, GiB.
    pub device_gib: f64,
    /// Concurrent requests that the question asks for: where fewer fit, the others wait. 0 if it gives none.
    pub asked: f64,
}

/// A request at one point of a sweep.
struct Sample {
    ttft: Seconds,
    tpot: Seconds,
    latency: Seconds,
    /// Resource that binds each part.
    bound: [Binding; 3],
}

/// The first point of each part that does not wait for `resource` most, where the first point of all does.
fn takeovers(resource: Binding, amounts: &[f64], samples: &[Sample]) -> Vec<Takeover> {
    let find = |(index, of): (usize, RequestPart)| {
        let first = samples.iter().position(|sample| sample.bound[index] != resource)?;
        let Sample { ttft, latency, .. } = samples[first];
        let time = [ttft, latency - ttft, latency][index].get();
        (first > 0).then(|| Takeover { of, at: amounts[first], time, binding: samples[first].bound[index] })
    };
    RequestPart::ALL.into_iter().enumerate().filter_map(find).collect()
}

/// The links that join a tensor group: a bridge, or those of the domain.
fn links_of(tensor: u32, network: &mut Network) -> &mut Bandwidth {
    let bridged = network.strided(tensor, 1).bridged;
    match &mut network.bridge {
        Some(bridge) if bridged => &mut bridge.bandwidth,
        _ => &mut network.scale_up,
    }
}

impl InferenceJob<'_> {
    /// Sweeps DRAM bandwidth between two values in TB/s.
    pub fn dram_sweep(&self, from_tb_s: f64, to_tb_s: f64, points: usize) -> DramSweep {
        let bandwidth_tb_s: Vec<f64> = logarithmic(from_tb_s, to_tb_s, points).collect();
        let samples = self.samples(&bandwidth_tb_s, |system, tera| {
            system.device.dram = Bandwidth::from_gb(tera * 1e3);
        });
        // The kernels that are fastest with the fastest DRAM can take less arithmetic than those of the device's own DRAM.
        let mut fastest = self.system.clone();
        fastest.device.dram = Bandwidth::from_gb(to_tb_s * 1e3);
        let end = InferenceJob { system: &fastest, ..*self };
        DramSweep {
            ttft: samples.iter().map(|sample| sample.ttft.get()).collect(),
            tpot: samples.iter().map(|sample| sample.tpot.get()).collect(),
            latency: samples.iter().map(|sample| sample.latency.get()).collect(),
            compute_floor: end.floor(|cost| cost.compute),
            network_floor: end.floor(|cost| cost.network),
            device_tb_s: self.system.device.dram.get() / 1e12,
            device_latency: self.latency(self.time(Phase::Prefill), self.time(Phase::Decode)).get(),
            takeovers: takeovers(Binding::Dram, &bandwidth_tb_s, &samples),
            bandwidth_tb_s,
        }
    }

    /// Sweeps the scale-up bandwidth between two values in GB/s.
    pub fn link_sweep(&self, from_gb_s: f64, to_gb_s: f64, points: usize) -> LinkSweep {
        let gb_s: Vec<f64> = logarithmic(from_gb_s, to_gb_s, points).collect();
        let tensor = self.load.tensor;
        let samples = self.samples(&gb_s, |system, gb_s| {
            *links_of(tensor, &mut system.network) = Bandwidth::from_gb(gb_s);
        });
        let own = *links_of(tensor, &mut { self.system.network });
        LinkSweep {
            ttft: samples.iter().map(|sample| sample.ttft.get()).collect(),
            tpot: samples.iter().map(|sample| sample.tpot.get()).collect(),
            latency: samples.iter().map(|sample| sample.latency.get()).collect(),
            device_gb_s: own.get() / 1e9,
            device_latency: self.latency(self.time(Phase::Prefill), self.time(Phase::Decode)).get(),
            takeovers: takeovers(Binding::ScaleUp, &gb_s, &samples),
            gb_s,
        }
    }

    /// Sweeps the DRAM capacity between two values in GiB, with as many concurrent requests as fit.
    pub fn capacity_sweep(&self, from_gib: f64, to_gib: f64, points: usize) -> CapacitySweep {
        let mut system = self.system.clone();
        let mut sweep = CapacitySweep {
            points: Vec::with_capacity(points),
            device_gib: self.system.device.capacity.to_gib(),
            asked: f64::from(self.load.concurrency),
        };
        for gib in logarithmic(from_gib, to_gib, points) {
            system.device.capacity = Bytes::from_gib(gib);
            let job = InferenceJob { system: &system, ..*self };
            let load = job.most_at_once();
            if load >= 1.0 {
                let service = job.service_at(LoadAxis::Concurrency, load);
                sweep.points.push((gib, LoadPoint { load, service }));
            }
        }
        sweep
    }

    /// One batch on this machine with each of these amounts of something.
    fn samples(&self, amounts: &[f64], change: impl Fn(&mut System, f64)) -> Vec<Sample> {
        let mut system = self.system.clone();
        let mut sample = |&amount: &f64| {
            change(&mut system, amount);
            let job = InferenceJob { system: &system, ..*self };
            let ((ttft, prefill), (tpot, decode)) = (job.waits(Phase::Prefill), job.waits(Phase::Decode));
            let latency = job.latency(ttft, tpot);
            let both = prefill.weighted(ttft, &decode, latency - ttft);
            let bound = [&prefill, &decode, &both].map(Shares::largest);
            Sample { ttft, tpot, latency, bound }
        };
        amounts.iter().map(&mut sample).collect()
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
