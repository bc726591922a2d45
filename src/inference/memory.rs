//! Memory of one GPU in serving, and the number of requests that fit.

use super::job::InferenceJob;
use super::offloaded::Place;
use crate::catalog::layers::{Layer, Mixer};
use crate::estimate::Footprint;
use crate::units::Bytes;
use crate::workload::recurrent::STATE;
use crate::workload::{ACTIVATION, Shard, Weights};

/// Weights of one layer on one GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerWeights {
    /// All weights of the layer on the GPU.
    pub(super) all: Bytes,
    /// Weights of the routed experts alone, of which a step reads those that it routes tokens to.
    pub(super) routed: Bytes,
}

/// Number of requests of `each` bytes within `free` bytes, negative if the memory is exceeded already. A memory that holds
/// nothing of a request limits none.
fn requests_within(free: Bytes, each: Bytes) -> f64 {
    if each <= Bytes::ZERO && free >= Bytes::ZERO { f64::INFINITY } else { free / each }
}

impl InferenceJob<'_> {
    /// Keys and values of one token over all layers, whole: what grouped-query and latent attention shrink.
    pub fn kv_bytes_per_token(&self) -> Bytes {
        self.bytes_per_token(self.architecture.layer_kinds())
    }

    /// Keys and values of one token over these layers, whole.
    pub(super) fn bytes_per_token(&self, layers: impl Iterator<Item = Layer>) -> Bytes {
        let (mut elements, mut index) = (0.0, 0.0);
        for layer in layers {
            for mixer in layer.mixers() {
                let kept = mixer.kept(self.architecture.hidden);
                elements += kept.per_token * f64::from(layer.count);
                index += kept.index_bytes * f64::from(layer.count);
            }
        }
        self.load.kv_precision.element() * elements + Bytes::new(index)
    }

    /// States of recurrent layers and last inputs of short convolutions of one request over all layers, whole: they do not
    /// grow with its length.
    pub fn state_bytes(&self) -> Bytes {
        self.states_of(self.architecture.layer_kinds())
    }

    /// States of one request over these layers, whole.
    pub(super) fn states_of(&self, layers: impl Iterator<Item = Layer>) -> Bytes {
        let hidden = self.architecture.hidden;
        let mut bytes = 0.0;
        for layer in layers {
            for mixer in layer.mixers() {
                let kept = mixer.kept(hidden);
                bytes += f64::from(layer.count) * (kept.state * STATE + kept.recent * ACTIVATION);
            }
        }
        Bytes::new(bytes)
    }

    /// Memory of one GPU with `batch` requests at their full length, divided over all replicas and over the GPUs that
    /// share a prompt.
    pub fn memory(&self, batch: u32) -> Footprint {
        self.memory_at(self.load.dealt(batch) / f64::from(self.load.context), self.full_length())
    }

    /// Memory of the host or of the second GPU with `batch` requests at their full length; `None` if the
    /// first GPU, or the deployment's GPUs of one kind, hold the whole model.
    pub fn offloaded_memory(&self, batch: u32) -> Option<Footprint> {
        self.offloaded_memory_at(f64::from(batch), self.full_length())
    }

    /// The offloaded memory as that of the host, of the second GPU, or of an expert GPU.
    pub fn by_place(&self, offloaded: Option<Footprint>) -> [Option<Footprint>; 3] {
        match self.offloaded_layers().place {
            _ if self.load.expert_gpus > 0 => [None, None, offloaded],
            Place::Host => [offloaded, None, None],
            Place::SecondGpu => [None, offloaded, None],
            Place::ExpertGpu => [None, None, offloaded],
        }
    }

    /// Returns true if `batch` requests at their full length fit on the GPUs, and in host memory or on the second GPU.
    pub fn fits(&self, batch: u32) -> bool {
        self.memory(batch).fits() && self.offloaded_memory(batch).is_none_or(|offloaded| offloaded.fits())
    }

    /// Memory of one GPU of a prefill worker with one prompt; `None` without prefill workers.
    pub fn memory_of_reader(&self) -> Option<Footprint> {
        let prefilling = self.load.prefilling();
        (self.load.prefill_workers > 0).then(|| self.reader(&prefilling).memory(1))
    }

    /// Memory of one GPU with `batch` requests of `length` tokens each.
    fn memory_at(&self, batch: f64, length: f64) -> Footprint {
        Footprint {
            weights: self.weights(),
            kv_cache: self.kv_cache(length) * batch,
            activations: self.activations(batch),
            reserve: self.system.assumptions.reserve + self.sampling(batch),
            capacity: self.system.device.capacity,
            ..Footprint::default()
        }
    }

    /// Memory of sampling for the largest step that an engine is built for. Without a limit of its own, an engine is built for about as
    /// many requests as fit, whose buffers are small beside their keys and values: they are neglected.
    fn sampling(&self, batch: f64) -> Bytes {
        let requests =
            if self.load.is_stream() { f64::from(self.load.max_sequences.unwrap_or(0)) } else { batch };
        self.overheads.sampling * (requests * f64::from(self.architecture.vocab))
    }

    /// Weights of one GPU of the first stage, with those of its draft and of its encoders.
    fn weights(&self) -> Bytes {
        let load = self.load;
        let shard = self.shard(1.0, 1.0, 1.0);
        let (embedding, head) = self.architecture.ends();
        let offloaded = self.offloaded_layers();
        // Beside layers in host memory, the input embedding is there too; the GPU has a copy of it where it is the head.
        let copied = head == 0 && !offloaded.head;
        let embedding = if offloaded.on_host() && !copied { 0 } else { embedding };
        let head = if offloaded.head { 0 } else { head };
        let layers: Bytes = self
            .architecture
            .layer_kinds()
            .map(|layer| {
                let (counts, each) = (self.offloaded_counts(&layer), self.layer_weights(&shard, &layer));
                each.all * (f64::from(layer.count) - counts.whole) - each.routed * counts.experts
            })
            .sum();
        let draft = self.of_draft(|draft| draft.memory(0).weights);
        let draft = draft.unwrap_or_else(|| self.module_weights(&shard));
        // Weights outside of the layers are stored as an embedding is; the head has no copy of them.
        let outside = shard.dense.embedding_element() * self.architecture.extra as f64;
        let ends = self.ends(embedding, head) + outside;
        layers / f64::from(load.pipeline) + ends / f64::from(load.tensor) + draft + self.encoder_weights()
    }

    /// Storage of these weights of the embedding and of the output head.
    pub(super) fn ends(&self, embedding: u64, head: u64) -> Bytes {
        let precision = self.dense_precision();
        let tied = self.architecture.ends().1 == 0;
        let element = if tied { precision.tied_element() } else { precision.embedding_element() };
        element * embedding as f64 + precision.head_element() * head as f64
    }

    /// Keys, values and states of one request at this length on one GPU, and those of a draft that it has.
    pub(super) fn kv_cache(&self, length: f64) -> Bytes {
        let shard = self.shard(1.0, 1.0, 1.0);
        let mut all = Bytes::ZERO;
        for layer in self.architecture.layer_kinds() {
            let here = f64::from(layer.count) - self.offloaded_counts(&layer).whole;
            for mixer in layer.mixers() {
                all += self.mixer_cache(&shard, &mixer, length) * here;
            }
        }
        let draft = self.of_draft(|draft| draft.kv_cache(length));
        let draft = draft.unwrap_or_else(|| self.module_cache(&shard, length));
        all / f64::from(self.load.pipeline) + draft
    }

    /// Weights of one layer on one GPU.
    pub(super) fn layer_weights(&self, shard: &Shard<'_>, layer: &Layer) -> LayerWeights {
        let Weights { projections, feed_forward, routed, rest } = shard.weights(layer);
        let (element, dense) = (shard.precision.element(), shard.dense.element());
        // GPUs of their own hold the feed-forward blocks.
        let (feed_forward, routed) =
            if self.load.expert_gpus > 0 { (0.0, 0.0) } else { (feed_forward, routed) };
        let matrices = dense * (projections + feed_forward) + element * routed;
        LayerWeights { all: matrices + Bytes::new(rest * ACTIVATION), routed: element * routed }
    }

    /// Keys, values and state of one request in one mixer of a layer, on one GPU.
    fn mixer_cache(&self, shard: &Shard<'_>, mixer: &Mixer, length: f64) -> Bytes {
        shard.kept(mixer, length, self.load.kv_precision.element())
    }

    /// Keys, values and states of one request in one layer, on one GPU.
    pub(super) fn layer_cache(&self, shard: &Shard<'_>, layer: &Layer, length: f64) -> Bytes {
        layer.mixers().map(|mixer| self.mixer_cache(shard, &mixer, length)).sum()
    }

    /// The widest pair of activations that live at once during the prefill: a block's input and its inner width.
    ///
    /// Continuous batching reads at most a step's budget, and so does a scheduler that is given one batch; kernels alone read
    /// one batch at once. Engines that read prompts in slices (llama.cpp, MLX) read one slice. Encoders run before, so that
    /// their activations live at another time.
    pub(super) fn activations(&self, batch: f64) -> Bytes {
        let architecture = self.architecture;
        let tensor = f64::from(self.load.tensor);
        let gates = if architecture.gated { 2.0 } else { 1.0 };
        let inner = match &architecture.moe {
            Some(moe) => f64::from(moe.top_k) * f64::from(moe.ffn) + f64::from(moe.shared_ffn),
            None => f64::from(architecture.ffn),
        };
        let width = 2.0 * f64::from(architecture.hidden) + (gates + 1.0) * inner / tensor;
        let tokens = match (self.load.is_stream(), self.load.engine.schedules()) {
            (true, _) => self.overheads.budget,
            // A step that does not split prompts holds at least one.
            (false, true) => (batch * self.fresh()).min(self.overheads.budget.max(self.fresh_in_step())),
            (false, false) => batch * self.fresh(),
        };
        let language = Bytes::new(tokens.min(self.overheads.slice) * width * ACTIVATION);
        language.max(self.encoder_activations())
    }

    /// Prompt tokens that a step cannot divide.
    fn fresh_in_step(&self) -> f64 {
        if self.overheads.prompt_steps.split() { 1.0 } else { self.fresh() }
    }

    /// Tokens of a request at its end.
    fn full_length(&self) -> f64 {
        self.prompt() + f64::from(self.load.output)
    }

    /// Requests of a steady stream that fit on an attention replica. Engines that reserve memory for a request's final
    /// length count that length, others the mean length.
    pub(crate) fn places(&self) -> f64 {
        let empty = self.memory(0);
        let free = self.overheads.room.cache(&empty);
        let here = (free / self.kv_cache(self.counted_length())).max(0.0);
        match self.offloaded_memory(0) {
            Some(offloaded) => here.min(self.offloaded_places(&offloaded)),
            None => here,
        }
    }

    /// Number of requests that fit into host memory or on the second GPU.
    fn offloaded_places(&self, empty: &Footprint) -> f64 {
        let (free, each) = (empty.capacity - empty.total(), self.offloaded_kv_cache(self.counted_length()));
        requests_within(free, each).max(0.0)
    }

    /// Bytes of the cache on one GPU, of a request whatever its length, and of each of its tokens: linear between half
    /// of a request's counted length and the whole.
    pub(crate) fn cache_room(&self) -> (f64, f64, f64) {
        let empty = self.memory(0);
        let length = self.counted_length();
        let on_gpu =
            (self.overheads.room.cache(&empty), [0.5, 1.0].map(|share| self.kv_cache(length * share)));
        let offloaded = self.offloaded_memory(0).map(|empty| {
            (empty.capacity - empty.total(), [0.5, 1.0].map(|share| self.offloaded_kv_cache(length * share)))
        });
        // Of two memories, that with fewer places limits how many requests run.
        let places = |(free, [_, whole]): &(Bytes, [Bytes; 2])| *free / *whole;
        let fewer = offloaded.filter(|offloaded| {
            let tighter = on_gpu.1[1] <= Bytes::ZERO || places(offloaded) < places(&on_gpu);
            offloaded.1[1] > Bytes::ZERO && tighter
        });
        let (free, kept) = fewer.unwrap_or(on_gpu);
        let [half, whole] = kept.map(Bytes::get);
        let per_token = (whole - half) / (0.5 * length);
        (free.get(), (whole - per_token * length).max(0.0), per_token)
    }

    /// Memory of one GPU with `running` concurrent requests of a stream on each replica.
    pub(crate) fn memory_running(&self, running: f64) -> Footprint {
        self.memory_at(running, self.counted_length())
    }

    /// Memory of the host or of the second GPU with `running` concurrent requests of a stream.
    pub(crate) fn offloaded_memory_running(&self, running: f64) -> Option<Footprint> {
        self.offloaded_memory_at(running, self.counted_length())
    }

    /// Tokens of a running request for which KV cache is reserved.
    pub(super) fn counted_length(&self) -> f64 {
        if self.overheads.reserves { self.full_length() } else { self.context() }
    }

    /// The most requests of one batch that fit on all replicas at their full length; 0 if the weights alone do not.
    pub(crate) fn largest_batch(&self) -> u32 {
        let replicas = f64::from(self.load.workers) * f64::from(self.load.data);
        let most = self.largest_of_replica() * replicas;
        let offloaded =
            self.offloaded_memory(0).zip(self.offloaded_memory(1)).map_or(f64::INFINITY, |(empty, one)| {
                let (free, each) = (empty.capacity - empty.total(), one.total() - empty.total());
                requests_within(free, each).floor().max(0.0)
            });
        most.min(offloaded).min(f64::from(u32::MAX)) as u32
    }

    /// The most requests of one batch that fit on the GPUs of one replica.
    fn largest_of_replica(&self) -> f64 {
        let (empty, one) = (self.memory(0), self.memory(1));
        let share = f64::from(self.load.context).recip();
        let free = empty.capacity - (empty.total() - empty.activations);
        let each = (one.kv_cache - empty.kv_cache) + (one.reserve - empty.reserve);
        let fits = |requests: f64| each * requests + self.activations(requests * share) <= free;
        // Cache and sampling grow in proportion to the requests, activations only up to those of a full step.
        let (mut least, mut most) =
            (0.0, requests_within(free, each).floor().clamp(0.0, f64::from(u32::MAX)) + 1.0);
        while most - least > 1.0 {
            let middle = f64::midpoint(least, most).floor();
            *(if fits(middle) { &mut least } else { &mut most }) = middle;
        }
        least
    }
}
