//! Images of served requests: their tokens, the encoder's time and weights, and its import.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::requests::{LOADS, asked, estimate};
use foretoken::catalog;
use foretoken::catalog::architecture::Architecture;
use foretoken::catalog::layers::{Images, Pixels, Vision};
use foretoken::scenario::huggingface;
use foretoken::scenario::{Choice, Scenario, link};
use foretoken::system::{AssumptionSet, Attention, Precision, System};
use foretoken::units::Bytes;

const QWEN: &str = "qwen2.5-vl-7b";

/// An encoder that no request uses changes nothing, to the bit.
#[test]
fn no_images_are_no_encoder() {
    for load in LOADS {
        let with = asked(QWEN, |asked| {
            load(asked);
            (asked.image_width, asked.image_height) = (64, 9999);
        });
        let mut without = asked(QWEN, load);
        let blind = Architecture { vision: None, ..with.architecture().expect("a model").clone() };
        without.model = Choice::Explicit(Box::new(blind));
        let json = |scenario: &Scenario| serde_json::to_string(&estimate(scenario)).expect("JSON");
        assert_eq!(json(&with), json(&without));
    }
}

/// A request with an image is one with as many more prompt tokens, after the encoder.
#[test]
fn images_are_tokens_and_time() {
    let seen = estimate(&asked(QWEN, |load| load.images = 2));
    let text = estimate(&asked(QWEN, |load| load.input += 2 * 1369));
    let images = seen.images.expect("images");
    assert_eq!((images.images, images.grid.tokens), (2, 1369));
    assert!((seen.ttft.get() / (text.ttft + images.encoder).get() - 1.0).abs() < 1e-12);
    assert_eq!(seen.tpot, text.tpot);
    let term = seen.terms_prefill.iter().find(|term| term.id == "vision").expect("a term");
    assert_eq!(term.time, images.encoder);
    assert_eq!(seen.memory.kv_cache, text.memory.kv_cache);
    // 676,550,144 parameters of 16 bits.
    let weights = (seen.memory.weights - text.memory.weights).get();
    assert!((weights / (2.0 * 676_550_144.0) - 1.0).abs() < 1e-9, "{weights}");
    let whole = estimate(&asked(QWEN, |load| load.tensor = 4));
    let cut = estimate(&asked(QWEN, |load| (load.tensor, load.images) = (4, 1)));
    let quarter = (cut.memory.weights - whole.memory.weights).get() / (2.0 * 676_550_144.0);
    assert!(quarter > 0.25 && quarter < 0.26, "{quarter}");
}

/// The encoder takes no less than its operations at the peak rate, and not several times as long.
#[test]
fn the_encoder_keeps_the_roofline() {
    for (model, least) in [(QWEN, 0.3), ("qwen3-vl-8b", 0.3), ("llama-4-scout", 0.08), ("gemma-3-27b", 0.2)] {
        for side in [512, 1024, 2048] {
            let scenario = asked(model, |load| {
                (load.tensor, load.images) = (if model == "llama-4-scout" { 8 } else { 1 }, 1);
                (load.image_width, load.image_height) = (side, side);
            });
            let images = estimate(&scenario).images.expect("images");
            let rate = scenario.machine().expect("a device").device.rate(Precision::Bf16);
            let peak = images.flops_per_image / rate / f64::from(scenario.inference.tensor);
            let share = peak / images.encoder;
            println!("{model} {side}: {:?} {:.2} ms {share:.2}", images.grid, images.encoder.get() * 1e3);
            assert!(
                share < 1.0 && share > least * if side == 512 { 0.3 } else { 1.0 },
                "{model} {side}: {share}"
            );
        }
    }
}

#[test]
fn more_and_larger_images_take_longer() {
    let ttft = |images: u32, side: u32| {
        let scenario = asked("qwen3-vl-8b", |load| {
            (load.images, load.image_width, load.image_height) = (images, side, side);
        });
        estimate(&scenario).ttft
    };
    let sizes: Vec<_> = (1..12).map(|step| ttft(1, 160 * step)).collect();
    assert!(sizes.is_sorted_by(|a, b| a < b), "{sizes:?}");
    let counts: Vec<_> = (0..8).map(|images| ttft(images, 640)).collect();
    assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
}

/// Throughput falls by what the encoder takes.
#[test]
fn the_encoder_takes_the_devices_time() {
    for load in LOADS.into_iter().skip(1) {
        let seen = asked(QWEN, |asked| {
            load(asked);
            asked.images = 4;
        });
        let text = asked(QWEN, |asked| {
            load(asked);
            asked.input += 4 * 1369;
        });
        let (seen, text) = (estimate(&seen), estimate(&text));
        assert!(seen.ttft > text.ttft && seen.tpot >= text.tpot && seen.prompt_share > text.prompt_share);
        assert!(seen.tokens_per_second <= text.tokens_per_second);
        assert!((seen.prompt(&asked(QWEN, load).inference) - (256.0 + 4.0 * 1369.0)).abs() < 1e-9);
    }
}

