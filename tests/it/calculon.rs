//! Memory by class and bytes communicated, against Calculon's for the same plans.
//!
//! Where both count the same thing they agree within 2 %. Where they do not, a named difference says what is counted
//! otherwise, and what it makes in bytes: with it they agree within 2 % again. `docs/calculon.md` lists both;
//! `UPDATE=1 cargo test --test it calculon::` writes its tables anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foretoken::catalog;
use foretoken::catalog::architecture::{Architecture, Bias, Kind, Norm, Uncounted};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, Precision, System};
use foretoken::training::{FrameworkOverheads, Gradients, TrainingJob, TrainingRecipe};
use foretoken::workload::{AttentionKernel, Recompute};
use serde_json::Value;

const GOLDEN: &str = include_str!("../golden/calculon_cases.json");
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/calculon.md");

/// Tolerance where both models count the same work.
const AGREED: f64 = 0.02;

/// Known differences between Calculon's counting and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    Element,
    FirstGradient,
    NoMaster,
    WholeInput,
    GatheredInput,
    CoreInput,
    ExpandedKeys,
    Overlapped,
    FusedActivation,
    InFlight,
    Regather,
    WholeMessage,
    Forwarded,
    MaskElement,
}

impl Difference {
    const fn why(self) -> &'static str {
        match self {
            Self::Element => {
                "Its `float8` and `float32` are the format of everything; here weights, activations and gradients stay \
                 in 16 bits under any format of matrix operands, as mixed precision has them"
            }
            Self::FirstGradient => {
                "The gradient of the block under way is whole and 32-bit there; here all gradients have the format that \
                 they are summed in"
            }
            Self::NoMaster => "In `float32` it keeps no master weight beside the weight",
            Self::WholeInput => {
                "The input that a recomputed layer keeps is whole there even with sequence parallelism; Megatron keeps \
                 each GPU's part"
            }
            Self::GatheredInput => {
                "Without `seq_par_ag_redo` it keeps what was gathered before a multiply beside each GPU's part; \
                 Megatron gathers again"
            }
            Self::CoreInput => {
                "With the attention core recomputed and no sequence parallelism it drops the QKV projection's input, \
                 2sbh, which its weight gradient needs: Korthikanti et al. 2022, equation 6, keep it"
            }
            Self::ExpandedKeys => {
                "Multiquery attention copies its one key and value there for every query head of a GPU; here they are \
                 kept once"
            }
            Self::Overlapped => {
                "What multiplies keep that overlap with their communication, and what one GPU keeps that is told to \
                 gather again, follows other rules there"
            }
            Self::FusedActivation => {
                "A fused activation function keeps no input there; here it is kept, as most software does"
            }
            Self::InFlight => {
                "Its interleaved schedule holds more microbatches than a replica has when these are few"
            }
            Self::Regather => {
                "What the backward pass gathers again for weight gradients: hidden behind the multiplies here, and so \
                 not counted"
            }
            Self::WholeMessage => {
                "Without sequence parallelism every GPU sends the whole message to the next stage; here each member of \
                 the tensor group sends its part (scatter and gather of Narayanan et al. 2021)"
            }
            Self::Forwarded => {
                "`p2p_rs_ag` passes shards from block to block; a block inside a chunk then reduces and gathers once"
            }
            Self::MaskElement => {
                "What an 8-bit format makes of masks, scores and logarithms is too different"
            }
        }
    }
}

/// One class of one case, in bytes.
struct Compared {
    class: &'static str,
    ours: f64,
    theirs: f64,
    /// Corrections that turn our value into Calculon's; `None` if we have no corresponding term.
    differences: Vec<(Difference, Option<f64>)>,
}

impl Compared {
    fn error(ours: f64, theirs: f64) -> f64 {
        // Two zeros agree.
        if ours.max(theirs) > 0.0 { (ours / theirs - 1.0).abs() } else { 0.0 }
    }

    fn bridged(&self) -> Option<f64> {
        self.differences.iter().try_fold(self.ours, |ours, (_, factor)| Some(ours * (*factor)?))
    }
}

struct Case<'a> {
    value: &'a Value,
    architecture: Architecture,
    plan: Plan,
    recipe: TrainingRecipe,
    gpus: u32,
}

