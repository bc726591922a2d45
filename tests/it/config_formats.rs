//! The number format of a checkpoint's weights, from its `quantization_config`.

use foretoken::catalog::architecture::Architecture;
use foretoken::measured::{Opened, Point, open};
use foretoken::scenario::huggingface::architecture;
use foretoken::scenario::link::decode;
use foretoken::system::Precision;

fn quantised(config: &str) -> Architecture {
    let file = format!(
        r#"{{"model_type":"llama","num_hidden_layers":2,"hidden_size":128,"num_attention_heads":2,"vocab_size":512,
        "intermediate_size":256,"tie_word_embeddings":false,"quantization_config":{config}}}"#
    );
    architecture(&file).unwrap_or_else(|problem| panic!("{config}: {problem}"))
}

/// Descriptions of formats as published checkpoints have them, with the number format in which each is served.
#[test]
fn formats_are_those_of_the_file() {
    for (config, format) in [
        // DeepSeek-V3, Qwen3-FP8.
        (
            r#"{"quant_method":"fp8","fmt":"e4m3","activation_scheme":"dynamic","weight_block_size":[128,128]}"#,
            "fp8block",
        ),
        (r#"{"quant_method":"fp8","activation_scheme":"static"}"#, "fp8"),
        (
            r#"{"quant_method":"fbgemm_fp8","activation_scale_ub":1200.0,"modules_to_not_convert":["lm_head"]}"#,
            "fp8",
        ),
        // gpt-oss.
        (r#"{"quant_method":"mxfp4","modules_to_not_convert":["lm_head","model.embed_tokens"]}"#, "mxfp4"),
        (r#"{"quant_method":"awq","bits":4,"group_size":128,"zero_point":true,"version":"gemm"}"#, "awq"),
        (
            r#"{"quant_method":"gptq","bits":4,"group_size":128,"desc_act":true,"sym":true,"damp_percent":0.1}"#,
            "awq",
        ),
        (
            r#"{"quant_method":"bitsandbytes","load_in_4bit":true,"load_in_8bit":false,"bnb_4bit_quant_type":"nf4"}"#,
            "nf4",
        ),
        // Unsloth's.
        (
            r#"{"_load_in_4bit":true,"_load_in_8bit":false,"bnb_4bit_compute_dtype":"bfloat16","bnb_4bit_quant_storage":"uint8",
            "bnb_4bit_quant_type":"nf4","bnb_4bit_use_double_quant":true,"llm_int8_enable_fp32_cpu_offload":false,
            "llm_int8_has_fp16_weight":false,"llm_int8_skip_modules":null,"llm_int8_threshold":6.0,"load_in_4bit":true,
            "load_in_8bit":false,"quant_method":"bitsandbytes"}"#,
            "nf4_double",
        ),
        (
            r#"{"quant_method":"exl2","version":"0.1.8","bits":6.0,"head_bits":6,"calibration":{"rows":115,"length":2048,
            "dataset":"(default)"}}"#,
            "exl_6bpw",
        ),
        (
            r#"{"quant_method":"exl3","version":"0.0.1","bits":3.02,"head_bits":6,"calibration":{"rows":100,"cols":2048},
            "out_scales":"auto"}"#,
            "exl_3bpw",
        ),
        (
            r#"{"quant_method":"compressed-tensors","format":"float-quantized","ignore":["lm_head"],
            "quantization_status":"compressed","kv_cache_scheme":null,"config_groups":{"group_0":{"targets":["Linear"],
            "weights":{"num_bits":8,"type":"float","strategy":"channel","symmetric":true,"dynamic":false},
            "input_activations":{"num_bits":8,"type":"float","strategy":"token","dynamic":true}}}}"#,
            "fp8",
        ),
        (
            r#"{"quant_method":"compressed-tensors","format":"int-quantized","config_groups":{"group_0":{
            "weights":{"num_bits":8,"type":"int","strategy":"channel"},"input_activations":{"num_bits":8,"type":"int"}}}}"#,
            "int8",
        ),
        (
            r#"{"quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{"group_0":{
            "weights":{"num_bits":4,"type":"int","group_size":128,"strategy":"group"},"input_activations":null}}}"#,
            "int4",
        ),
        (
            r#"{"quant_method":"compressed-tensors","format":"mxfp4-pack-quantized","config_groups":{"group_0":{
            "weights":{"num_bits":4,"type":"float","group_size":32,"strategy":"group"},"input_activations":null}}}"#,
            "mxfp4",
        ),
        // Checkpoints of NVIDIA's Model Optimizer.
        (
            r#"{"quant_method":"modelopt","quant_algo":"NVFP4","producer":{"name":"modelopt"},"ignore":["lm_head"]}"#,
            "fp4",
        ),
        (r#"{"quant_method":"modelopt","quant_algo":"FP8"}"#, "fp8"),
        // MLX.
        (r#"{"group_size":64,"bits":4,"mode":"affine"}"#, "mlx4"),
        (r#"{"group_size":64,"bits":8}"#, "mlx8"),
        // AMD's Quark.
        (
            r#"{"quant_method":"quark","global_quant_config":{"weight":{"dtype":"fp4","qscheme":"per_group","group_size":32},
            "input_tensors":{"dtype":"fp4","group_size":32}}}"#,
            "fp4",
        ),
    ] {
        let model = quantised(config);
        assert_eq!(
            (model.weights.as_deref(), model.warnings.as_slice()),
            (Some(format), [].as_slice()),
            "{config}"
        );
    }
}