#[test]
fn images_need_an_encoder() {
    let problems = asked("llama-3.1-8b", |load| load.images = 1).inference().expect_err("no encoder");
    assert_eq!(problems[0].field, "inference.images");
    assert!(problems[0].to_string().contains("no vision encoder"), "{}", problems[0]);
}

#[test]
fn links_and_documents_keep_images() {
    let scenario = asked(QWEN, |load| (load.images, load.image_width, load.image_height) = (3, 800, 600));
    let written = link::encode(&scenario);
    assert!(written.contains("serve.images=3&serve.image_width=800&serve.image_height=600"), "{written}");
    assert_eq!(link::decode(&written).scenario, scenario);
    let document = serde_json::to_string(&scenario).expect("JSON");
    assert_eq!(serde_json::from_str::<Scenario>(&document).expect("a scenario"), scenario);
    assert!(!link::encode(&asked(QWEN, |_| {})).contains("image"));
}

/// Hostile encoders and images are refused with their field, or answered without harm.
#[test]
fn hostile_encoders_do_no_harm() {
    for images in [0, u32::MAX] {
        let problems = asked(QWEN, |load| (load.images, load.image_width) = (1, images)).inference();
        assert_eq!(
            problems.expect_err("no image").first().map(|problem| &*problem.field),
            Some("inference.image_width")
        );
    }
    let model = catalog::architecture(QWEN).expect("a model");
    let vision = model.vision.expect("an encoder");
    let widest = Images::Rounded { merge: u32::MAX, least: 0, most: u32::MAX };
    for wrong in [
        Vision { patch: 0, ..vision },
        Vision { width: u32::MAX, ..vision },
        Vision { heads: 0, ..vision },
        Vision { images: widest, ..vision },
        Vision { images: Images::Tiled { merge: 2, side: 336, most: 30_000 }, ..vision },
    ] {
        let mut scenario = asked(QWEN, |load| load.images = 1);
        scenario.model = Choice::Explicit(Box::new(Architecture { vision: Some(wrong), ..model.clone() }));
        let problems = scenario.inference().expect_err("a problem");
        assert!(problems[0].field.starts_with("model.vision"), "{}", problems[0]);
    }
    let thin = vision.encoded_image(Pixels { width: 16_384, height: 1 });
    assert!(thin.tokens > 0 && thin.tokens <= 16_384, "{thin:?}");
}

