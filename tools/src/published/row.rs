//! One row of a JSON Lines collection of published measurements.

use foretoken::validation::Tier;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One row. Missing fields have default values; fields that no conversion reads are not listed.
///
/// Collections have several authors: a field of an unexpected type is treated as missing and does not invalidate its
/// row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// Unique in the collection.
    pub id: String,
    /// Name of the source.
    pub source_group: String,
    /// Kind of measurement: `pretrain`, `lora`, `e2e_latency_static`, ...
    pub category: String,
    /// Completeness of the description: A, B or C.
    pub tier: String,
    /// The model.
    pub model: Model,
    /// The machine.
    pub hardware: Hardware,
    /// Parallelism degrees.
    pub parallel: Parallel,
    /// Batch sizes, or concurrency and request rate.
    pub batch: Batch,
    /// Prompt and output tokens; only in inference rows.
    pub workload: Option<Workload>,
    /// Operand sizes of a kernel or collective; only in rows of single kernels.
    pub params: Option<Map<String, Value>>,
    /// Number format.
    pub precision: String,
    /// Activation recomputation.
    pub recompute: Option<String>,
    /// Software, with its version.
    pub framework: String,
    /// Measured values by name.
    pub measured: Map<String, Value>,
    /// Values derived from published ones, e.g. FLOPs per token by either convention.
    pub derived: Map<String, Value>,
    /// The authors' convention for counting FLOPs.
    pub flops_convention: String,
    /// Publication of the row.
    pub source: Source,
    /// Remarks of the collector; the rules on defects read them.
    pub notes: Option<String>,
}

impl Row {
    /// Completeness of the description; that of a headline if the row has none.
    pub(super) fn tier(&self) -> Tier {
        Tier::named(&self.tier).unwrap_or(Tier::C)
    }
}

/// A model as published.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the field's terms")]
pub struct Model {
    pub name: String,
    pub n_layers: Option<u32>,
    pub hidden_size: Option<u32>,
    pub n_heads: Option<u32>,
    pub n_kv_heads: Option<u32>,
    pub head_dim: Option<u32>,
    pub ffn_hidden_size: Option<u32>,
    pub gated_mlp: Option<bool>,
    pub vocab_size: Option<u32>,
    pub tied_embeddings: Option<bool>,
    pub seq_len_tokens: Option<u32>,
    pub n_experts: Option<u32>,
    pub moe_top_k: Option<u32>,
    pub moe_ffn_hidden_size: Option<u32>,
    pub n_shared_experts: Option<u32>,
    pub n_dense_layers: Option<u32>,
    pub sliding_window: Option<u32>,
    pub attention: Option<String>,
    pub variant: Option<String>,
}

/// A machine as published.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the field's terms")]
pub struct Hardware {
    pub gpu: String,
    pub gpu_mem_gb: Option<f64>,
    pub hbm_bw_gb_s: Option<f64>,
    pub n_gpus: Option<u32>,
    pub n_nodes: Option<u32>,
    pub gpus_per_node: Option<u32>,
    pub nvlink_domain_gpus: Option<u32>,
    pub system: Option<String>,
    pub network: Option<String>,
    pub interconnect: Option<String>,
}

/// Parallelism degrees as published.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the field's terms")]
pub struct Parallel {
    pub tp: Option<u32>,
    pub async_tp: Option<bool>,
    pub moe_a2a_overlap: Option<bool>,
    pub compile: Option<bool>,
    pub pp: Option<u32>,
    pub cp: Option<u32>,
    pub dp: Option<u32>,
    pub attention_dp: Option<u32>,
    pub ep: Option<u32>,
    pub etp: Option<u32>,
    pub vp: Option<u32>,
    pub sp: Option<bool>,
    pub fsdp: Option<Value>,
    pub fsdp_shard_group: Option<u32>,
    pub sharding: Option<String>,
    pub zero_stage: Option<u8>,
    pub distributed_optimizer: Option<bool>,
    pub tp_mode: Option<String>,
    pub tp_async_comm: Option<bool>,
    pub pp_engine: Option<String>,
    pub schedule: Option<String>,
    pub note: Option<String>,
}

/// Batch sizes, concurrency and request rate as published.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the field's terms")]
pub struct Batch {
    pub global_batch_seqs: Option<f64>,
    pub micro_batch_seqs: Option<f64>,
    pub grad_accum: Option<f64>,
    pub local_batch_seqs: Option<f64>,
    pub batch_size: Option<u32>,
    pub batching: Option<String>,
    pub concurrency: Option<u32>,
    pub request_rate_qps: Option<Value>,
    pub n_requests: Option<u32>,
    pub max_batch_per_engine: Option<u32>,
    pub tokens_per_gpu: Option<u32>,
}

