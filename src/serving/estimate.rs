//! A load served: TTFT, TPOT, throughput, memory, and their terms; of one batch or of a stream of requests.

use serde::Serialize;

use crate::estimate::{Footprint, OperatorRow, Term};
use crate::inference::pass_times::{PassTimes, reload, terms};
use crate::inference::step::Step;
use crate::inference::{InferenceJob, InferenceLoad, Phase, Place, RequestAudio, RequestImages};
use crate::units::{Bytes, Seconds};

/// The estimate of an inference job.
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
    /// Fraction of the GPUs' busy time spent in prefill; with prefill workers, their fraction of the GPUs.
    pub prompt_share: f64,
    /// The terms that add up to TTFT.
    pub terms_prefill: Vec<Term>,
    /// The terms that add up to TPOT.
    pub terms_decode: Vec<Term>,
    /// Memory of one GPU at the end of the request.
    pub memory: Footprint,
    /// Memory of the host at the end of the request, if it keeps layers or experts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_memory: Option<Footprint>,
    /// Memory of a second GPU at the end of the request, if the machine has one of another kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_memory: Option<Footprint>,
    /// Memory of one of the GPUs that hold the feed-forward blocks, if a worker has such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert_memory: Option<Footprint>,
    /// The most requests whose caches fit; of a stream, the most that run at once.
    pub largest_batch: u32,
    /// Requests that one attention replica decodes together; for a stream with pipeline parallelism, one of its stages.
    pub running: f64,
    /// Every operator of the prefill.
    pub prefill: Vec<OperatorRow>,
    /// Every operator of one decode step.
    pub decode: Vec<OperatorRow>,
    /// Keys and values of one token over all layers and GPUs.
    pub kv_bytes_per_token: Bytes,
    /// Images of each request; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<RequestImages>,
    /// Audio of each request; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<RequestAudio>,
}

/// Id of the term in which a request waits for memory or a slot.
const QUEUE: &str = "queue";

impl InferenceEstimate {
    /// Mean number of requests that wait for memory or a slot: their rate times the wait of each (Little 1961).
    pub fn waiting(&self) -> f64 {
        let queue = self.terms_prefill.iter().find(|term| term.id == QUEUE);
        queue.map_or(0.0, |queue| queue.time.get() * self.requests_per_second)
    }

    /// Memory of the host, of the second GPU or of an expert GPU, whichever holds a part of the model.
    pub fn offloaded_memory(&self) -> Option<(Place, Footprint)> {
        let host = self.host_memory.map(|memory| (Place::Host, memory));
        let second = || self.second_memory.map(|memory| (Place::SecondGpu, memory));
        host.or_else(second).or_else(|| self.expert_memory.map(|memory| (Place::ExpertGpu, memory)))
    }

    /// Prompt tokens of a request under this load: text, images and audio.
    pub fn prompt(&self, load: &InferenceLoad) -> f64 {
        let images = self.images.map_or(0.0, |images| images.tokens());
        let audio = self.audio.map_or(0.0, |audio| f64::from(audio.track.tokens));
        f64::from(load.input) + images + audio
    }
}

impl InferenceJob<'_> {
    /// The estimate with every term and operator.
    pub fn estimate(&self) -> InferenceEstimate {
        if let Some(load) = self.settled() {
            return InferenceJob { load: &load, ..*self }.estimate();
        }
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
            prefill_times = prefill_times.and_transfer(self.transfers()).and_reload(self.batch_reload_time());
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
        let mut first: Seconds = terms_prefill.iter().map(|term| term.time).sum();
        if let Some(served) = &served {
            let time = self.reloading(served, first, tpot);
            terms_prefill.extend((time > Seconds::ZERO).then(|| reload(time)));
            first += time;
        }
        let residence = self.latency(first, tpot);
        if let Some(served) = &served {
            // A request without a free slot waits until a running request ends.
            let time = served.queue(residence);
            let why = "Waiting for KV-cache memory or for a slot of the engine";
            let queue = Term { id: QUEUE, label: "Queue", time, why };
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
        let held = served.as_ref().map(|served| served.on_replica(self.stages()));
        let [host_memory, second_memory, expert_memory] = self.by_place(match held {
            Some(held) => self.offloaded_memory_running(held),
            None => self.offloaded_memory(self.load.batch),
        });
        InferenceEstimate {
            ttft,
            tpot,
            latency,
            tokens_per_second: each * rate,
            requests_per_second: rate,
            prompt_share: self.prompt_share(first_step, later, prefill_times.total(), decode_times.total()),
            terms_prefill,
            terms_decode,
            memory: held.map_or_else(|| self.memory(self.load.batch), |held| self.memory_running(held)),
            host_memory,
            second_memory,
            expert_memory,
            largest_batch: if served.is_some() { self.most_at_once() as u32 } else { self.largest_batch() },
            running,
            prefill,
            decode,
            kv_bytes_per_token: self.kv_bytes_per_token(),
            images: self.request_images(),
            audio: self.request_audio(),
        }
    }

    /// Fraction of the GPUs' busy time that prefill takes; with separate prefill workers, their fraction of the GPUs.
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
