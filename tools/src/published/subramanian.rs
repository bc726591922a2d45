//! Outputs of the code of arXiv 2410.00273: single plans and whole searches.

use serde::Deserialize;

use super::ReadError;
use foretoken::published::subramanian::{
    Attention, Degrees, Link, Links, Machine, Method, Plan, Space, Strategy, Transformer,
};
use foretoken::units::{Bandwidth, Bytes, FlopRate, Seconds};
use foretoken::validation::{COMPUTED, Case, Family, Quantity, Question, Tier};

/// A file of either kind.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Plans { cases: Vec<PlanRow> },
    Searches { rows: Vec<SearchRow> },
}

#[derive(Deserialize)]
struct PlanRow {
    id: String,
    inputs: Inputs,
    derived: Derived,
    outputs: Outputs,
}

#[derive(Deserialize)]
struct Inputs {
    model: ModelRow,
    system: SystemRow,
    strategy: String,
    global_batch_size: u32,
    config: Config,
}

#[derive(Deserialize)]
struct Derived {
    fits: bool,
}

#[derive(Deserialize)]
struct Outputs {
    t: f64,
    mem: f64,
}

#[derive(Deserialize)]
struct ModelRow {
    name: String,
    l: u32,
    e: u32,
    h: u32,
    f: u32,
    depth: u32,
}

#[derive(Deserialize)]
struct SystemRow {
    name: String,
    matrix_flops_fp16: f64,
    vector_flops_fp16: f64,
    hbm_bandwidth: f64,
    hbm_capacity: f64,
    nvlink_bandwidth: f64,
    nvlink_eff: f64,
    nvlink_latency: f64,
    ib_bandwidth: f64,
    ib_eff: f64,
    ib_latency: f64,
    nvlink_size: u32,
    nic_factor: f64,
}

#[derive(Deserialize)]
struct Config {
    tp1: u32,
    #[serde(default = "one")]
    tp2: u32,
    pp: u32,
    dp: u32,
    mbs: u32,
    #[serde(default = "one")]
    nb: u32,
    nv_tp1: u32,
    #[serde(default = "one")]
    nv_tp2: u32,
    nv_dp: u32,
    nv_pp: u32,
}

const fn one() -> u32 {
    1
}

#[derive(Deserialize)]
struct SearchRow {
    model: String,
    strategy: String,
    system: String,
    nvs: u32,
    n_gpus: u32,
    global_batch_size: u32,
    feasible: u64,
    best_t: Option<f64>,
}

/// Returns true if a text is a file of either kind.
pub(super) fn is_document(text: &str) -> bool {
    serde_json::from_str::<Document>(text).is_ok()
}

/// The cases of a file.
pub(super) fn cases(text: &str) -> Result<Vec<Case>, ReadError> {
    let document: Document =
        serde_json::from_str(text).map_err(|error| ReadError::Line(error.line(), error.to_string()))?;
    Ok(match document {
        Document::Plans { cases, .. } => cases.iter().filter_map(plan).collect(),
        Document::Searches { rows, .. } => rows.iter().filter_map(search).collect(),
    })
}

fn case(id: String, device: &str, model: &str, question: Question, measured: Vec<(Quantity, f64)>) -> Case {
    Case {
        id,
        source: COMPUTED.to_owned(),
        origin: "arXiv 2410.00273, ShashankSubramanian/transformer-perf-estimates@54278b0".to_owned(),
        device: device.to_owned(),
        model: model.to_owned(),
        family: Family::Dense,
        precision: "FP16".to_owned(),
        tier: Tier::A,
        question: Ok(question),
        measured,
        used_in_fit: false,
    }
}

fn plan(row: &PlanRow) -> Option<Case> {
    let Inputs { model, system, strategy, global_batch_size, config } = &row.inputs;
    let plan = Plan {
        strategy: self::strategy(strategy, config.nb)?,
        degrees: Degrees { first: config.tp1, second: config.tp2, data: config.dp, pipeline: config.pp },
        inside: Degrees {
            first: config.nv_tp1,
            second: config.nv_tp2,
            data: config.nv_dp,
            pipeline: config.nv_pp,
        },
        microbatch: config.mbs,
    };
    let question = Question::Subramanian {
        machine: Box::new(system.machine()),
        model: model.transformer(),
        plan,
        batch: *global_batch_size,
    };
    let measured = vec![
        (Quantity::IterTime, row.outputs.t),
        (Quantity::PeakMemory, Bytes::new(row.outputs.mem * 1e9).to_gib()),
        (Quantity::Fits, f64::from(u8::from(row.derived.fits))),
    ];
    Some(case(format!("subramanian-{}", row.id), &system.name, &model.name, question, measured))
}

fn search(row: &SearchRow) -> Option<Case> {
    let space = Space::of(Method::named(&row.strategy)?, row.n_gpus, row.global_batch_size);
    let question = Question::SubramanianSearch {
        machine: Box::new(Machine { domain: row.nvs, ..Machine::named(&row.system)? }),
        model: Transformer::named(&row.model)?,
        space,
    };
    let mut measured = vec![(Quantity::Fits, f64::from(u8::from(row.feasible > 0)))];
    measured.extend(row.best_t.map(|time| (Quantity::IterTime, time)));
    let SearchRow { model, strategy, system, nvs, n_gpus, .. } = row;
    let id = format!("subramanian-search-{model}-{strategy}-{system}-{nvs}-{n_gpus}");
    Some(case(id, system, model, question, measured))
}

fn strategy(name: &str, panels: u32) -> Option<Strategy> {
    match name {
        "1d" => Some(Strategy::OneD),
        "2d-seqp" => Some(Strategy::Context),
        "2d" => Some(Strategy::Summa { panels }),
        _ => None,
    }
}

impl ModelRow {
    fn transformer(&self) -> Transformer {
        Transformer {
            sequence: self.l,
            width: self.e,
            heads: self.h,
            ffn: self.f,
            depth: self.depth,
            norm_fault: true,
            attention: Attention::Fused,
        }
    }
}

impl SystemRow {
    fn machine(&self) -> Machine {
        let link = |bandwidth, efficiency, latency| Link {
            bandwidth: Bandwidth::from_gb(bandwidth),
            efficiency,
            latency: Seconds::new(latency),
        };
        Machine {
            matrix: FlopRate::from_tera(self.matrix_flops_fp16),
            vector: FlopRate::from_tera(self.vector_flops_fp16),
            dram: Bandwidth::from_gb(self.hbm_bandwidth),
            capacity: Bytes::new(self.hbm_capacity * 1e9),
            links: Links {
                fast: link(self.nvlink_bandwidth, self.nvlink_eff, self.nvlink_latency),
                slow: link(self.ib_bandwidth, self.ib_eff, self.ib_latency),
                adapters: self.nic_factor,
            },
            domain: self.nvlink_size,
        }
    }
}
