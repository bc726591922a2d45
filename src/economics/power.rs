//! Power of servers.

use serde::{Deserialize, Serialize};

use super::Economics;
use crate::catalog::Accelerator;
use crate::serving::InferenceEstimate;
use crate::system::Cost;
use crate::units::{Flops, Seconds};

/// Rated power of a server over the design power of its accelerators: the middle of the catalogue's servers.
const SERVER_OVER_CHIPS: f64 = 1.8;

/// Upper limit of a server's rated power beyond its GPUs, W per GPU: the median of the catalogue's servers with GPUs of 700 W
/// and more (475 to 788 W).
const OTHER_PARTS: f64 = 600.0;

/// Power of an idle GPU relative to its design power: 120 W of an H100's and 118 W of an H200's 700 W.
///
/// This and the constants below are readings of the devices themselves while they multiply by the weights of Llama-3.1-8B in
/// BF16, 1 to 4,096 tokens at a time (`tests/measured/kernels/power.jsonl`).
const IDLE: f64 = 0.17;

/// Power that reading DRAM adds at the highest rate, relative to the design power: 0.52 on H100 at 2.8 TB/s, 0.63 on H200 at
/// 3.7 TB/s.
const READING: f64 = 0.57;

/// Power that arithmetic adds at the peak rate of 16-bit operands, relative to the design power: 1.3 to 1.7. From two thirds of
/// that rate on, the design power is the limit.
const ARITHMETIC: f64 = 1.5;

/// Power of a GPU in training and prefill, relative to its design power: 690 W of 700 W in most of 63 training steps.
const FULL: f64 = 0.98;

/// Use of a GPU in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Utilisation {
    /// Part of the time in which DRAM is read, 0 to 1.
    reading: f64,
    /// Rate of arithmetic relative to the peak rate of 16-bit operands.
    arithmetic: f64,
}

/// Utilisation of the GPUs by a served load, in both phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServedUse {
    /// Fraction of the GPUs' busy time spent in prefill; with prefill workers, their fraction of the GPUs.
    pub prompt_share: f64,
    /// Utilisation of a GPU by decode steps.
    pub decoding: Utilisation,
}

/// What a served load asks of its GPUs, from which its utilisation of a device follows.
#[derive(Clone, Copy, Debug)]
pub struct ServedWork {
    prompt_share: f64,
    decoding: Kernels,
    tpot: Seconds,
}

impl ServedWork {
    /// The work of an estimate.
    pub fn of(estimate: &InferenceEstimate) -> Self {
        let mut decoding = Kernels::default();
        for row in &estimate.decode {
            decoding.add(row.count, &row.cost);
        }
        Self { prompt_share: estimate.prompt_share, decoding, tpot: estimate.tpot }
    }

    /// Utilisation of a device by this work, which was estimated on it.
    pub fn on(&self, accelerator: &Accelerator) -> ServedUse {
        let decoding = self.decoding.utilisation(accelerator, self.tpot);
        ServedUse { prompt_share: self.prompt_share, decoding }
    }
}

impl ServedUse {
    /// Utilisation of a device by a served load.
    pub fn of(accelerator: &Accelerator, estimate: &InferenceEstimate) -> Self {
        ServedWork::of(estimate).on(accelerator)
    }

    /// Mean over the GPUs' busy time of a quantity in prefill and in decode.
    pub fn mean(&self, prefill: f64, decode: f64) -> f64 {
        // This form is exact where both are equal.
        decode + self.prompt_share * (prefill - decode)
    }
}

/// Sums over the kernels of a phase.
#[derive(Clone, Copy, Debug, Default)]
struct Kernels {
    /// Time of the DRAM traffic alone.
    reading: Seconds,
    flops: Flops,
    time: Seconds,
}

impl Kernels {
    /// Adds a kernel that runs `count` times.
    fn add(&mut self, count: f64, cost: &Cost) {
        self.reading += cost.dram * count;
        self.flops += cost.flops * count;
        self.time += cost.time * count;
    }

    /// The use of a device by these kernels in a phase that takes at least `time`.
    fn utilisation(&self, accelerator: &Accelerator, time: Seconds) -> Utilisation {
        // A step of several tokens takes longer than the time per token.
        let time = time.max(self.time);
        if time <= Seconds::ZERO {
            return Utilisation::default();
        }
        let rates = &accelerator.matrix_tflops;
        let peak = rates.bf16.or(rates.fp16).unwrap_or(accelerator.vector_tflops) * 1e12;
        Utilisation {
            reading: (self.reading / time).min(1.0),
            arithmetic: self.flops.get() / time.get() / peak,
        }
    }
}

impl Utilisation {
    /// The use of a device by an estimate's decode steps.
    pub fn decoding(accelerator: &Accelerator, estimate: &InferenceEstimate) -> Self {
        ServedUse::of(accelerator, estimate).decoding
    }

    /// Power of the GPU relative to its design power.
    fn power(self) -> f64 {
        (IDLE + READING * self.reading + ARITHMETIC * self.arithmetic).min(FULL)
    }
}

