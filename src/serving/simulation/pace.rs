//! Tables of step times, so that a simulated step takes nanoseconds.

use crate::inference::step::Step;
use crate::inference::{InferenceJob, InferenceLoad};
use crate::serving::served::plain_step;

/// Step times of one attention replica, by linear interpolation in tables.
///
/// Decode steps are tabulated by running requests and mean context. A step with prefill takes the prefill time of all
/// its tokens, prompt and decode, the decode attention of the running requests, and the host time of each request.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Tabulated numbers of running requests.
    running: Vec<f64>,
    /// The interval of the table that holds each whole number of running requests from 0 on, and its position there.
    places: Vec<(usize, f64)>,
    /// Tabulated mean contexts, tokens.
    contexts: [f64; 3],
    /// Decode step times, s, by running requests and context.
    decode: Vec<[f64; 3]>,
    /// Tabulated tokens of a prefill chunk.
    chunks: Vec<f64>,
    /// Table by tokens of the chunk: prefill time, s, from an empty cache, and additional time, s, per cached token
    /// before it.
    prefill: Vec<(f64, f64)>,
    /// Time of the encoders of images and audio per prompt token, s.
    encoder: f64,
    /// Host time of a step per request in it, s.
    request: f64,
    /// Tokens that a step checks for a decoding request.
    checked: f64,
    /// Time in which drafts for these numbers of running requests are proposed, s, in decode steps; none without a draft.
    drafting: Vec<f64>,
}

/// Prompts that a step reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Prompts, whole or in part.
    pub prompts: u32,
    /// Their tokens in this step.
    pub tokens: u32,
    /// Keys that these tokens attend to, summed over them.
    pub seen: f64,
}

/// Upper ends of the tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Running requests.
    pub running: f64,
    /// Context of a request, tokens.
    pub context: f64,
    /// Tokens of a step, prefill and decode.
    pub tokens: f64,
}

/// Running requests up to which their place in the table is kept, at most.
const MOST_PLACES: f64 = 4096.0;

impl Pace {
    /// Tabulates `decode(running, context)`, the time of a decode step, s, and `prefill(tokens, keys)`, the time of a
    /// prefill chunk whose last token attends to `keys` keys, s.
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
            places: (0..=reach.running.clamp(1.0, MOST_PLACES) as u32)
                .map(|count| between(&running, f64::from(count)))
                .collect(),
            running,
            contexts,
            chunks,
            encoder: 0.0,
            request: 0.0,
            checked: 1.0,
            drafting: Vec::new(),
        }
    }

    /// This pace with encoders of images and audio that take `encoder` seconds per prompt token.
    #[must_use]
    pub fn with_encoder(self, encoder: f64) -> Self {
        Self { encoder, ..self }
    }

    /// This pace with a host that takes `request` seconds per request in a step. Tabulated steps include it.
    #[must_use]
    pub fn with_request(self, request: f64) -> Self {
        Self { request, ..self }
    }

    /// This pace with `checked` tokens in a step of each decoding request, the drafts of which take `time(running)` seconds.
    /// Tabulated decode steps include it.
    #[must_use]
    pub fn with_draft(self, checked: f64, time: impl Fn(f64) -> f64) -> Self {
        Self { drafting: self.running.iter().map(|running| time(*running)).collect(), checked, ..self }
    }

    /// Time of a decode step of `running` requests with this mean context in tokens, s.
    pub fn decode(&self, running: f64, context: f64) -> f64 {
        let (at, share) = self.place(running);
        let of = |row: &[f64; 3]| {
            let (left, along) = between(&self.contexts, context);
            row[left] + along * (row[left + 1] - row[left])
        };
        let Some(low) = self.decode.get(at).map(of) else { return 0.0 };
        let high = self.decode.get(at + 1).map_or(low, of);
        low + share * (high - low)
    }

    /// The interval of the table that holds a number of running requests, and its position there.
    fn place(&self, running: f64) -> (usize, f64) {
        let whole = running as usize;
        let known = self.places.get(whole).filter(|_| (whole as f64).total_cmp(&running).is_eq());
        known.copied().unwrap_or_else(|| between(&self.running, running))
    }

    /// Time of a step, s, that reads prompts and decodes one token of each of `running` requests with this mean context in
    /// tokens.
    pub fn mixed(&self, reading: Reading, running: f64, context: f64) -> f64 {
        let Reading { prompts, seen, .. } = reading;
        let tokens = f64::from(reading.tokens);
        let all = tokens + running * self.checked;
        let (at, share) = between(&self.chunks, all);
        let Some(low) = self.prefill.get(at) else { return 0.0 };
        let high = self.prefill.get(at + 1).unwrap_or(low);
        let alone = low.0 + share * (high.0 - low.0);
        let slope = low.1 + share * (high.1 - low.1);
        // In a tabulated chunk, a token attends to half of the chunk on average. In several short prompts it attends to
        // fewer keys, in later chunks of a long prompt to more.
        let further = slope * (seen / all - 0.5 * all);
        let plain = if running > 0.0 { self.decode(running, context) } else { 0.0 };
        let attention = if running > 0.0 { (plain - self.decode(running, 1.0)).max(0.0) } else { 0.0 };
        // The tabulated step reads one prompt and decodes nothing.
        let host = self.request * (running + f64::from(prompts) - 1.0);
        let draft = self.drafting(running);
        ((alone + further).max(0.5 * alone) + attention + host + draft).max(plain) + self.encoder * tokens
    }

    /// Time of proposing drafts for `running` requests, s.
    fn drafting(&self, running: f64) -> f64 {
        if self.drafting.is_empty() {
            return 0.0;
        }
        let (at, share) = self.place(running);
        let (Some(low), Some(high)) = (self.drafting.get(at), self.drafting.get(at + 1)) else { return 0.0 };
        low + share * (high - low)
    }
}

