//! Cost of a training run or a service: money ([`Terms`]), energy, carbon, and time lost to failures.

mod interruptions;
mod power;
mod price;
mod tokens;

use serde::{Deserialize, Serialize};

pub use power::{ServedUse, ServedWork, Utilisation};
pub use price::Terms;
pub use tokens::TokenBill;

use interruptions::Interruptions;

use crate::catalog::Accelerator;
use crate::units::{Bandwidth, Bytes, Seconds};

/// Prices and rates that are no property of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Economics {
    /// How GPUs are paid for.
    pub terms: Terms,
    /// US dollars per GPU and hour on demand instead of the catalogue's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_gpu_hour: Option<f64>,
    /// Discount of reserved GPUs relative to the on-demand price, as a fraction.
    pub reserved_discount: f64,
    /// Purchase price of a GPU with its share of server and network instead of the catalogue's, US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_gpu: Option<f64>,
    /// Years over which a purchase is paid off.
    pub years: f64,
    /// Cost of operating owned GPUs over these years (building, staff, repairs) over the purchase price.
    pub operation: f64,
    /// Price of electricity in addition to that, US dollars per kWh; `None` for the default of the terms: 0 for rents, which
    /// include electricity, and the industrial price for owned GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_kwh: Option<f64>,
    /// Power that a server draws, as a share of its rated power.
    pub power_share: f64,
    /// Energy of the whole data centre over that of its computers.
    pub pue: f64,
    /// Carbon intensity of the electricity, g CO₂ per kWh.
    pub carbon_g_kwh: f64,
    /// Hours that one GPU, with its share of host and links, runs until it interrupts the job.
    pub gpu_hours_per_failure: f64,
    /// Bandwidth of the storage that checkpoints are written to and read from, GB/s per GPU.
    pub storage_gb_s: f64,
    /// Seconds for which the job stops to write a checkpoint; `None` for the size of the checkpoint over the storage bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_s: Option<f64>,
    /// Seconds from a failure to the first new step, without reading the checkpoint and repeating lost steps.
    pub restart_s: f64,
}

impl Default for Economics {
    fn default() -> Self {
        Self {
            terms: Terms::OnDemand,
            usd_per_gpu_hour: None,
            // Median of commitments of one year at Google Cloud, Azure and DigitalOcean (2026).
            reserved_discount: 0.36,
            usd_per_gpu: None,
            // Pay-back time and operation of a cluster of H100 in greaterwrong.com's cost of ownership (2026).
            years: 3.0,
            operation: 0.2,
            usd_per_kwh: None,
            // Training of transformers on servers of eight H100 that are rated at 10.2 kW (arXiv 2506.14551).
            power_share: 0.76,
            // Mean of the Uptime Institute's survey of 2023.
            pue: 1.58,
            // The world's mean (IEA 2019, in mlco2/codecarbon@b05965e).
            carbon_g_kwh: 475.0,
            // 419 unexpected interruptions in 54 days on 16,384 GPUs (Llama 3, arXiv 2407.21783, table 5).
            gpu_hours_per_failure: 54.0 * 24.0 * 16384.0 / 419.0,
            // 2 TB/s sustained for 16,384 GPUs (Llama 3, arXiv 2407.21783, section 3.3.1).
            storage_gb_s: 0.12,
            checkpoint_s: None,
            // Estimate for a scheduler with spare nodes.
            restart_s: 600.0,
        }
    }
}

/// Cost of a training run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bill {
    /// Fraction of the time spent on steps whose results are kept.
    pub goodput: f64,
    /// Time between checkpoints that loses least.
    pub checkpoint_interval: Seconds,
    /// The run with what failures cost.
    pub time: Seconds,
    /// GPUs × hours.
    pub gpu_hours: f64,
    /// US dollars, where a price is known.
    pub usd: Option<f64>,
    /// Energy that the servers draw, times the data centre's overhead, where their power is known
    /// ([`Economics::watts`]).
    pub kwh: Option<f64>,
    /// Carbon dioxide of that energy, kg.
    pub co2_kg: Option<f64>,
}

/// Seconds of an hour, and joules of a watt-hour.
const HOUR: f64 = 3600.0;

