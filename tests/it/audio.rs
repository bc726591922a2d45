//! Audio of served requests: its tokens, the encoder's time and weights, and its import.

use crate::requests::{LOADS, asked, estimate};
use foretoken::catalog;
use foretoken::catalog::architecture::Architecture;
use foretoken::catalog::layers::{Audio, Clips, Subsampling};
use foretoken::inference::InferenceLoad;
use foretoken::scenario::huggingface;
use foretoken::scenario::{Choice, Scenario, link};
use foretoken::system::Precision;

/// Models with an audio encoder, and their tokens for 30 s.
const HEARING: [(&str, u32); 7] = [
    ("qwen2-audio-7b", 750),
    ("qwen2.5-omni-7b", 750),
    ("qwen3-omni-30b-a3b", 390),
    ("voxtral-mini-3b", 375),
    ("voxtral-small-24b", 375),
    ("gemma-4-e2b", 750),
    ("gemma-4-e4b", 750),
];

const OMNI: &str = "qwen2.5-omni-7b";

fn model(id: &str) -> &'static Architecture {
    catalog::architecture(id).expect(id)
}

/// The longest clip that a model takes, s.
fn longest(id: &str) -> Option<u32> {
    model(id).audio.expect("an encoder").longest
}

/// An encoder that no request uses changes nothing, to the bit, and neither does it for requests with images.
#[test]
fn no_audio_is_no_encoder() {
    for load in LOADS {
        for images in [0, 2] {
            let with = asked(OMNI, |asked| {
                load(asked);
                asked.images = images;
            });
            let deaf = Architecture { audio: None, ..model(OMNI).clone() };
            let without = Scenario { model: Choice::Explicit(Box::new(deaf)), ..with.clone() };
            let json = |scenario: &Scenario| serde_json::to_string(&estimate(scenario)).expect("JSON");
            assert_eq!(json(&with), json(&without));
        }
    }
}

/// A request with audio is one with as many more prompt tokens, after the encoder.
#[test]
fn audio_is_tokens_and_time() {
    for (id, tokens) in HEARING {
        let heard = estimate(&asked(id, |load| load.audio = 30.0));
        let text = estimate(&asked(id, |load| load.input += tokens));
        let audio = heard.audio.expect("audio");
        assert_eq!(audio.track.tokens, tokens, "{id}");
        assert!((heard.ttft.get() / (text.ttft + audio.encoder).get() - 1.0).abs() < 1e-12);
        assert_eq!(heard.tpot, text.tpot);
        let term = heard.terms_prefill.iter().find(|term| term.id == "audio").expect("a term");
        assert_eq!(term.time, audio.encoder);
        assert_eq!(heard.memory.kv_cache, text.memory.kv_cache);
        let parameters = model(id).audio.expect("an encoder").parameters(model(id).hidden) as f64;
        let weights = (heard.memory.weights - text.memory.weights).get();
        assert!((weights / (2.0 * parameters) - 1.0).abs() < 1e-6, "{id}: {weights}");
    }
}

/// Images and audio of a request are both encoded, and both lengthen its prompt.
#[test]
fn images_and_audio_add_up() {
    let both = |load: &mut InferenceLoad| (load.images, load.audio) = (1, 10.0);
    let all = estimate(&asked(OMNI, both));
    let text = estimate(&asked(OMNI, |load| load.input += 1369 + 250));
    let encoders = all.images.expect("images").encoder + all.audio.expect("audio").encoder;
    assert!((all.ttft.get() / (text.ttft + encoders).get() - 1.0).abs() < 1e-12);
    assert!((all.prompt(&asked(OMNI, both).inference) - (256.0 + 1369.0 + 250.0)).abs() < 1e-9);
}

/// A tensor group cuts the layers, and not the convolutions; 20 heads are no multiple of 8.
#[test]
fn a_tensor_group_cuts_the_encoder() {
    let weights = |tensor: u32| {
        let with = estimate(&asked(OMNI, |load| (load.tensor, load.audio) = (tensor, 10.0)));
        let text = estimate(&asked(OMNI, |load| (load.tensor, load.input) = (tensor, 256 + 250)));
        (with.memory.weights - text.memory.weights).get() / (2.0 * 639_647_232.0)
    };
    assert!((weights(1) - 1.0).abs() < 1e-9);
    assert!(weights(4) > 0.25 && weights(4) < 0.27, "{}", weights(4));
}