impl Economics {
    /// Watts that one GPU draws in training or prefill with its share of the server, with the data centre's overhead:
    /// P · u · PUE, where P is the rated power of the server over its GPUs (where no server's is published, 1.8 times the
    /// design power of a GPU, and at most 600 W more) and u the share of it that is drawn. PUE is 1 for a machine that one
    /// person owns.
    pub fn watts(&self, accelerator: &Accelerator) -> Option<f64> {
        Some(self.machine_watts(accelerator)? * self.overhead(accelerator))
    }

    /// Watts that one GPU draws in decode steps: [`Self::watts`] less the part of the GPU's design power that the steps do not
    /// need.
    pub fn decode_watts(&self, accelerator: &Accelerator, used: Utilisation) -> Option<f64> {
        let machine = self.machine_watts(accelerator)?;
        let saved = accelerator.tdp_w.unwrap_or(0.0) * (FULL - used.power());
        // With a low `power_share` the machine draws less than the difference: the part of an idle GPU remains.
        Some((machine - saved).max(machine * IDLE) * self.overhead(accelerator))
    }

    fn machine_watts(&self, accelerator: &Accelerator) -> Option<f64> {
        let typical = || accelerator.tdp_w.map(|watts| (watts * SERVER_OVER_CHIPS).min(watts + OTHER_PARTS));
        Some(accelerator.server_w.or_else(typical)? * self.power_share)
    }

    /// Energy of the building over that of the machine.
    fn overhead(&self, accelerator: &Accelerator) -> f64 {
        if accelerator.class.is_personal() { 1.0 } else { self.pue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::catalog;

    /// A step that reads for a part of its time and computes at a part of the peak rate.
    fn used(reading: f64, arithmetic: f64) -> Utilisation {
        Utilisation { reading, arithmetic }
    }

    #[test]
    fn decode_draws_more_when_it_does_more_and_never_more_than_training() {
        let economics = Economics::default();
        for device in &catalog().accelerators {
            let Some(most) = economics.watts(device) else { continue };
            let mut last = 0.0;
            for (reading, arithmetic) in
                [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 0.1), (1.0, 0.3), (1.0, 1.0)]
            {
                let watts = economics
                    .decode_watts(device, used(reading, arithmetic))
                    .expect("as many as in training");
                assert!((last..=most * (1.0 + 1e-12)).contains(&watts), "{}: {watts} of {most}", device.id);
                last = watts;
            }
            assert!((last / most - 1.0).abs() < 1e-12, "{}", device.id);
        }
    }

    /// Readings of `tests/measured/kernels/power.jsonl`: power against the rates of reading and of arithmetic.
    #[test]
    fn power_is_as_measured() {
        for line in include_str!("../../tests/measured/kernels/power.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("a row");
            // A copy writes as much as it reads; decode steps hardly write.
            if row["what"] == "copy" {
                continue;
            }
            let number = |name: &str| row[name].as_f64();
            let fastest = if row["gpu"] == "H200" { 3.706 } else { 2.792 };
            let reading = number("tb_s").map_or(0.0, |rate| (rate / fastest).min(1.0));
            let arithmetic = number("tflops").unwrap_or(0.0) / 989.0;
            let (predicted, measured) =
                (700.0 * used(reading, arithmetic).power(), number("power_w").expect("a power"));
            assert!((predicted / measured - 1.0).abs() < 0.12, "{line}: {predicted:.0} W");
        }
    }

    /// The predicted power of a personal machine is at most the rating of its power supply.
    #[test]
    fn machines_at_home_draw_what_their_supplies_give() {
        for (id, supply) in [("gb10", 240.0), ("apple-m1-ultra-48c", 215.0), ("rtx-4090", 850.0)] {
            let device = crate::catalog::accelerator(id).expect(id);
            let watts = Economics::default().watts(device).expect(id);
            assert!(watts <= supply, "{id}: {watts}");
        }
    }

    #[test]
    fn the_typical_server_is_the_middle_of_the_catalogue() {
        let over = |device: &Accelerator| Some(device.server_w? / device.tdp_w?);
        let mut all: Vec<f64> = catalog().accelerators.iter().filter_map(over).collect();
        all.sort_by(f64::total_cmp);
        assert!(all.len() >= 8 && all[0] >= 1.0, "{all:?}");
        assert!((all[all.len() / 2] / SERVER_OVER_CHIPS - 1.0).abs() < 0.05, "{all:?}");
        let beside =
            |device: &Accelerator| Some(device.server_w? - device.tdp_w.filter(|watts| *watts >= 700.0)?);
        let mut large: Vec<f64> = catalog().accelerators.iter().filter_map(beside).collect();
        large.sort_by(f64::total_cmp);
        let middle = f64::midpoint(large[large.len() / 2], large[(large.len() - 1) / 2]);
        assert!(large.len() >= 6 && (middle / OTHER_PARTS - 1.0).abs() < 0.05, "{large:?}");
    }
}