/// Prompt and output tokens as published.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the field's terms")]
pub struct Workload {
    pub input_tokens: Option<u32>,
    pub output_tokens: Option<u32>,
    pub dataset: Option<String>,
    pub scenario: Option<String>,
    pub phase: Option<String>,
    pub context_tokens: Option<u32>,
    pub cached_context_tokens: Option<u32>,
    pub ttft_limit_ms: Option<f64>,
    pub tpot_limit_ms: Option<f64>,
}

/// Publication of a row.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the field's terms")]
pub struct Source {
    pub title: String,
    pub repo: Option<String>,
    pub path: Option<String>,
    pub commit: Option<String>,
    pub locator: Option<String>,
    pub url: Option<String>,
}

impl Row {
    /// Reads one line; `None` if it is no JSON object.
    pub fn read(line: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(line).ok().filter(Value::is_object)?;
        whole(&mut value);
        loop {
            match serde_path_to_error::deserialize(&value) {
                Ok(row) => return Some(row),
                // Each round removes one field, so the loop terminates.
                Err(error) => remove(&mut value, error.path())?,
            }
        }
    }

    /// A derived number.
    pub fn derived(&self, name: &str) -> Option<f64> {
        self.derived.get(name).and_then(Value::as_f64)
    }

    /// A measured number.
    pub fn measured(&self, name: &str) -> Option<f64> {
        self.measured.get(name).and_then(Value::as_f64)
    }
}

/// Replaces whole floating-point numbers by integers (`8.0` by `8`), because some programs write counts as floats.
fn whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let count =
                number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number));
            if let Some(count) = count {
                *value = Value::from(count as u64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        _ => {}
    }
}

/// Removes the field at a path; `None` if there is no such field.
fn remove(value: &mut Value, path: &serde_path_to_error::Path) -> Option<()> {
    let mut segments = path.iter().peekable();
    let mut slot = value;
    while let Some(serde_path_to_error::Segment::Map { key }) = segments.next() {
        if segments.peek().is_none() {
            return slot.as_object_mut()?.remove(key).map(|_| ());
        }
        slot = slot.get_mut(key)?;
    }
    None
}

impl Parallel {
    /// Number of GPUs over which weights are sharded, if it is given.
    pub fn fsdp_degree(&self) -> Option<u32> {
        self.fsdp.as_ref().and_then(Value::as_u64).and_then(|degree| u32::try_from(degree).ok())
    }

    /// Returns true if weights are sharded over replicas.
    pub fn is_fsdp(&self) -> bool {
        self.fsdp_degree().is_some_and(|degree| degree > 1) || self.fsdp == Some(Value::Bool(true))
    }
}

impl Source {
    /// Title, place and revision in one line.
    pub fn line(&self) -> String {
        let place = match (&self.repo, &self.commit, &self.url) {
            (Some(repo), Some(commit), _) => Some(format!("{repo}@{}", commit.get(..7).unwrap_or(commit))),
            (Some(repo), None, _) => Some(repo.clone()),
            (None, _, url) => url.clone(),
        };
        let parts = [Some(self.title.clone()), place, self.path.clone(), self.locator.clone()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_where_it_is_from() {
        let row = Row::read(
            r#"{"id":"a","model":{"name":"m","params_b":1},"source":{"title":"T","repo":"o/r","commit":"0123456789","path":"p"}}"#,
        )
        .expect("a row");
        assert_eq!(row.source.line(), "T, o/r@0123456, p");
        assert_eq!(row.workload, None);
    }

    #[test]
    fn fields_of_other_types_are_absent() {
        let row = Row::read(
            r#"{"id":"a","precision":null,"model":{"name":7,"n_layers":8.0,"hidden_size":"wide"},"parallel":{"fsdp":true,"tp":-1},"batch":[],"source":{"url":["u"]},"measured":{"iter_time_s":2}}"#,
        )
        .expect("a row");
        assert_eq!((row.id.as_str(), row.precision.as_str(), row.model.name.as_str()), ("a", "", ""));
        assert_eq!((row.model.n_layers, row.model.hidden_size, row.parallel.tp), (Some(8), None, None));
        assert!(row.parallel.is_fsdp() && row.parallel.fsdp_degree().is_none());
        assert_eq!(row.measured("iter_time_s"), Some(2.0));
        assert_eq!(Row::read("[1]"), None);
    }
}
