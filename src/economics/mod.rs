//! Cost of a training run or a service: money ([`Terms`]), energy, carbon, and time lost to failures.

mod interruptions;
mod power;
mod price;

use serde::{Deserialize, Serialize};

pub use power::{ServedUse, ServedWork, Utilisation};
pub use price::Terms;

use interruptions::Interruptions;

use crate::catalog::Accelerator;
use crate::inference::InferenceLoad;
use crate::serving::InferenceEstimate;
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

/// Cost of tokens at the served load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TokenBill {
    /// US dollars per million prompt tokens.
    pub usd_per_million_input: Option<f64>,
    /// US dollars per million generated tokens.
    pub usd_per_million_output: Option<f64>,
    /// Energy of a prompt token, as [`Bill::kwh`], J.
    pub joules_per_input: Option<f64>,
    /// Energy of a generated token, J.
    pub joules_per_output: Option<f64>,
    /// Carbon dioxide of a million generated tokens, g.
    pub co2_g_per_million_output: Option<f64>,
}

impl TokenBill {
    /// US dollars per million generated tokens, prompts included. `prompt`: prompt tokens per generated token.
    pub fn usd_with_prompts(&self, prompt: f64) -> Option<f64> {
        Some(self.usd_per_million_output? + prompt * self.usd_per_million_input?)
    }
}

/// Seconds of an hour, and joules of a watt-hour.
const HOUR: f64 = 3600.0;

const MILLION: f64 = 1e6;

impl Economics {
    /// Cost of tokens on a number of GPUs that are paid for, and draw power, all the time. Prompts bear the cost of
    /// their share of the GPUs' busy time, or of the workers that prefill, which may have a device of their own; generated
    /// tokens bear the rest.
    pub fn tokens(
        &self,
        accelerator: &Accelerator,
        prefill: Option<&Accelerator>,
        load: &InferenceLoad,
        estimate: &InferenceEstimate,
    ) -> TokenBill {
        // GPU seconds per token.
        let request = f64::from(load.gpus()) / estimate.requests_per_second;
        let input = request * estimate.prompt_share / estimate.prompt(load);
        let output = request * (1.0 - estimate.prompt_share) / f64::from(load.output);
        let usd = |hourly: Option<f64>, seconds: f64| Some(hourly? / HOUR * seconds * MILLION);
        let joules = |watts: Option<f64>, seconds: f64| Some(watts? * seconds);
        let decode_watts = self.decode_watts(accelerator, Utilisation::decoding(accelerator, estimate));
        let joules_per_output = joules(decode_watts, output);
        TokenBill {
            usd_per_million_input: usd(self.of_prefill(accelerator, prefill, Self::hourly_usd), input),
            usd_per_million_output: usd(self.hourly_usd_at(accelerator, decode_watts), output),
            joules_per_input: joules(self.of_prefill(accelerator, prefill, Self::watts), input),
            joules_per_output,
            co2_g_per_million_output: joules_per_output
                .map(|joules| joules * MILLION / (1e3 * HOUR) * self.carbon_g_kwh),
        }
    }

    /// Mean power of one GPU of a served load, W, with its share of the server and the data centre's overhead. Prefill and decode
    /// have the powers that [`Self::tokens`] charges to input and output tokens.
    pub fn served_watts(
        &self,
        accelerator: &Accelerator,
        prefill: Option<&Accelerator>,
        used: &ServedUse,
    ) -> Option<f64> {
        let of_prefill = self.of_prefill(accelerator, prefill, Self::watts)?;
        Some(used.mean(of_prefill, self.decode_watts(accelerator, used.decoding)?))
    }

    /// Mean price of one GPU-hour of a served load, US dollars, with the electricity of prefill and decode as in [`Self::tokens`].
    pub fn served_hourly_usd(
        &self,
        accelerator: &Accelerator,
        prefill: Option<&Accelerator>,
        used: &ServedUse,
    ) -> Option<f64> {
        let of_prefill = self.of_prefill(accelerator, prefill, Self::hourly_usd)?;
        let watts = self.decode_watts(accelerator, used.decoding);
        Some(used.mean(of_prefill, self.hourly_usd_at(accelerator, watts)?))
    }

    /// A quantity per GPU of the workers that prefill: of their own device at the catalogue's price, or of the question's.
    fn of_prefill(
        &self,
        accelerator: &Accelerator,
        prefill: Option<&Accelerator>,
        per_gpu: fn(&Self, &Accelerator) -> Option<f64>,
    ) -> Option<f64> {
        prefill.map_or_else(|| per_gpu(self, accelerator), |device| per_gpu(&self.listed(), device))
    }

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

    #[test]
    fn tokens_pay_for_all_gpus_together() {
        let mut scenario = crate::scenario::Scenario::default();
        let economics = Economics { usd_per_gpu_hour: Some(3.6), ..Economics::default() };
        for concurrency in [0, 32] {
            scenario.inference.concurrency = concurrency;
            let (load, estimate) = (scenario.inference, scenario.inference().expect("an answer"));
            assert!((0.0..1.0).contains(&estimate.prompt_share), "{}", estimate.prompt_share);
            let bill = economics.tokens(h100(), None, &load, &estimate);
            let request = bill.usd_per_million_input.expect("a price") * f64::from(load.input)
                + bill.usd_per_million_output.expect("a price") * f64::from(load.output);
            // 8 GPUs at a tenth of a cent per second.
            let per_second = request * 1e-6 * estimate.requests_per_second;
            assert!((per_second - 0.008).abs() < 1e-9, "{per_second}");
            let watts = bill.joules_per_input.expect("a power") * f64::from(load.input)
                + bill.joules_per_output.expect("a power") * f64::from(load.output);
            // In prefill the server draws 76 % of its rated power, in decode what its GPUs need.
            let decode = 8.0
                * economics.decode_watts(h100(), Utilisation::decoding(h100(), &estimate)).expect("a power");
            let prefill = 10_200.0 * 0.76 * 1.58;
            let drawn = decode + (prefill - decode) * estimate.prompt_share;
            assert!(decode < prefill && (watts * estimate.requests_per_second - drawn).abs() < 1e-6);
        }
    }
}
