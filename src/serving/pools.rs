//! Largest request rates of workers that only prefill, and of workers that only decode.

use super::crossing::crossing;
use super::served::plain_step;
use super::sessions::SessionCache;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::units::Seconds;

/// Maximum utilisation of a worker: close to 1, queues grow without bound.
const LOADED: f64 = 0.95;

/// Number of bisections of a load.
const HALVINGS: u32 = 14;

/// Relative tolerance of the rate of prefill workers with sessions.
const SETTLED: f64 = 1e-3;

impl InferenceJob<'_> {
    /// Requests per second that one worker decodes with a TPOT within `limit`. `None` if a lone request exceeds it, or if
    /// nothing is decoded.
    pub(crate) fn decode_rate(&self, limit: Option<Seconds>) -> Option<f64> {
        let (load, most) = (self.load, self.most_running());
        let passes = load.passes();
        let step = |running: f64| self.time_of(plain_step((running + 1.0).min(most)));
        let keeps = |running: f64| limit.is_none_or(|limit| step(running) / load.yielded() <= limit);
        if passes <= 0.0 || !keeps(0.0) {
            return None;
        }
        let running = largest(LOADED * most, &keeps);
        let groups = self.groups() / f64::from(load.workers);
        (running > 0.0).then(|| groups * running / (step(running).get() * passes))
    }

    /// Requests per second that one attention replica of this job's prefill workers prefills within the TTFT limit, of which
    /// the KV transfer takes a part. `None` if a lone prompt exceeds it.
    pub(crate) fn prefill_rate(&self) -> Option<f64> {
        let [limit, decoded, _] = self.load.limits();
        let within = |load: &InferenceLoad| {
            let job = InferenceJob { load, ..*self };
            let prefilling = load.prefilling();
            job.reader(&prefilling).rate_within(limit, job.transfer() + job.prompt_reload_time())
        };
        let Some(session) = self.session() else { return within(self.load) };
        // The larger the rate, the less of each session the cache still has.
        let endless = SessionCache::endless(&session, self.prompt());
        let most = within(&self.load.with_shares(endless.shares))?;
        let answered =
            self.load.request_latency(limit.unwrap_or(Seconds::ZERO), decoded.unwrap_or(Seconds::ZERO));
        Some(crossing(most, SETTLED, |rate| {
            let cache = self.cache_at(&session, rate, answered);
            within(&self.load.with_shares(cache.shares)).unwrap_or(0.0)
        }))
    }

    /// Requests per second that one attention replica of this job prefills with a TTFT within `limit`, of which whatever
    /// follows takes `after`. `None` if a lone prompt exceeds it.
    fn rate_within(&self, limit: Option<Seconds>, after: Seconds) -> Option<f64> {
        let ends = self.outermost(0.0);
        let ttft = |rate: f64| {
            let read = self.arriving_in(&ends, rate, 0.0);
            let wait = Seconds::new(read.before + 0.5 * read.reading * read.own.get());
            read.own * read.parts + wait + self.arrival() + after
        };
        let keeps = |rate: f64| limit.is_none_or(|limit| ttft(rate) <= limit);
        if !keeps(0.0) {
            return None;
        }
        let [_, full] = &ends;
        let most = LOADED * full.step.prompts / (full.time.get() * full.parts);
        Some(largest(most, &keeps)).filter(|rate| *rate > 0.0)
    }
}

/// The largest load up to `most` that keeps a limit which 0 keeps, to a relative precision of 2^-14 of `most`.
fn largest(most: f64, keeps: &dyn Fn(f64) -> bool) -> f64 {
    if keeps(most) {
        return most;
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if keeps(middle) { low = middle } else { high = middle }
    }
    low
}
