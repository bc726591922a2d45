//! The load of a serving benchmark.

use super::Measurement;

/// Requests of a run at a rate, beyond which it counts as an endless stream.
const ENDLESS: f64 = 16_384.0;

/// What a serving client says of its load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    /// Requests per second; `None` where they are all sent at once or as others end.
    pub(super) rate: Option<f64>,
    /// Most requests in flight.
    pub(super) most: Option<f64>,
    /// Requests of the run.
    pub(super) requests: Option<f64>,
}

impl Load {
    /// Sets a request rate, a concurrency, or all requests at once, each of which is in flight until it ends.
    pub(super) fn set(self, found: &mut Measurement) {
        let Self { rate, most, requests } = self;
        match (rate, most) {
            (Some(rate), limit) => {
                found.number("inference.rate", rate);
                found.whole("inference.requests", requests.filter(|requests| *requests <= ENDLESS));
                if let Some(most) = limit {
                    found.remark(format!(
                        "At most {most} requests were in flight: at a given rate the prediction has no such limit"
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