/// The encoder takes no less than its operations at the peak rate, and not many times as long.
#[test]
fn the_encoder_keeps_the_roofline() {
    for (id, _) in HEARING {
        let most = f64::from(longest(id).unwrap_or(600));
        for (seconds, least) in [(30.0, 0.15), (most, if most > 30.0 { 0.25 } else { 0.15 })] {
            let scenario = asked(id, |load| load.audio = seconds);
            let audio = estimate(&scenario).audio.expect("audio");
            let rate = scenario.machine().expect("a device").device.rate(Precision::Bf16);
            let share = audio.flops / rate / audio.encoder;
            println!("{id} {seconds} s: {:?} {:.2} ms {share:.2}", audio.track, audio.encoder.get() * 1e3);
            assert!(share < 1.0 && share > least, "{id} {seconds}: {share}");
        }
    }
}

#[test]
fn longer_audio_takes_longer() {
    for (id, _) in HEARING {
        let step = f64::from(longest(id).unwrap_or(341).min(341)) / 11.0;
        let ttft: Vec<_> = (0..12)
            .map(|steps| estimate(&asked(id, |load| load.audio = step * f64::from(steps))).ttft)
            .collect();
        assert!(ttft.is_sorted_by(|a, b| a < b), "{id}: {ttft:?}");
    }
}

/// Throughput falls by what the encoder takes.
#[test]
fn the_encoder_takes_the_devices_time() {
    for load in LOADS.into_iter().skip(1) {
        let heard = estimate(&asked(OMNI, |asked| {
            load(asked);
            asked.audio = 120.0;
        }));
        let text = estimate(&asked(OMNI, |asked| {
            load(asked);
            asked.input += 120 * 25;
        }));
        assert!(heard.ttft > text.ttft && heard.tpot >= text.tpot && heard.prompt_share > text.prompt_share);
        assert!(heard.tokens_per_second <= text.tokens_per_second);
    }
}

#[test]
fn audio_needs_an_encoder() {
    let problems = asked("llama-3.1-8b", |load| load.audio = 1.0).inference().expect_err("no encoder");
    assert_eq!(problems[0].field, "inference.audio");
    assert!(problems[0].to_string().contains("no audio encoder"), "{}", problems[0]);
}

/// A clip that the model's preprocessor would cut off is refused, with the field and what is allowed. Voxtral and Qwen3-Omni cut
/// nothing off.
#[test]
fn clips_are_no_longer_than_the_model_takes() {
    let limits = [("qwen2-audio-7b", 30), (OMNI, 300), ("gemma-4-e2b", 30), ("gemma-4-e4b", 30)];
    for (id, limit) in limits {
        assert_eq!(longest(id), Some(limit), "{id}");
        let whole = estimate(&asked(id, |load| load.audio = f64::from(limit)));
        assert!(whole.audio.is_some(), "{id}");
        let problems = asked(id, |load| load.audio = f64::from(limit) + 0.5).inference().expect_err(id);
        let told = problems[0].to_string();
        assert_eq!(problems[0].field, "inference.audio", "{id}");
        assert!(told.contains(&format!("set audio to at most {limit}")), "{told}");
    }
    assert_eq!(["qwen3-omni-30b-a3b", "voxtral-mini-3b", "voxtral-small-24b"].map(longest), [None; 3]);
}

#[test]
fn links_and_documents_keep_audio() {
    let scenario = asked(OMNI, |load| load.audio = 12.5);
    let written = link::encode(&scenario);
    assert!(written.contains("serve.audio=12.5"), "{written}");
    assert_eq!(link::decode(&written).scenario, scenario);
    let document = serde_json::to_string(&scenario).expect("JSON");
    assert_eq!(serde_json::from_str::<Scenario>(&document).expect("a scenario"), scenario);
    assert!(!link::encode(&asked(OMNI, |_| {})).contains("audio"));
}