/// Values from 1 to `last`, each 1.5 times the one before, rounded up to whole numbers.
fn grid(last: f64) -> Vec<f64> {
    let mut values = vec![1.0];
    let mut value = 1.0;
    while value < last {
        value = libm::ceil(value * 1.5).min(last);
        values.push(value);
    }
    values
}

/// Index of the interval that holds a value, and the value's position in it: 0 at its start, 1 at its end. The first
/// and the last interval extrapolate.
fn between(points: &[f64], value: f64) -> (usize, f64) {
    let above = points.partition_point(|point| *point <= value).clamp(1, points.len().max(2) - 1);
    let (Some(low), Some(high)) = (points.get(above - 1), points.get(above)) else { return (0, 0.0) };
    (above - 1, (value - low) / (high - low))
}

impl InferenceJob<'_> {
    /// Step times of one attention replica, tabulated up to `reach`.
    pub fn pace(&self, reach: Reach) -> Pace {
        let decode = |running: f64, context: f64| {
            let load = InferenceLoad { output: 0, ..self.load.of_text(context as u32) };
            let job = InferenceJob { load: &load, ..*self };
            job.time_of(plain_step(running)).get()
        };
        let text = self.load.of_text(self.prompt() as u32);
        let prefill = |tokens: f64, keys: f64| {
            let job = InferenceJob { load: &text, ..*self };
            let step = Step { prompts: 1.0, chunk: tokens, keys, running: 0.0, passes: 1.0 };
            job.time_of(step).get()
        };
        let vision = self.request_images().map_or(0.0, |images| images.encoder.get());
        let audio = self.request_audio().map_or(0.0, |audio| audio.encoder.get());
        let pace = Pace::new(decode, prefill, reach);
        let pace = match self.load.draft {
            0 => pace,
            draft => pace.with_draft(1.0 + f64::from(draft), |running| {
                self.step(plain_step(running), &mut |_, _, _| {}).draft.get()
            }),
        };
        pace.with_encoder((vision + audio) / self.prompt()).with_request(self.overheads.request.get())
    }
}