impl Case<'_> {
    fn text(&self, name: &str) -> &str {
        self.value["execution"][name].as_str().expect(name)
    }

    fn is(&self, name: &str) -> bool {
        self.value["execution"][name].as_bool().expect(name)
    }

    fn output(&self, name: &str) -> f64 {
        self.value["outputs"][name].as_f64().expect(name)
    }

    /// Bytes of its elements.
    fn element(&self) -> f64 {
        match self.text("datatype") {
            "float32" => 4.0,
            "float8" => 1.0,
            _ => 2.0,
        }
    }

    /// Returns true if its elements are those of mixed precision.
    fn is_mixed(&self) -> bool {
        self.text("datatype") == "float16"
    }
}

fn cases(document: &Value) -> Vec<Case<'_>> {
    let all = document["cases"].as_array().expect("cases");
    all.iter().filter(|case| case["ok"] == true).map(case).collect()
}

fn case(value: &Value) -> Case<'_> {
    let number = |part: &str, name: &str| {
        let number = value[part][name].as_u64().expect(name);
        u32::try_from(number).expect("a small number")
    };
    let text = |name: &str| value["execution"][name].as_str().expect("a text");
    let (hidden, heads) = (number("application", "hidden"), number("application", "attn_heads"));
    let multiquery = text("attention_type") == "multiquery";
    let architecture = Architecture {
        id: "calculon".to_owned(),
        name: String::new(),
        family: String::new(),
        kind: Kind::Decoder,
        layers: number("application", "num_blocks"),
        hidden,
        heads,
        kv_heads: if multiquery { 1 } else { heads },
        head_dim: number("application", "attn_size"),
        ffn: number("application", "feedforward"),
        gated: false,
        // Calculon's model has no embedding, output head or biases.
        vocab: 0,
        max_sequence: number("application", "seq_size"),
        rotary: false,
        learned_positions: 0,
        tied: true,
        bias: Bias::None,
        norm: Norm::Layernorm,
        norms_per_layer: 2,
        qk_norm: false,
        parallel_block: false,
        attention_sinks: false,
        embedding_norm: false,
        relative_position_projection: false,
        window: None,
        moe: None,
        mla: None,
        stack: Vec::new(),
        extra: 0,
        prediction: None,
        vision: None,
        audio: None,
        warnings: Vec::new(),
        weights: None,
        parameters_published: None,
        active_published: None,
        uncounted: Uncounted::default(),
        source: String::new(),
        recalled: false,
        notes: None,
    };
    let tensor = number("execution", "tensor_par");
    let plan = Plan {
        tensor,
        pipeline: number("execution", "pipeline_par"),
        interleave: number("execution", "pipeline_interleaving"),
        sequence_parallel: tensor > 1 && text("tensor_par_comm_type") == "rs_ag",
        // Sharding cuts gradients and optimizer state over replicas.
        zero: if value["execution"]["optimizer_sharding"] == true { 2 } else { 0 },
        microbatch: number("execution", "microbatch_size"),
        recompute: match text("activation_recompute") {
            "full" => Recompute::Full,
            "attn_only" => Recompute::Selective,
            _ => Recompute::None,
        },
        ..Plan::default()
    };
    let recipe = TrainingRecipe {
        batch: number("execution", "batch_size"),
        sequence: number("application", "seq_size"),
        precision: Precision::Bf16,
        attention: AttentionKernel::Unfused,
        dropout: true,
        gradients: Gradients::Bf16,
        ..TrainingRecipe::default()
    };
    Case { value, architecture, plan, recipe, gpus: number("execution", "num_procs") }
}

fn compare(case: &Case<'_>, job: &TrainingJob<'_>) -> Vec<Compared> {
    let memory = job.memory();
    let blocks = case.value["derived"]["blocks_per_proc"].as_f64().expect("blocks");
    let element = case.element() / 2.0;
    let narrow = |differences: &mut Vec<_>| {
        if !case.is_mixed() {
            differences.push((Difference::Element, Some(element)));
        }
    };
    let one = |class, ours, theirs, differences| Compared { class, ours, theirs, differences };
    let mut all = Vec::new();
    let mut differences = Vec::new();
    narrow(&mut differences);
    all.push(one("Weights", memory.weights.get(), case.output("weight_space"), differences));
    if case.is("training") {
        let ours = memory.gradients.get();
        let mut differences = Vec::new();
        narrow(&mut differences);
        let steady = ours * element;
        let first = 2.0 * memory.weights.get() / blocks - steady / blocks;
        differences.push((Difference::FirstGradient, Some(1.0 + first / steady)));
        all.push(one("Gradients", ours, case.output("weight_grad_space"), differences));
        let differences =
            if element > 1.0 { vec![(Difference::NoMaster, Some(8.0 / 12.0))] } else { Vec::new() };
        all.push(one("Optimizer", memory.optimizer.get(), case.output("optimizer_space"), differences));
        all.push(activations(case, job));
    }
    all.extend(volumes(case, job, blocks, element));
    all
}

