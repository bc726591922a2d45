//! Load of a serving benchmark, as scenario fields.

use super::Measurement;

/// Number of requests above which an open-loop run is modelled in steady state, as an endless stream.
const ENDLESS: f64 = 16_384.0;

/// Load parameters of a benchmark client.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    /// Request rate, 1/s; `None` if all requests are sent at once or each when another ends (closed loop).
    pub(super) rate: Option<f64>,
    /// Maximum number of concurrent requests.
    pub(super) most: Option<f64>,
    /// Number of requests of the run.
    pub(super) requests: Option<f64>,
}

impl Load {
    /// Sets a request rate (open loop), or a concurrency (closed loop). If neither is given, all requests are sent at
    /// once: a concurrency equal to their number, for one round.
    pub(super) fn set(self, found: &mut Measurement) {
        let Self { rate, most, requests } = self;
        match (rate, most) {
            (Some(rate), limit) => {
                found.number("inference.rate", rate);
                found.whole("inference.requests", requests.filter(|requests| *requests <= ENDLESS));
                if let Some(most) = limit {
                    found.remark(format!(
                        "The benchmark limited concurrency to {most} requests; the prediction at a request rate has no limit"
                    ));
                }
            }
            (None, Some(most)) => found.whole("inference.concurrency", most),
            (None, None) => {
                found.whole("inference.concurrency", requests);
                found.whole("inference.rounds", requests.map(|_| 1.0));
            }
        }
    }
}
