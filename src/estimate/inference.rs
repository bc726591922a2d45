//! Requests served: one batch from its beginning to its end, or a steady stream of them.

use serde::Serialize;

use super::draft::Draft;
use super::engine::Overheads;
use super::inference_step::{PassTimes, Step, terms};
use super::memory::Footprint;
use super::term::{OperatorRow, Term};
use crate::catalog::architecture::Architecture;
use crate::system::{Cost, System};
use crate::units::{Bytes, Seconds};
use crate::workload::Operator;

pub use super::load::{InferenceLoad, Launch};

/// An inference question in which everything has been looked up and every law holds.
#[derive(Clone, Copy, Debug)]
pub struct InferenceJob<'a> {
    /// The model.
    pub architecture: &'a Architecture,
    /// The machine.
    pub system: &'a System,
    /// What is served.
    pub load: &'a InferenceLoad,
    /// What the engine adds to the kernels.
    pub overheads: Overheads,
    /// The draft, where it is named.
    pub draft: Option<Draft>,
}

/// A part of a request's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All prompt tokens at once.
    Prefill,
    /// One token per request.
    Decode,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InferenceEstimate {
    /// Time to first token: one prefill of the batch, or of a prompt that waits for others.
    pub ttft: Seconds,
    /// Time per output token after the first, at the mean context length.
    pub tpot: Seconds,
    /// The whole request.
    pub latency: Seconds,
    /// Output tokens per second of all requests on all GPUs.
    pub tokens_per_second: f64,
    /// Requests per second of all GPUs.
    pub requests_per_second: f64,
    /// Share of the GPUs' busy time that goes into prompts.
    pub prompt_share: f64,
    /// What TTFT is the sum of.
    pub terms_prefill: Vec<Term>,
    /// What TPOT is the sum of.
    pub terms_decode: Vec<Term>,
    /// Memory of one GPU at the end of the request.
    pub memory: Footprint,
    /// The most requests whose caches fit.
    pub largest_batch: u32,
    /// Requests that one attention replica decodes together.
    pub running: f64,
    /// Every operator of the prefill.
    pub prefill: Vec<OperatorRow>,
    /// Every operator of one decode step.
    pub decode: Vec<OperatorRow>,
    /// Keys and values of one token over all layers and GPUs.
    pub kv_bytes_per_token: Bytes,
}

