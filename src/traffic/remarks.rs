//! What the dialog says about a trace beside the fields that it sets.

use super::trace::Trace;
use crate::inference::CacheTiers;
use crate::serving::simulation::TraceRequest as Request;
use crate::units::{Amount, format};

/// Coefficient of variation of inter-arrival times above which a Poisson process clearly understates queueing. It is 1
/// for a Poisson process and 13 for Azure's trace of code completions.
const BURSTY: f64 = 1.5;

impl Trace {
    /// Statistics of the trace that no field holds: one sentence each, without a full stop. `tiers` as in
    /// [`Trace::facts`].
    pub fn remarks(&self, tiers: &CacheTiers) -> Vec<String> {
        let mut remarks = Vec::new();
        let quantiles = |length: fn(&Request) -> f64| {
            [0.5, 0.95, 0.99].map(|share| Amount::count(self.quantile(length, share)).to_string())
        };
        let [median, high, highest] = quantiles(|request| request.input);
        let [short, long, longest] = quantiles(|request| request.output);
        remarks.push(format!(
            "Prompt tokens: median {median}, p95 {high}, p99 {highest}. Output tokens: median {short}, p95 {long}, p99 \
             {longest}. Fleets are sized for the mean lengths; percentiles are simulated with the trace itself while this page has \
             it, as Lengths says"
        ));
        if let (Some(rate), Some(peak)) = (self.rate(), self.peak()) {
            remarks.push(format!(
                "The request rate is that of the busiest minute, {} times the mean of {}/s",
                format::digits(peak),
                format::digits(rate)
            ));
        }
        if let Some(resolution) = self.resolution() {
            remarks.push(format!(
                "Arrival times have a resolution of {} s: simulated requests of one time are spread evenly over it",
                format::digits(resolution)
            ));
        } else if let Some(variation) = self.variation().filter(|variation| *variation > BURSTY) {
            remarks.push(format!(
                "Arrivals are burstier than a Poisson process: the coefficient of variation of their intervals is {} instead of 1; \
                 simulated percentiles have the bursts, the mean-field model has not",
                format::digits(variation)
            ));
        }
        let endless = CacheTiers { gpu: f64::INFINITY, ..CacheTiers::default() };
        if let (Some(here), Some([all, ..])) = (self.reuse(tiers), self.reuse(&endless)) {
            let held = [(tiers.gpu, "on the GPUs"), (tiers.host, "in host memory"), (tiers.ssd, "on SSDs")];
            let held: Vec<String> = held
                .into_iter()
                .zip(here)
                .filter(|((tokens, _), _)| *tokens > 0.0)
                .map(|((tokens, place), share)| {
                    format!(
                        "{} of the prompt tokens {place} ({} tokens)",
                        Amount::percent(share),
                        Amount::count(tokens)
                    )
                })
                .collect();
            remarks.push(format!(
                "The prefix cache of one replica of the current question would hold {}; an unlimited cache {}",
                held.join(", "),
                Amount::percent(all)
            ));
        }
        remarks.extend(self.about_texts());
        if self.failed > 0 {
            remarks.push(format!(
                "Left out: {} requests without a prompt or an answer",
                Amount::count(self.failed)
            ));
        }
        remarks
    }

    /// Remarks about estimated token counts, missing arrival times and sessions.
    fn about_texts(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.estimated {
            remarks.push(
                "The file has texts, whose tokens are estimated at 4 characters each, a rule of thumb for English; code and other \
                 languages have more tokens. A line's `input_length` replaces the estimate"
                    .to_owned(),
            );
        }
        if !self.timed {
            remarks.push(
                "The file has no arrival times: the question's load stays, and simulated requests or sessions arrive as a Poisson process"
                    .to_owned(),
            );
        }
        if self.sessions() > 0 {
            let turns = self.requests.iter().filter(|request| request.session.is_some()).count();
            remarks.push(format!(
                "{} sessions of {} turns in the mean, each on one replica: prompts repeat the turns before them with their answers. \
                 A turn without a time arrives after its think time (`delay`), which is not scaled with the load; the duration of \
                 the previous answer is not added",
                Amount::count(self.sessions() as f64),
                format::digits(turns as f64 / self.sessions() as f64)
            ));
        }
        if self.skipped > 0 {
            remarks.push(format!(
                "Left out, as `vllm bench serve` does: {} conversations of one message, of fewer than 4 tokens, or of more than 1,024 in \
                 the prompt or 2,048 in all",
                Amount::count(self.skipped)
            ));
        }
        remarks
    }
}
