//! Modules that predict further tokens (MTP): their parameters, and what they cost where they draft.

use foretoken::catalog::architecture::Architecture;
use foretoken::catalog::layers::Prediction;
use foretoken::catalog::{self};
use foretoken::inference::InferenceLoad;
use foretoken::scenario::huggingface;
use foretoken::scenario::{Choice, NONE, Scenario, Speculation, View};
use foretoken::serving::{InferenceEstimate, Service};

/// Qwen3 8B with this many layers and modules: 36 layers of grouped-query attention and a gated MLP.
pub(crate) fn model(layers: u32, modules: u32) -> Architecture {
    let plain = catalog::architecture("qwen3-8b").expect("a model");
    let prediction = (modules > 0).then(|| Prediction::of(modules));
    Architecture { layers, prediction, ..plain.clone() }
}

fn asked(model: &Architecture, draft: &str, load: impl FnOnce(&mut InferenceLoad)) -> Scenario {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Explicit(Box::new(model.clone()));
    draft.clone_into(&mut scenario.speculation.model);
    let asked = &mut scenario.inference;
    (asked.tensor, asked.batch, asked.draft, asked.acceptance, asked.draft_cost) = (1, 4, 1, 0.0, 0.0);
    load(asked);
    scenario
}

fn service(scenario: &Scenario) -> Service {
    scenario.with_inference(|job| job.service()).expect("an answer")
}

fn estimate(scenario: &Scenario) -> InferenceEstimate {
    scenario.inference().expect("an answer")
}

/// Per module a projection of 2 × 4096 to 4096, three norms, and a layer: queries and output 2 × 4096 × 4096, keys and values
/// 2 × 4096 × 1024, norms of queries and keys 2 × 128, the MLP 3 × 4096 × 12288, two norms.
#[test]
fn parameters_of_a_module_by_hand() {
    let model = model(36, 2);
    let layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 2 * 128 + 3 * 4096 * 12_288 + 2 * 4096;
    let all = 2 * (2 * 4096 * 4096 + 3 * 4096 + layer);
    assert_eq!(model.prediction.map(|modules| modules.parameters(&model)), Some((all, all)));
}

#[test]
fn modules_take_their_weights_and_their_cache() {
    for modules in 1..4 {
        let model = model(36, modules);
        let (with, without) = (
            estimate(&asked(&model, Speculation::MODULES, |_| {})).memory,
            estimate(&asked(&model, NONE, |_| {})).memory,
        );
        let (total, _) = Prediction::of(modules).parameters(&model);
        let more = (with.weights - without.weights).get();
        assert!((more / (2.0 * total as f64) - 1.0).abs() < 1e-9, "{more} for {total}");
        let cache = with.kv_cache / without.kv_cache;
        assert!((cache - f64::from(36 + modules) / 36.0).abs() < 1e-12, "{cache}");
    }
}

#[test]
fn nothing_proposed_is_nothing_loaded() {
    let model = model(36, 2);
    let plain = |draft: &str| estimate(&asked(&model, draft, |load| load.draft = 0));
    assert_eq!(plain(Speculation::MODULES), plain(NONE));
}

/// A pass of a module takes a layer of the model, the projection and the ends of the model. The latter are those of a model
/// with that layer alone; the projection reads 2 × 4096 × 4096 weights of 16 bits.
#[test]
fn a_pass_takes_a_layer_a_projection_and_the_head() {
    let tpot = |layers: u32, draft: &str| service(&asked(&model(layers, 1), draft, |_| {})).tpot.get();
    let module = tpot(36, Speculation::MODULES) - tpot(36, NONE);
    let layer = tpot(37, NONE) - tpot(36, NONE);
    let ends = tpot(1, NONE) - layer;
    let bandwidth = Scenario::default().system.accelerator().expect("a device").dram.bandwidth_gb_s * 1e9;
    let projection = module - layer - ends;
    let reading = 2.0 * 2.0 * 4096.0 * 4096.0 / bandwidth;
    assert!(projection > 0.9 * reading && projection < 2.5 * reading, "{projection} for {reading}");
}