impl Economics {
    /// The bill of a run, whose duration on machines that never fail is `run`. With the size of its checkpoints it includes
    /// failures and checkpoints; with `None` it has neither.
    pub fn bill(
        &self,
        accelerator: &Accelerator,
        gpus: u32,
        run: Seconds,
        checkpoint: Option<Bytes>,
    ) -> Bill {
        let Some(checkpoint) = checkpoint else { return self.faultless(accelerator, gpus, run) };
        let between_failures = Seconds::new(self.gpu_hours_per_failure * HOUR / f64::from(gpus));
        let transfer = self.storage_time(gpus, checkpoint);
        let interruptions = Interruptions {
            between_failures,
            write: self.checkpoint_s.map_or(transfer, Seconds::new),
            restart: Seconds::new(self.restart_s) + transfer,
        };
        let interval = interruptions.interval();
        let goodput = interruptions.goodput(interval);
        Bill { checkpoint_interval: interval, goodput, ..self.faultless(accelerator, gpus, run / goodput) }
    }

    /// Time to write or read a checkpoint.
    pub fn storage_time(&self, gpus: u32, checkpoint: Bytes) -> Seconds {
        checkpoint / (Bandwidth::from_gb(self.storage_gb_s) * f64::from(gpus))
    }

    /// The bill of a run that takes this long, without checkpoints and failures.
    fn faultless(&self, accelerator: &Accelerator, gpus: u32, time: Seconds) -> Bill {
        let gpus = f64::from(gpus);
        let gpu_hours = gpus * time.get() / HOUR;
        let kwh = self.watts(accelerator).map(|watts| gpu_hours * watts * 1e-3);
        Bill {
            goodput: 1.0,
            checkpoint_interval: Seconds::ZERO,
            time,
            gpu_hours,
            usd: self.hourly_usd(accelerator).map(|hourly| gpu_hours * hourly),
            kwh,
            co2_kg: kwh.map(|kwh| kwh * self.carbon_g_kwh * 1e-3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h100() -> &'static Accelerator {
        crate::catalog::accelerator("h100-sxm").expect("an H100")
    }

    #[test]
    fn a_day_of_a_node_is_192_gpu_hours() {
        let day = Seconds::new(86400.0);
        let never = Economics { gpu_hours_per_failure: 1e12, ..Economics::default() };
        let bill = never.bill(h100(), 8, day, Some(Bytes::ZERO));
        let rent = never.hourly_usd(h100()).expect("a price");
        assert!((bill.gpu_hours - 192.0).abs() < 1e-6);
        assert!((bill.usd.expect("a price") - 192.0 * rent).abs() < 1e-3);
        // A server of eight H100 is rated at 10.2 kW.
        let kwh = 192.0 * 10.2 / 8.0 * 0.76 * 1.58;
        assert!((bill.kwh.expect("a power") - kwh).abs() < 1e-3);
        assert!((bill.co2_kg.expect("a power") - kwh * 0.475).abs() < 1e-3);
    }

    #[test]
    fn larger_jobs_lose_more_to_failures() {
        let economics = Economics::default();
        // Weights and optimizer state of Llama 3 405B.
        let state = Bytes::new(405e9 * 14.0);
        let bill = |gpus, state| economics.bill(h100(), gpus, Seconds::new(1e6), Some(state));
        let share = |gpus| bill(gpus, Bytes::from_mb(1e3)).goodput;
        assert!(share(8) > 0.99 && share(8) < 1.0);
        assert!(share(1024) < share(8) && share(16384) < share(1024));
        // Llama 3 on 16,384 GPUs reached over 0.9 (arXiv 2407.21783, section 3.3.4).
        let llama = bill(16_384, state).goodput;
        assert!((0.9..0.95).contains(&llama), "{llama}");
    }

    #[test]
    fn larger_checkpoints_are_written_less_often() {
        let of = |economics: Economics, gigabytes: f64| {
            economics.bill(h100(), 64, Seconds::new(1e6), Some(Bytes::from_mb(gigabytes * 1e3)))
        };
        let (small, large) = (of(Economics::default(), 100.0), of(Economics::default(), 1000.0));
        assert!(large.checkpoint_interval > small.checkpoint_interval && large.goodput < small.goodput);
        // A stated time holds for any size; only reading depends on it.
        let stated = |gigabytes| of(Economics { checkpoint_s: Some(5.0), ..Economics::default() }, gigabytes);
        assert_eq!(stated(100.0).checkpoint_interval, stated(1000.0).checkpoint_interval);
        let fast = of(Economics { storage_gb_s: 10.0, ..Economics::default() }, 1000.0);
        assert!(fast.goodput > large.goodput);
    }
}