impl InferenceJob<'_> {
    /// The step that a phase of one batch consists of.
    ///
    /// Several stages work on as many parts of the batch at once where it has them. A prompt that is longer than the
    /// engine's slice is read slice by slice, which stages work on at once too: m parts, p at a time, take
    /// (m + p - 1) / p passes.
    pub(super) fn phase(&self, phase: Phase) -> Step {
        let batch = self.load.dealt(self.load.batch);
        let input = f64::from(self.load.input);
        let fresh = self.load.fresh();
        let stages = f64::from(self.load.pipeline);
        let groups = batch.min(stages);
        if batch > self.overheads.pass {
            let passes = libm::ceil(batch / self.overheads.pass);
            let few = Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running: batch / passes, passes };
            return match phase {
                Phase::Prefill => {
                    Step { prompts: few.running, chunk: fresh, keys: input, running: 0.0, ..few }
                }
                Phase::Decode => few,
            };
        }
        if phase == Phase::Decode {
            let running = (batch / groups / f64::from(self.load.context)).max(1.0);
            return Step { prompts: 0.0, chunk: 0.0, keys: 0.0, running, passes: 1.0 };
        }
        let slices = libm::ceil(fresh * batch / groups / self.overheads.slice).clamp(1.0, fresh);
        let chunk = fresh / slices;
        let keys = self.seen(chunk);
        let abreast = stages.min(self.overheads.in_flight);
        let passes = (groups * slices + abreast - 1.0) / abreast;
        Step { prompts: batch / groups, chunk, keys, running: 0.0, passes }
    }

    /// Tokens that the last one of a part of a prompt sees: the more, the later the part, so that on average half of
    /// what is not cached and half of the part itself are still to come.
    pub(super) fn seen(&self, chunk: f64) -> f64 {
        f64::from(self.load.input) - 0.5 * (self.load.fresh() - chunk)
    }

    /// Runs one pass of one batch, whose prompts are read by workers of their own where there are some.
    pub(super) fn pass(&self, phase: Phase, record: &mut impl FnMut(&Operator, f64, Cost)) -> PassTimes {
        if phase == Phase::Decode || self.load.prefill_workers == 0 {
            return self.step(self.phase(phase), record);
        }
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        reader.step(reader.phase(phase), record).and_transfer(self.transfers())
    }

    /// The keys and values of one batch on their way to workers that decode.
    fn transfers(&self) -> Seconds {
        match self.load.prefill_workers {
            0 => Seconds::ZERO,
            _ => self.transfer() * self.load.prefilling().dealt(self.load.batch),
        }
    }

    /// TTFT or TPOT of one batch alone, for sweeps.
    pub fn time(&self, phase: Phase) -> Seconds {
        self.per_token(phase, self.pass(phase, &mut |_, _, _| {}).total())
    }

    /// TTFT or TPOT of a pass that takes so long: decoding, its tokens share it.
    pub(super) fn per_token(&self, phase: Phase, pass: Seconds) -> Seconds {
        match phase {
            Phase::Prefill => pass,
            Phase::Decode => pass / self.load.yielded(),
        }
    }

    /// The whole request from its two phases.
    pub fn latency(&self, ttft: Seconds, tpot: Seconds) -> Seconds {
        ttft + tpot * f64::from(self.load.output.saturating_sub(1))
    }

    /// The answer with every term.
    pub fn estimate(&self) -> InferenceEstimate {
        let served = self.load.is_stream().then(|| self.served());
        let prefilling = self.load.prefilling();
        let reader = self.reader(&prefilling);
        let (first_step, later) = match &served {
            Some(served) => (served.prefill, served.decode),
            None => (reader.phase(Phase::Prefill), self.phase(Phase::Decode)),
        };
        let (prefill, mut prefill_times) = reader.rows("prefill", first_step);
        let (decode, decode_times) = self.rows("decode", later);
        if served.is_none() {
            prefill_times = prefill_times.and_transfer(self.transfers());
        }
        let mut terms_prefill = terms(&prefill_times);
        let mut terms_decode = terms(&decode_times);
        if let Some(served) = &served {
            served.explain(&mut terms_prefill, &mut terms_decode);
        }
        terms_prefill.retain(|term| term.time > Seconds::ZERO);
        terms_decode.retain(|term| term.time > Seconds::ZERO);
        for term in &mut terms_decode {
            // A step's time is shared among the tokens that it yields.
            term.time = term.time / self.load.yielded();
        }
        let tpot: Seconds = terms_decode.iter().map(|term| term.time).sum();
        let first: Seconds = terms_prefill.iter().map(|term| term.time).sum();
        let residence = self.latency(first, tpot);
        if let Some(served) = &served {
            // Who finds no place waits until one of the running requests ends.
            let time = served.queue(residence);
            let why = "All places are taken, by memory or by the engine's limit";
            let queue = Term { id: "queue", label: "Queue", time, why };
            terms_prefill.extend((time > Seconds::ZERO).then_some(queue));
        }
        let ttft: Seconds = terms_prefill.iter().map(|term| term.time).sum();
        let latency = self.latency(ttft, tpot);
        let batch = f64::from(self.load.batch);
        let each = f64::from(self.load.output);
        let (rate, running) = match &served {
            Some(served) => (served.rate(residence), served.running),
            None => (batch / residence.get(), self.load.batched()),
        };
        InferenceEstimate {
            ttft,
            tpot,
            latency,
            tokens_per_second: each * rate,
            requests_per_second: rate,
            prompt_share: self.prompt_share(first_step, later, prefill_times.total(), decode_times.total()),
            terms_prefill,
            terms_decode,
            memory: if served.is_some() {
                self.memory_running(running)
            } else {
                self.memory(self.load.batch)
            },
            largest_batch: self.largest_batch(),
            running,
            prefill,
            decode,
            kv_bytes_per_token: self.kv_bytes_per_token(),
        }
    }

    /// Share of the GPUs' busy time that goes into prompts, or of the GPUs where some do nothing else.
    fn prompt_share(&self, first: Step, later: Step, reading: Seconds, decoding: Seconds) -> f64 {
        let load = self.load;
        if load.prefill_workers > 0 {
            let decoders = f64::from(load.worker_gpus()) * f64::from(load.workers);
            return 1.0 - decoders / f64::from(load.gpus());
        }
        let decoding = decoding * load.passes();
        if !load.is_stream() {
            return reading / (reading + decoding);
        }
        let prompt = self.prompt_time(first, reading);
        prompt / (prompt + decoding / later.running)
    }

    fn rows(&self, name: &'static str, step: Step) -> (Vec<OperatorRow>, PassTimes) {
        let mut rows = Vec::new();
        let times = self.step(step, &mut |operator, count, cost| {
            rows.push(OperatorRow::new(name, operator, count, cost));
        });
        (rows, times)
    }
}