#[test]
fn modules_take_turns() {
    let tpot = |modules: u32, draft: u32| {
        service(&asked(&model(36, modules), Speculation::MODULES, |load| load.draft = draft)).tpot.get()
            - service(&asked(&model(36, modules), NONE, |load| load.draft = draft)).tpot.get()
    };
    // One of three modules proposes a token.
    assert!((tpot(3, 1) / tpot(1, 1) - 1.0).abs() < 1e-12);
    // Each module takes all checked tokens once; a single one takes single tokens after that.
    assert!(tpot(3, 3) >= tpot(1, 3) && tpot(1, 3) > 2.5 * tpot(1, 1), "{} {}", tpot(3, 3), tpot(1, 3));
    // Only modules that propose read prompts.
    let ttft = |modules: u32, draft: u32| {
        service(&asked(&model(36, modules), Speculation::MODULES, |load| {
            (load.draft, load.input) = (draft, 8192);
        }))
        .ttft
        .get()
    };
    let plain = service(&asked(&model(36, 1), NONE, |load| load.input = 8192)).ttft.get();
    assert!((ttft(3, 1) / ttft(1, 1) - 1.0).abs() < 1e-12);
    let (one, three) = (ttft(1, 1) / plain - 1.0, ttft(3, 3) / plain - 1.0);
    assert!(one > 1.0 / 36.0 && one < 3.0 / 36.0 && (three / one - 3.0).abs() < 0.01, "{one} {three}");
}

/// DeepSeek-V3's second token is accepted in 85 to 90 % of all cases and raises its speed 1.8 times (arXiv 2412.19437, section
/// 5.4.3).
#[test]
fn deepseek_v3_decodes_1_8_times_as_fast() {
    let tpot = |draft: u32| {
        let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
        (scenario.model, scenario.speculation.model) =
            (Choice::Named("deepseek-v3".to_owned()), Speculation::MODULES.to_owned());
        scenario.system.accelerator = Choice::Named("h200-sxm".to_owned());
        let load = &mut scenario.inference;
        (load.draft, load.acceptance, load.tensor, load.batch) = (draft, 0.87, 8, 128);
        load.precision = foretoken::system::Precision::Fp8;
        service(&scenario).tpot
    };
    let faster = tpot(0) / tpot(1);
    assert!((1.5..1.87).contains(&faster), "{faster}");
}

#[test]
fn who_has_no_modules_is_refused() {
    let refused = |scenario: &Scenario| scenario.inference().expect_err("a refusal")[0].clone();
    let problem = refused(&asked(&model(36, 0), Speculation::MODULES, |_| {}));
    assert_eq!(problem.field, "speculation.model");
    assert!(problem.message.contains("no prediction modules"), "{}", problem.message);
    assert_eq!(
        refused(&asked(&model(36, 1), Speculation::MODULES, |load| load.pipeline = 2)).field,
        "speculation.model"
    );
    let mut broken = model(36, 1);
    broken.prediction = Some(Prediction { modules: 65, layer: Some(1) });
    let problems = asked(&broken, Speculation::MODULES, |_| {}).inference().expect_err("refusals");
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["model.prediction.modules", "model.prediction.layer"]);
}

/// The files of public checkpoints give the modules that their checkpoints have.
#[test]
fn imports_count_the_modules_of_checkpoints() {
    for id in [
        "deepseek-v3.2",
        "deepseek-v4-flash",
        "glm-5.2",
        "minimax-m3",
        "nemotron-3-super-120b-a12b",
        "qwen3.5-35b-a3b",
    ] {
        let path = format!("{}/tests/fixtures/imports/{id}.json", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(&path).expect("a file");
        let read = huggingface::architecture(&file).expect("a model");
        let counted = catalog::architecture(id).expect("a model").uncounted.prediction as f64;
        let (total, _) = read.prediction.map(|modules| modules.parameters(&read)).unwrap_or_default();
        assert!((total as f64 / counted - 1.0).abs() < 1e-3, "{id}: {total} for {counted}");
        assert!(!read.warnings.join("; ").contains("MTP"), "{id}: {:?}", read.warnings);
    }
}
