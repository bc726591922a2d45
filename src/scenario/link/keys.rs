//! The table of links: which key sets which field of a scenario.

use crate::document::{Fault, Field, Value};
use crate::scenario::Scenario;

/// The keys with their paths, and the fields that they set, from one list of both.
macro_rules! keys {
    ($($key:literal $first:ident $(. $rest:ident)*;)*) => {
        /// Link keys and the document paths that they set, in the order in which they are written.
        ///
        /// Old links use these names for ever: rows are added, never renamed. No name may begin like an HTML entity
        /// that works without a semicolon (`micro`, `para`, `reg`, `times`): in HTML text, `&microbatch=` shows as
        /// `µbatch=`.
        pub const KEYS: &[(&str, &str)] =
            &[$(($key, concat!(stringify!($first) $(, ".", stringify!($rest))*))),*];

        /// The fields of a scenario to look at, in the order of [`KEYS`].
        pub(super) fn seen(scenario: &Scenario) -> [&dyn Field; KEYS.len()] {
            [$(&scenario.$first $(.$rest)*),*]
        }

        /// The fields of a scenario to change, in the order of [`KEYS`].
        pub(super) fn fields(scenario: &mut Scenario) -> [&mut dyn Field; KEYS.len()] {
            [$(&mut scenario.$first $(.$rest)*),*]
        }
    };
}

keys! {
    "view" view;
    "model" model;
    "gpu" system.accelerator;
    "gpus" system.gpus;
    "dram_gb_s" system.dram_gb_s;
    "dram_gib" system.dram_gib;
    "scale_up_gb_s" system.scale_up_gb_s;
    "scale_up_domain" system.scale_up_domain;
    "scale_out_gb_s" system.scale_out_gb_s;
    "adapters" system.adapters;
    "pod" system.pod;
    "oversubscription" system.oversubscription;
    "in_network" system.in_network;
    "tp" parallelism.tensor;
    "tp_kind" parallelism.tensor_kind;
    "panels" parallelism.panels;
    "pp" parallelism.pipeline;
    "schedule" parallelism.schedule;
    "interleave" parallelism.interleave;
    "sp" parallelism.sequence_parallel;
    "zero" parallelism.zero;
    "mb" parallelism.microbatch;
    "recompute" parallelism.recompute;
    "recompute_layers" parallelism.recompute_layers;
    "offload.activations" parallelism.offload.activations;
    "offload.weights" parallelism.offload.weights;
    "offload.optimizer" parallelism.offload.optimizer;
    "cp" parallelism.context;
    "cp_kind" parallelism.context_kind;
    "ep" parallelism.expert;
    "etp" parallelism.expert_tensor;
    "shard_group" parallelism.shard_group;
    "tp_overlap" parallelism.tensor_overlap;
    "dp_overlap" parallelism.data_overlap;
    "place.tp" parallelism.placement.tensor;
    "place.cp" parallelism.placement.context;
    "place.dp" parallelism.placement.data;
    "place.pp" parallelism.placement.pipeline;
    "batch" recipe.batch;
    "seq" recipe.sequence;
    "precision" recipe.precision;
    "attention" recipe.attention;
    "dropout" recipe.dropout;
    "gradients" recipe.gradients;
    "frozen" recipe.frozen;
    "framework" recipe.framework;
    "tokens" recipe.tokens;
    "serve.in" inference.input;
    "serve.out" inference.output;
    "serve.batch" inference.batch;
    "serve.tp" inference.tensor;
    "serve.precision" inference.precision;
    "serve.kv" inference.kv_precision;
    "serve.launch" inference.launch;
    "serve.all_reduce" inference.all_reduce;
    "serve.engine" inference.engine;
    "serve.concurrency" inference.concurrency;
    "serve.rounds" inference.rounds;
    "serve.rate" inference.rate;
    "serve.requests" inference.requests;
    "serve.ttft" inference.ttft_limit_ms;
    "serve.tpot" inference.tpot_limit_ms;
    "serve.cached" inference.cached;
    "serve.draft" inference.draft;
    "serve.accept" inference.acceptance;
    "serve.draft_cost" inference.draft_cost;
    "serve.draft_model" speculation.model;
    "serve.draft_shared" speculation.shared;
    "serve.cp" inference.context;
    "serve.uniform" inference.uniform;
    "serve.pp" inference.pipeline;
    "serve.dp" inference.data;
    "serve.ep" inference.expert;
    "serve.workers" inference.workers;
    "serve.prefill.workers" inference.prefill_workers;
    "serve.prefill.tp" inference.prefill_tensor;
    "serve.prefill.dp" inference.prefill_data;
    "serve.prefill.ep" inference.prefill_expert;
    "cost.gpu_hour" economics.usd_per_gpu_hour;
    "cost.kwh" economics.usd_per_kwh;
    "cost.pue" economics.pue;
    "cost.carbon" economics.carbon_g_kwh;
    "cost.failure_hours" economics.gpu_hours_per_failure;
    "cost.checkpoint_s" economics.checkpoint_s;
    "cost.restart_s" economics.restart_s;
    "assumptions" assumptions;
    "search.of" search.of;
    "search.by" search.by;
    "search.memory" search.memory;
    "search.tp" search.tensor;
    "search.gpus_min" search.fewest;
    "search.gpus_max" search.most;
    "search.fixed" search.fixed;
    "from" comparison.from;
    "from.tuned" comparison.tuned;
    "to" comparison.to;
    "to.domain" comparison.domain;
    "to.batch" comparison.batch;
    "to.precision" comparison.precision;
    "tech.task" technology.task;
    "tech.node" technology.node;
    "tech.core" technology.core;
    "tech.memory" technology.memory;
    "tech.links" technology.links;
    "tech.domain" technology.domain;
    "tech.area" technology.area_mm2;
    "tech.power" technology.power_w;
    "tech.edge" technology.edge_mm;
    "tech.dies" technology.dies;
    "errors.of" errors.of;
    "errors.by" errors.by;
    "errors.source" errors.source;
    "errors.device" errors.device;
    "errors.generation" errors.generation;
    "errors.family" errors.family;
    "errors.precision" errors.precision;
    "errors.bits" errors.bits;
    "errors.page" errors.page;
}

fn position(path: &str) -> Option<usize> {
    KEYS.iter().position(|(_, known)| *known == path)
}

impl Scenario {
    /// What stands at a document path that has a key: the way by which forms read a field without knowing its type.
    pub(crate) fn at(&self, path: &str) -> Option<Value> {
        position(path).map(|position| seen(self)[position].value())
    }

    /// Puts a value at a document path that has a key, unless it is none that fits there.
    pub(crate) fn put(&mut self, path: &str, value: &Value) -> Result<(), Fault> {
        position(path).map_or(Ok(()), |position| fields(self)[position].set(value))
    }
}