#[test]
fn formats_that_are_missing_here_are_named() {
    for (config, format, parts) in [
        (
            r#"{"quant_method":"awq","bits":4,"group_size":32}"#,
            Some("awq"),
            ["groups of 32", "INT4 in groups of 128"],
        ),
        (r#"{"quant_method":"gptq","bits":8,"group_size":128}"#, Some("q8_0"), ["8-bit integers", "Q8_0"]),
        (
            r#"{"quant_method":"gptq","bits":3,"group_size":128}"#,
            Some("awq"),
            ["3-bit integers", "INT4 in groups of 128"],
        ),
        (
            r#"{"quant_method":"bitsandbytes","load_in_4bit":true,"load_in_8bit":false,"bnb_4bit_quant_type":"fp4"}"#,
            Some("nf4"),
            ["fp4", "NF4"],
        ),
        (
            r#"{"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":4}}}"#,
            Some("int4"),
            ["hqq", "INT4"],
        ),
        (r#"{"quant_method":"exl3","bits":3.5}"#, Some("exl_4bpw"), ["about 4-bit", "4 bits (EXL)"]),
        (r#"{"group_size":32,"bits":4,"mode":"affine"}"#, Some("mlx4"), ["groups of 32", "4 bits (MLX)"]),
        (
            r#"{"quant_method":"torchao","quant_type":"int8_weight_only"}"#,
            Some("q8_0"),
            ["int8_weight_only", "Q8_0"],
        ),
        (r#"{"quant_method":"sparkle"}"#, None, ["`sparkle`", "BF16"]),
        (
            r#"{"quant_method":"modelopt","quant_algo":"MIXED_PRECISION","quantized_layers":{
            "layers.0.self_attn.q_proj":{"quant_algo":"FP8"},"layers.0.mlp.experts":{"quant_algo":"NVFP4","group_size":16}}}"#,
            Some("fp4"),
            ["several number formats", "FP4"],
        ),
        (
            r#"{"quant_method":"mxfp4","modules_to_not_convert":["model.layers.*.self_attn","model.layers.*.mlp.router"]}"#,
            Some("mxfp4"),
            ["attention", "16 bits"],
        ),
    ] {
        let model = quantised(config);
        assert_eq!(model.weights.as_deref(), format, "{config}");
        let told = model.warnings.join("; ");
        assert!(parts.iter().all(|part| told.contains(part)), "{config}: {told}");
    }
}

/// The format of the experts takes precedence over that of the other weights (DeepSeek-V4).
#[test]
fn experts_have_a_format_of_their_own() {
    let text = include_str!("../fixtures/imports/deepseek-v4-flash.json");
    assert_eq!(architecture(text).expect("a model").weights.as_deref(), Some("mxfp4"));
}

/// A file of NVIDIA's Model Optimizer, opened on top of a question.
fn optimised(current: &str, quantization: &str) -> Point {
    let file = format!(
        r#"{{"producer": {{"name": "modelopt", "version": "0.40.0"}}, "quantization": {quantization}}}"#
    );
    match open(&decode(current).scenario, &file) {
        Ok(Opened::Points(mut points)) if points.len() == 1 => points.remove(0),
        other => panic!("{quantization}: {other:?}"),
    }
}

#[test]
fn formats_of_an_hf_quant_config_are_those_of_the_model_at_hand() {
    let asked = "v=1&view=inference&model=qwen3-32b&serve.kv=int8";
    for (file, weights, cache, remarks) in [
        (
            r#"{"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16, "exclude_modules": ["lm_head"]}"#,
            Precision::Fp4,
            Precision::Fp8,
            &[][..],
        ),
        (r#"{"quant_algo": "FP8", "kv_cache_quant_algo": null}"#, Precision::Fp8, Precision::Int8, &[]),
        (r#"{"quant_algo": null, "kv_cache_quant_algo": "NVFP4"}"#, Precision::Bf16, Precision::Fp4, &[]),
        (
            r#"{"quant_algo": "FP8_PB_WO", "kv_cache_quant_algo": "none"}"#,
            Precision::Fp8Block,
            Precision::Bf16,
            &[],
        ),
        (
            r#"{"quant_algo": "MIXED_PRECISION", "kv_cache_quant_algo": "FP8", "quantized_layers": {
                "model.layers.0.self_attn.q_proj": {"quant_algo": "FP8"},
                "model.layers.0.mlp.up_proj": {"quant_algo": "NVFP4", "group_size": 16}}}"#,
            Precision::Fp4,
            Precision::Fp8,
            &["hf_quant_config.json: weights have several number formats"],
        ),
        (
            r#"{"quant_algo": "NVFP4", "exclude_modules": ["lm_head", "model.layers.0.self_attn*"], "rotate_keys": true}"#,
            Precision::Fp4,
            Precision::Int8,
            &["16 bits also count as", "not understood and left out: `quantization.rotate_keys`"],
        ),
        (
            r#"{"quant_algo": "FP3", "kv_cache_quant_algo": "FP3"}"#,
            Precision::Bf16,
            Precision::Int8,
            &["weights (`FP3`) is unknown", "KV cache (`FP3`) is unknown"],
        ),
    ] {
        let Point { scenario, report, .. } = optimised(asked, file);
        let load = scenario.inference;
        assert_eq!((load.precision, load.kv_precision), (weights, cache), "{file}");
        let said = report.remarks.join("; ");
        assert_eq!(report.remarks.len(), remarks.len(), "{file}: {said}");
        assert!(remarks.iter().all(|remark| said.contains(remark)), "{file}: {said}");
        assert!(report.says.len() + report.silent.len() == 2, "{report:?}");
        assert!(scenario.inference().is_ok(), "{file}");
    }
}

/// The formats stay those of the model if its own config.json states none.
#[test]
fn an_hf_quant_config_completes_a_config() {
    let config = include_str!("../fixtures/configs/qwen2.5-7b.json");
    let Ok(Opened::Question(question)) = open(&decode("v=1&view=inference").scenario, config) else {
        panic!("a question")
    };
    assert_eq!(question.inference.precision, Precision::Bf16);
    let link = foretoken::scenario::link::encode(&question);
    let completed = optimised(&link, r#"{"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}"#).scenario;
    assert_eq!(completed.native_precision(), Precision::Fp8);
    assert_eq!(completed.inference.kv_precision, Precision::Fp8);
    assert_eq!(completed.architecture().map(|model| model.layers), Ok(28));
}