/// Hostile encoders and lengths are refused with their field.
#[test]
fn hostile_encoders_do_no_harm() {
    for seconds in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
        let problems = asked(OMNI, |load| load.audio = seconds).inference().expect_err("a problem");
        assert!(problems.iter().any(|problem| problem.field == "inference.audio"), "{seconds}");
    }
    let known = model(OMNI).audio.expect("an encoder");
    for wrong in [
        Audio { width: u32::MAX, ..known },
        Audio { heads: 0, ..known },
        Audio { heads: known.width + 1, ..known },
        Audio { merge: 0, ..known },
        Audio { longest: Some(0), ..known },
        Audio { mels: 0, ..known },
        Audio { extra: u64::MAX, ..known },
        Audio { clips: Clips::Chunked { frames: 0, chunks: 1 }, ..known },
        Audio { clips: Clips::Padded { frames: u32::MAX, kept: true }, ..known },
        Audio { subsampling: Subsampling::Spectral { channels: [u32::MAX; 3] }, ..known },
    ] {
        let mut scenario = asked(OMNI, |load| load.audio = 1.0);
        let wrong = Architecture { audio: Some(wrong), ..model(OMNI).clone() };
        scenario.model = Choice::Explicit(Box::new(wrong));
        let problems = scenario.inference().expect_err("a problem");
        assert!(problems[0].field.starts_with("model.audio"), "{}", problems[0]);
    }
    let least = estimate(&asked(OMNI, |load| load.audio = 1e-9)).audio.expect("audio");
    assert_eq!((least.track.frames, least.track.tokens), (1, 1));
}

/// Audio encoders as their published files state them.
const WHISPER: &str = r#""activation_dropout":0.0,"activation_function":"gelu","attention_dropout":0.0,"d_model":1280,"dropout":0.0,
    "encoder_attention_heads":20,"encoder_ffn_dim":5120,"encoder_layerdrop":0.0,"encoder_layers":32,"init_std":0.02,
    "max_source_positions":1500,"num_hidden_layers":32,"num_mel_bins":128,"scale_embedding":false"#;

fn read(file: &str) -> Architecture {
    huggingface::architecture(file).unwrap_or_else(|problem| panic!("{problem}"))
}

fn qwen2_audio() -> String {
    format!(
        r#"{{"model_type":"qwen2_audio","architectures":["Qwen2AudioForConditionalGeneration"],"audio_token_index":151646,
        "ignore_index":-100,"vocab_size":156032,"audio_config":{{"model_type":"qwen2_audio_encoder",{WHISPER}}},"text_config":{{
        "bos_token_id":151643,"eos_token_id":151645,"intermediate_size":11008,"max_position_embeddings":8192,"model_type":"qwen2",
        "rope_theta":10000,"rms_norm_eps":1e-05,"sliding_window":32768,"use_mrope":false,"vocab_size":156032}}}}"#
    )
}

fn omni(kind: &str, text: &str, audio: &str) -> String {
    format!(
        r#"{{"model_type":"{kind}","enable_audio_output":true,"thinker_config":{{"model_type":"{kind}_thinker",
        "audio_token_index":151646,"image_token_index":151655,"position_id_per_seconds":25,"seconds_per_chunk":2,
        "audio_config":{{"model_type":"{kind}_audio_encoder",{WHISPER},{audio}}},"text_config":{{"model_type":"{kind}_text",{text}}}}}}}"#
    )
}