/// Activations kept for the backward pass, without Calculon's working space.
fn activations(case: &Case<'_>, job: &TrainingJob<'_>) -> Compared {
    let full = case.plan.recompute == Recompute::Full;
    let theirs = if full {
        case.output("act_checkpoint_size")
    } else {
        case.output("act_space") - case.output("block_act_working_space")
            + case.output("block_act_storage_space")
    };
    let ours = job.activations().get();
    let plan = &case.plan;
    let shard = job.shard();
    let layer = job.architecture.layer_kinds().next().expect("a layer");
    let one_layer = shard.saved(&layer, plan.recompute).get();
    let input = 2.0 * shard.tokens() * f64::from(job.architecture.hidden);
    let mut differences = Vec::new();
    let mut layer = one_layer;
    let mut add = |difference, bytes: f64| {
        differences.push((difference, Some((layer + bytes) / layer)));
        layer += bytes;
    };
    if full {
        if plan.sequence_parallel {
            add(Difference::WholeInput, input - one_layer);
        }
    } else {
        if case.is("fused_activation") {
            let width = f64::from(job.architecture.ffn) / shard.tensor();
            add(Difference::FusedActivation, -2.0 * shard.tokens() * width);
        }
        let selective = plan.recompute == Recompute::Selective;
        if job.architecture.kv_heads < job.architecture.heads {
            let copies =
                f64::from(job.architecture.heads) / shard.tensor() - shard.shared(job.architecture.kv_heads);
            let copied = 2.0 * 2.0 * copies * f64::from(job.architecture.head_dim);
            add(Difference::ExpandedKeys, shard.tokens() * copied);
        }
        let overlapped = case.text("tensor_par_overlap") != "none";
        if plan.sequence_parallel && !case.is("seq_par_ag_redo") && !overlapped {
            add(Difference::GatheredInput, input * if selective { 1.0 } else { 2.0 });
        } else if selective && !plan.sequence_parallel {
            add(Difference::CoreInput, -input);
        }
        let alone = plan.tensor == 1 && case.is("seq_par_ag_redo");
        if (overlapped && !plan.sequence_parallel) || alone {
            differences.push((Difference::Overlapped, None));
        }
    }
    let (stages, chunks) = (f64::from(plan.pipeline), f64::from(plan.interleave));
    let microbatches = f64::from(job.microbatches());
    let factor = if chunks > 1.0 { 1.0 + (stages - 1.0) / (stages * chunks) } else { 1.0 };
    let in_flight = stages.min(microbatches) * factor;
    if in_flight > microbatches {
        differences.push((Difference::InFlight, Some(in_flight / microbatches)));
    }
    if !case.is_mixed() {
        let factor = full.then_some(case.element() / 2.0);
        differences.push((if full { Difference::Element } else { Difference::MaskElement }, factor));
    }
    Compared { class: "Activations", ours, theirs, differences }
}

/// Communication: tensor-parallel per microbatch of a stage, one message between stages, gradients over replicas.
fn volumes(case: &Case<'_>, job: &TrainingJob<'_>, blocks: f64, element: f64) -> Vec<Compared> {
    let volumes = job.volumes();
    let plan = &case.plan;
    let shard = job.shard();
    let forwarded = case.text("tensor_par_comm_type") == "p2p_rs_ag";
    let training = case.is("training");
    let start = || if case.is_mixed() { Vec::new() } else { vec![(Difference::Element, Some(element))] };
    let mut all = Vec::new();
    if plan.tensor > 1 {
        let mut tensor = |class, ours: f64, name, extra: Option<(Difference, Option<f64>)>| {
            let mut differences = start();
            differences.extend(extra);
            all.push(Compared { class, ours, theirs: case.output(name) * blocks, differences });
        };
        // Two all-reduces become one reduction and one gathering of parts.
        let chain = forwarded.then_some((Difference::Forwarded, Some(1.0)));
        tensor("Tensor group, forward", volumes.forward.get(), "baseblock_fw_tp_size", chain);
        if training {
            tensor("Tensor group, backward", volumes.backward.get(), "baseblock_bw_tp_size", chain);
            // Under full recomputation both run the forward pass again; otherwise nothing of ours is gathered again.
            let gathers = plan.sequence_parallel && plan.recompute != Recompute::Full;
            let again = if gathers { Some((Difference::Regather, None)) } else { chain };
            tensor("Tensor group, again", volumes.recompute.get(), "baseblock_recomm_size", again);
        }
    }
    if plan.pipeline > 1 && training {
        let mut differences = start();
        if !plan.sequence_parallel && !forwarded && plan.tensor > 1 {
            differences.push((Difference::WholeMessage, Some(shard.tensor())));
        }
        let (ours, theirs) = (volumes.stage.get(), case.output("block_bw_pp_size"));
        all.push(Compared { class: "Between stages", ours, theirs, differences });
    }
    if job.data_parallel() > 1 && training {
        let theirs = case.output("block_dp_size") * blocks;
        let ours = volumes.replicas.get();
        all.push(Compared { class: "Over replicas", ours, theirs, differences: start() });
    }
    all
}