/// The encoders of published files are those of the catalogue.
#[test]
fn encoders_are_imported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/imports");
    for id in ["qwen3-vl-8b", "qwen3.5-35b-a3b", "gemma-4-26b-a4b", "kimi-k3", "minimax-m3"] {
        let file = fs::read_to_string(folder.join(format!("{id}.json"))).expect(id);
        let model = huggingface::architecture(&file).unwrap_or_else(|problem| panic!("{id}: {problem}"));
        assert_eq!(model.vision, catalog::architecture(id).expect(id).vision, "{id}");
        let told = model.warnings.join("; ");
        assert!(!told.contains("vision encoder") && !told.contains("projector"), "{id}: {told}");
    }
    let text = r#""hidden_size":3584,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,
        "intermediate_size":18944,"vocab_size":152064,"tie_word_embeddings":false,"max_position_embeddings":128000"#;
    let qwen = format!(
        r#"{{"model_type":"qwen2_5_vl",{text},"vision_config":{{"depth":32,"hidden_act":"silu","hidden_size":1280,
        "intermediate_size":3420,"num_heads":16,"in_chans":3,"out_hidden_size":3584,"patch_size":14,"spatial_merge_size":2,
        "spatial_patch_size":14,"window_size":112,"fullatt_block_indexes":[7,15,23,31],"tokens_per_second":2,
        "temporal_patch_size":2}}}}"#
    );
    let read = |file: &str| huggingface::architecture(file).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(read(&qwen).vision, catalog::architecture(QWEN).expect("a model").vision);
    assert_eq!(read(&qwen).warnings, Vec::<String>::new());
    let odd = read(&qwen.replace(r#""hidden_act":"silu""#, r#""puzzling_width":7"#));
    assert!(odd.warnings.join("; ").contains("`vision_config.puzzling_width`"), "{:?}", odd.warnings);
    for (good, bad) in [
        (r#""depth":32"#, r#""depth":4294967295"#),
        (r#""num_heads":16"#, r#""num_heads":0"#),
        (r#""patch_size":14,"spatial_m"#, r#""patch_size":"x","spatial_m"#),
        (r#""spatial_merge_size":2"#, r#""spatial_merge_size":4294967295"#),
        (r#""intermediate_size":3420"#, r#""intermediate_size":-1"#),
        ("qwen2_5_vl", "internvl_chat"),
    ] {
        let model = read(&qwen.replacen(good, bad, 1));
        let told = model.warnings.join("; ");
        assert!(
            model.vision.is_none() && told.contains("The vision encoder (`vision_config`)"),
            "{bad}: {told}"
        );
    }
    let llama = r#"{"model_type":"llama4","text_config":{"model_type":"llama4_text","hidden_size":5120,"num_hidden_layers":48,
        "num_attention_heads":40,"num_key_value_heads":8,"head_dim":128,"intermediate_size":8192,"intermediate_size_mlp":16384,
        "num_local_experts":16,"num_experts_per_tok":1,"interleave_moe_layer_step":1,"vocab_size":202048,
        "tie_word_embeddings":false},"vision_config":{"model_type":"llama4_vision_model","hidden_size":1408,"num_hidden_layers":34,
        "num_attention_heads":16,"intermediate_size":5632,"image_size":336,"patch_size":14,"pixel_shuffle_ratio":0.5,
        "projector_input_dim":4096,"projector_output_dim":4096,"vision_output_dim":4096,"num_channels":3}}"#;
    assert_eq!(read(llama).vision, catalog::architecture("llama-4-scout").expect("a model").vision);
    let gemma = r#"{"model_type":"gemma3","mm_tokens_per_image":256,"text_config":{"head_dim":128,"hidden_size":5376,
        "intermediate_size":21504,"model_type":"gemma3_text","num_attention_heads":32,"num_hidden_layers":62,
        "num_key_value_heads":16,"sliding_window":1024},"vision_config":{"hidden_size":1152,"image_size":896,
        "intermediate_size":4304,"model_type":"siglip_vision_model","num_attention_heads":16,"num_hidden_layers":27,
        "patch_size":14,"vision_use_head":false}}"#;
    assert_eq!(read(gemma).vision, catalog::architecture("gemma-3-27b").expect("a model").vision);
    let mistral = r#"{"model_type":"mistral3","spatial_merge_size":2,"text_config":{"model_type":"mistral","hidden_size":5120,
        "num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,"intermediate_size":32768,
        "vocab_size":131072},"vision_config":{"model_type":"pixtral","hidden_size":1024,"image_size":1540,
        "intermediate_size":4096,"num_attention_heads":16,"num_hidden_layers":24,"patch_size":14,"head_dim":64}}"#;
    assert_eq!(read(mistral).vision, catalog::architecture("mistral-small-3.2-24b").expect("a model").vision);
}

/// Predicted attention of encoders beside measured kernels. No constant is fitted to these rows: those of causal attention
/// with heads of 128 elements hold.
#[test]
fn attention_is_near_measured_kernels() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/encoder_attention.csv");
    let file = fs::read_to_string(path).expect("a file");
    let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for line in file.lines().skip_while(|line| !line.starts_with("device")).skip(1) {
        let (device, numbers) = line.split_once(',').expect("a device");
        let numbers: Vec<f64> = numbers.split(',').map(|number| number.parse().expect("a number")).collect();
        let [batch, patches, heads, dim, measured] = numbers[..] else { panic!("{line}") };
        let system = System::new(catalog::accelerator(device).expect(device), AssumptionSet::Calibrated);
        let attention = Attention {
            batch,
            heads,
            kv_heads: heads,
            qk_dim: dim,
            v_dim: dim,
            cached_dim: 2.0 * dim,
            queries: patches,
            keys: patches,
            window: None,
            causal: false,
            precision: Precision::Bf16,
            kv_element: Bytes::ZERO,
            backward: false,
        };
        let predicted = system.attention(&attention).time.get() * 1e6;
        errors.entry(device).or_default().push(predicted / measured - 1.0);
    }
    for (device, errors) in &mut errors {
        errors.sort_by(f64::total_cmp);
        let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
        let median = errors[errors.len() / 2];
        println!(
            "{device}: {} rows, mean {mean:.3}, median {median:+.3}, {:+.2} to {:+.2}",
            errors.len(),
            errors[0],
            errors[errors.len() - 1]
        );
        assert!(mean < if *device == "l40s" { 0.26 } else { 0.1 }, "{device}: {mean}");
    }
    assert_eq!(errors.len(), 4);
}