/// The encoders of published files are those of the catalogue.
#[test]
fn encoders_are_imported() {
    let qwen2 = read(&qwen2_audio());
    assert_eq!(qwen2.audio, model("qwen2-audio-7b").audio);
    assert_eq!((qwen2.hidden, qwen2.layers, qwen2.ffn), (4096, 32, 11008));
    assert_eq!(qwen2.parameters(), model("qwen2-audio-7b").parameters());

    let text = r#""hidden_size":3584,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,
        "intermediate_size":18944,"vocab_size":152064,"tie_word_embeddings":false"#;
    let qwen25 = read(&omni("qwen2_5_omni", text, r#""n_window":100,"output_dim":3584"#));
    assert_eq!(qwen25.audio, model(OMNI).audio);

    let text = r#""hidden_size":2048,"num_hidden_layers":48,"num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,
        "moe_intermediate_size":768,"num_experts":128,"num_experts_per_tok":8,"vocab_size":152064,"tie_word_embeddings":false"#;
    let own = r#""conv_chunksize":500,"downsample_hidden_size":480,"n_window":50,"n_window_infer":800,"output_dim":2048"#;
    let qwen3 = read(&omni("qwen3_omni_moe", text, own));
    assert_eq!(qwen3.audio, model("qwen3-omni-30b-a3b").audio);

    let voxtral = r#"{"model_type":"voxtral","architectures":["VoxtralForConditionalGeneration"],"audio_token_id":24,
        "hidden_size":3072,"projector_hidden_act":"gelu","audio_config":{"activation_dropout":0.0,"activation_function":"gelu",
        "attention_dropout":0.0,"dropout":0.0,"head_dim":64,"hidden_size":1280,"initializer_range":0.02,"intermediate_size":5120,
        "layerdrop":0.0,"max_source_positions":1500,"model_type":"voxtral_encoder","num_attention_heads":20,
        "num_hidden_layers":32,"num_key_value_heads":20,"num_mel_bins":128,"scale_embedding":false,"vocab_size":51866},
        "text_config":{"attention_bias":false,"head_dim":128,"hidden_act":"silu","hidden_size":3072,"intermediate_size":8192,
        "max_position_embeddings":131072,"mlp_bias":false,"model_type":"llama","num_attention_heads":32,"num_hidden_layers":30,
        "num_key_value_heads":8,"vocab_size":131072,"tie_word_embeddings":false}}"#;
    assert_eq!(read(voxtral).audio, model("voxtral-mini-3b").audio);
    assert_eq!(read(voxtral).parameters(), model("voxtral-mini-3b").parameters());

    let gemma = r#"{"model_type":"gemma4","audio_token_id":258881,"audio_config":{"attention_chunk_size":12,
        "attention_context_left":13,"attention_context_right":0,"attention_invalid_logits_value":-1e9,"attention_logit_cap":50.0,
        "conv_kernel_size":5,"gradient_clipping":1e10,"hidden_act":"silu","hidden_size":1024,"initializer_range":0.02,
        "model_type":"gemma4_audio","num_attention_heads":8,"num_hidden_layers":12,"output_proj_dims":1536,"residual_weight":0.5,
        "rms_norm_eps":1e-6,"subsampling_conv_channels":[128,32],"use_clipped_linears":true},"text_config":{"head_dim":256,
        "hidden_size":1536,"intermediate_size":6144,"model_type":"gemma4_text","num_attention_heads":8,"num_hidden_layers":35,
        "num_key_value_heads":1,"num_kv_shared_layers":20}}"#;
    assert_eq!(read(gemma).audio, model("gemma-4-e2b").audio);

    for told in [qwen2, qwen25, qwen3, read(voxtral), read(gemma)].map(|model| model.warnings.join("; ")) {
        assert!(!told.contains("audio encoder") && !told.contains("audio_config"), "{told}");
    }
}

/// A kind that is not known, and numbers that no encoder has, leave the encoder out and say so; keys that are not known are named.
#[test]
fn encoders_that_are_not_understood_are_named() {
    let odd = read(&qwen2_audio().replace(r#""init_std":0.02"#, r#""puzzling_width":7"#));
    let told = odd.warnings.join("; ");
    assert!(odd.audio.is_some() && told.contains("`audio_config.puzzling_width`"), "{told}");
    for (good, bad) in [
        (r#""encoder_layers":32"#, r#""encoder_layers":4294967295"#),
        (r#""encoder_attention_heads":20"#, r#""encoder_attention_heads":0"#),
        (r#""d_model":1280"#, r#""d_model":"x""#),
        (r#""encoder_ffn_dim":5120"#, r#""encoder_ffn_dim":-1"#),
        (r#""max_source_positions":1500"#, r#""max_source_positions":4294967295"#),
        (r#""model_type":"qwen2_audio","#, r#""model_type":"puzzling_audio","#),
    ] {
        let model = read(&qwen2_audio().replacen(good, bad, 1));
        let told = model.warnings.join("; ");
        assert!(
            model.audio.is_none() && told.contains("The audio encoder (`audio_config`)"),
            "{bad}: {told}"
        );
    }
}