/// Cases of one class: how many agree as they are, how many with differences, how many have no counterpart, and the
/// worst error of the first two.
#[derive(Default)]
struct Line {
    agreed: u32,
    bridged: u32,
    left: u32,
    worst: f64,
    differences: BTreeMap<Difference, u32>,
}

fn all() -> (BTreeMap<&'static str, Line>, Vec<String>) {
    let document: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let accelerator = catalog::accelerator("a100-sxm-80gb").expect("a catalogue device");
    let system = System::new(accelerator, AssumptionSet::Ideal);
    let mut lines: BTreeMap<&'static str, Line> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases(&document) {
        let job = TrainingJob {
            architecture: &case.architecture,
            system: &system,
            plan: &case.plan,
            recipe: &case.recipe,
            gpus: case.gpus,
            overheads: FrameworkOverheads::NONE,
        };
        for compared in compare(&case, &job) {
            let line = lines.entry(compared.class).or_default();
            for (difference, _) in &compared.differences {
                *line.differences.entry(*difference).or_default() += 1;
            }
            let Some(ours) = compared.bridged() else {
                line.left += 1;
                continue;
            };
            let error = Compared::error(ours, compared.theirs);
            line.worst = line.worst.max(error);
            *(if compared.differences.is_empty() { &mut line.agreed } else { &mut line.bridged }) += 1;
            if error > AGREED {
                let name = case.value["name"].as_str().expect("a name");
                let Compared { class, theirs, differences, .. } = &compared;
                wrong.push(format!("{name}, {class}: {ours} is not {theirs} ({differences:?})"));
            }
        }
    }
    (lines, wrong)
}

#[test]
fn what_both_count_agrees_within_2_percent() {
    let (lines, wrong) = all();
    assert!(wrong.is_empty(), "{}\n{} of them", wrong.join("\n"), wrong.len());
    let compared: u32 = lines.values().map(|line| line.agreed + line.bridged).sum();
    assert!(compared > 600, "{compared} comparisons");
}

#[test]
fn the_documentation_lists_what_differs() {
    let (lines, _) = all();
    let mut table = String::from(
        "| class | as it is | with differences | not comparable | worst error |\n|---|---:|---:|---:|---:|\n",
    );
    let mut differences: BTreeMap<Difference, Vec<String>> = BTreeMap::new();
    for (class, line) in &lines {
        let Line { agreed, bridged, left, worst, .. } = line;
        let _ = writeln!(table, "| {class} | {agreed} | {bridged} | {left} | {:.2} % |", 100.0 * worst);
        for (difference, cases) in &line.differences {
            differences.entry(*difference).or_default().push(format!("{class} ({cases})"));
        }
    }
    table.push_str("\n| classes (cases) | what Calculon counts otherwise |\n|---|---|\n");
    for (difference, classes) in differences {
        let _ = writeln!(table, "| {} | {} |", classes.join(", "), difference.why());
    }
    let text = std::fs::read_to_string(DOCS).expect("docs/calculon.md").replace("\r\n", "\n");
    let (open, close) = ("<!-- calculon -->\n", "<!-- /calculon -->");
    let start = text.find(open).expect("the tables' beginning") + open.len();
    let end = text.find(close).expect("the tables' end");
    let current = format!("{}{table}{}", &text[..start], &text[end..]);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(DOCS, &current).expect("a writable file");
    } else {
        assert!(text == current, "docs/calculon.md is out of date: UPDATE=1 cargo test --test it calculon::");
    }
}
