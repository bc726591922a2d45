//! Step times, tabulated once so that a simulated step takes nanoseconds.

use crate::inference::step::Step;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::serving::served::plain_step;

/// Times of steps between tabulated points.
///
/// Decode steps are linear between a few numbers of running requests and contexts. A step that reads prompts takes what
/// reading as many tokens as prompts and running requests have takes, and the running requests' attention besides.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    running: Vec<f64>,
    contexts: [f64; 3],
    /// By number of running requests, then by context, s.
    decode: Vec<[f64; 3]>,
    chunks: Vec<f64>,
    /// By tokens that are read: where they see themselves alone, s, and for each further key that all of them see.
    prefill: Vec<(f64, f64)>,
}

/// How far tables reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Requests that run at once.
    pub running: f64,
    /// Tokens that a request sees.
    pub context: f64,
    /// Tokens that one step reads.
    pub tokens: f64,
}

impl Pace {
    /// Tables of the time of a decode step by running requests and mean context, and of a step that reads tokens, the
    /// last of which sees so many keys, all in seconds.
    pub fn new(decode: impl Fn(f64, f64) -> f64, prefill: impl Fn(f64, f64) -> f64, reach: Reach) -> Self {
        let running = grid(reach.running.max(1.0));
        let contexts = [1.0, (0.5 * reach.context).max(2.0), reach.context.max(4.0)];
        let chunks = grid(reach.tokens.max(1.0));
        let far = reach.context.max(reach.tokens) * 2.0;
        Self {
            decode: running.iter().map(|count| contexts.map(|context| decode(*count, context))).collect(),
            prefill: chunks
                .iter()
                .map(|tokens| {
                    let near = prefill(*tokens, *tokens);
                    (near, ((prefill(*tokens, tokens + far) - near) / far).max(0.0))
                })
                .collect(),
            running,
            contexts,
            chunks,
        }
    }

    /// A step in which so many requests of this mean context get their next token, s.
    pub fn decode(&self, running: f64, context: f64) -> f64 {
        let (at, share) = between(&self.running, running);
        let of = |row: &[f64; 3]| {
            let (left, along) = between(&self.contexts, context);
            row[left] + along * (row[left + 1] - row[left])
        };
        let Some(low) = self.decode.get(at).map(of) else { return 0.0 };
        let high = self.decode.get(at + 1).map_or(low, of);
        low + share * (high - low)
    }

    /// A step that reads `tokens`, which see `seen` keys in all, while so many requests of this mean context get their
    /// next token, s.
    pub fn mixed(&self, tokens: f64, seen: f64, running: f64, context: f64) -> f64 {
        let all = tokens + running;
        let (at, share) = between(&self.chunks, all);
        let Some(low) = self.prefill.get(at) else { return 0.0 };
        let high = self.prefill.get(at + 1).unwrap_or(low);
        let alone = low.0 + share * (high.0 - low.0);
        let slope = low.1 + share * (high.1 - low.1);
        // Tabulated is one chunk that sees half of itself on average; several prompts see less, later chunks more.
        let further = slope * (seen / all - 0.5 * all);
        let attention = if running > 0.0 {
            (self.decode(running, context) - self.decode(running, 1.0)).max(0.0)
        } else {
            0.0
        };
        (alone + further).max(0.5 * alone) + attention
    }
}

/// Values from 1 to an end, about four in each factor of four, whole at the small end.
fn grid(last: f64) -> Vec<f64> {
    let mut values = vec![1.0];
    let mut value = 1.0;
    while value < last {
        value = libm::ceil(value * 1.5).min(last);
        values.push(value);
    }
    values
}

/// The place of the last point that is not above a value, but one, and how far the value is towards the next.
fn between(points: &[f64], value: f64) -> (usize, f64) {
    let above = points.partition_point(|point| *point <= value).clamp(1, points.len().max(2) - 1);
    let (Some(low), Some(high)) = (points.get(above - 1), points.get(above)) else { return (0, 0.0) };
    (above - 1, (value - low) / (high - low))
}

impl InferenceJob<'_> {
    /// The pace of one attention replica, with tables up to `reach`.
    pub fn pace(&self, reach: Reach) -> Pace {
        let decode = |running: f64, context: f64| {
            let load = InferenceLoad { input: context as u32, output: 0, ..*self.load };
            let job = InferenceJob { load: &load, ..*self };
            job.time_of(plain_step(running)).get()
        };
        let prefill = |tokens: f64, keys: f64| {
            let step = Step { prompts: 1.0, chunk: tokens, keys, running: 0.0, passes: 1.0 };
            self.time_of(step).get()
        };
        Pace::new(decode, prefill, reach)
    }
}
