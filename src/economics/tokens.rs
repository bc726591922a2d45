//! Cost of tokens: what a served load costs and draws.

use serde::Serialize;

use super::{Economics, HOUR, ServedUse, Utilisation};
use crate::catalog::Accelerator;
use crate::inference::InferenceLoad;
use crate::serving::InferenceEstimate;

/// Cost of tokens at the served load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TokenBill {
    /// US dollars per million prompt tokens.
    pub usd_per_million_input: Option<f64>,
    /// US dollars per million generated tokens.
    pub usd_per_million_output: Option<f64>,
    /// Energy of a prompt token, as [`Bill::kwh`](super::Bill::kwh), J.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_pay_for_all_gpus_together() {
        let h100 = || crate::catalog::accelerator("h100-sxm").expect("an H100");
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
