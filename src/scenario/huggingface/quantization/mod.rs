//! The format in which a checkpoint's weights are stored, as its `quantization_config` says it.

use super::config::Config;
use crate::json::Json;
use crate::system::Precision;

/// Objects that describe the format, by their names in the file.
const OBJECTS: [&str; 3] = ["quantization_config", "quantization", "compression_config"];

/// Keys that do not change the format that is chosen here.
const SETTINGS: &[&str] = &[
    "activation_scheme",
    "fmt",
    "scale_fmt",
    "producer",
    "version",
    "backend",
    "checkpoint_format",
    "damp_percent",
    "damp_auto_increment",
    "desc_act",
    "dataset",
    "block_name_to_quantize",
    "true_sequential",
    "static_groups",
    "lm_head",
    "meta",
    "model_file_base_name",
    "model_name_or_path",
    "pad_token_id",
    "cache_block_outputs",
    "batch_size",
    "max_input_length",
    "use_cuda_fp16",
    "use_exllama",
    "exllama_config",
    "disable_exllama",
    "tokenizer",
    "model_seqlen",
    "module_name_preceding_first_block",
    "is_marlin_format",
    "do_fuse",
    "fuse_max_seq_len",
    "modules_to_fuse",
    "zero_point",
    "sym",
    "autoround_version",
    "packing_format",
    "data_type",
    "iters",
    "low_gpu_mem_usage",
    "nsamples",
    "seqlen",
    "enable_quanted_input",
    "amp",
    "lr",
    "minmax_lr",
    "scale_dtype",
    "enable_minmax_tuning",
    "gradient_accumulate_steps",
    "to_quant_block_names",
    "bnb_4bit_compute_dtype",
    "bnb_4bit_quant_storage",
    "bnb_4bit_use_double_quant",
    "llm_int8_enable_fp32_cpu_offload",
    "llm_int8_has_fp16_weight",
    "llm_int8_threshold",
    "quantization_status",
    "global_compression_ratio",
    "sparsity_config",
    "transform_config",
    "kv_cache_scheme",
    "kv_cache_quant_algo",
    "kv_cache_dtype",
    "activation_scale_ub",
    "exclude_modules_kv",
    "dequantize",
    "use_scale",
    "group_size",
    "linear_class",
    "quantization_mode",
    "qscheme_act",
    "targets",
];

/// Weights and activations of a quantised checkpoint.
#[derive(Clone, Copy, Default)]
struct Stored<'a> {
    /// The name of the method, as a reader knows it.
    method: &'a str,
    bits: u32,
    /// Floating point rather than integers.
    float: bool,
    /// Weights that share a scale; 0 for a channel or a tensor.
    group: u32,
    /// Weights are scaled by two-dimensional blocks.
    blocks: bool,
    /// Bits of activations, where they are quantised too.
    activations: Option<u32>,
    /// Codes that are no plain numbers, as NF4's.
    coded: bool,
}

impl Stored<'_> {
    /// The nearest format here, and whether it is the same.
    const fn nearest(&self) -> (Precision, bool) {
        let weights_only = self.activations.is_none();
        let exact = !self.coded;
        match (self.float, self.bits) {
            (true, 8) if self.blocks => (Precision::Fp8Block, exact),
            (true, 8) if self.group == 32 => (Precision::Mxfp8, exact && !weights_only),
            (true, 8) => (Precision::Fp8, exact && !weights_only),
            (true, 5..=7) => (Precision::Mxfp6, exact && self.bits == 6 && self.group == 32),
            (true, 0..=4) => match self.activations {
                Some(4) => (Precision::Fp4, exact && self.bits == 4),
                activations => {
                    (Precision::Mxfp4, exact && self.bits == 4 && self.group == 32 && activations.is_none())
                }
            },
            (false, 8) if !weights_only => (Precision::Int8, exact),
            (false, 7 | 8) => (Precision::Q8_0, false),
            (false, 6) => (Precision::Q6K, false),
            (false, 5) => (Precision::Q5KM, false),
            (false, 0..=4) => (Precision::Int4, exact && self.bits == 4 && self.group == 128 && weights_only),
            _ => (Precision::Bf16, false),
        }
    }

    /// What is stored, in words.
    fn said(&self) -> String {
        let kind = if self.coded {
            "codes"
        } else if self.float {
            "floats"
        } else {
            "integers"
        };
        let group = match (self.blocks, self.group) {
            (true, _) => " in blocks".to_owned(),
            (_, 0) => String::new(),
            (_, group) => format!(" in groups of {group}"),
        };
        let activations = match self.activations {
            Some(bits) => format!("{bits}-bit activations"),
            None => "16-bit activations".to_owned(),
        };
        let method: String = self.method.chars().take(32).collect();
        format!("{}-bit {kind}{group} with {activations} (`{method}`)", self.bits)
    }
}

/// The format of the weights, where the file says that they are quantised. What has no format here is noted with what is
/// used instead.
pub(super) fn weights(levels: &[&Config<'_>]) -> Option<Precision> {
    let experts = levels.iter().find_map(|level| level.text("expert_dtype"));
    // MLX writes the same object under two names.
    let objects: Vec<Config<'_>> =
        levels.iter().flat_map(|level| OBJECTS.map(|name| level.inside(name))).flatten().collect();
    for object in &objects {
        object.implied(SETTINGS);
    }
    let found: Vec<Option<Precision>> = objects.iter().map(|object| one(object, experts)).collect();
    found.into_iter().flatten().next()
}

fn one(config: &Config<'_>, experts: Option<&str>) -> Option<Precision> {
    let method =
        ["quant_method", "quant_algo", "mode", "qformat_weight"].into_iter().find_map(|key| config.text(key));
    let Some((stored, mixed)) = stored(config, method.unwrap_or("mlx")) else {
        let shown: String = method.unwrap_or("no method").chars().take(32).collect();
        config.audit().note(format!(
            "config.json: the weights' format (`{shown}`) is not known; they count as {}",
            Precision::Bf16.name()
        ));
        left(config, Precision::Bf16);
        return None;
    };
    let (mut format, mut exact) = stored.nearest();
    // DeepSeek-V4's experts have MXFP4 weights, beside which the rest in FP8 is small.
    if format == Precision::Fp8Block && experts == Some("fp4") {
        (format, exact) = (Precision::Mxfp4, true);
    }
    if mixed {
        config.audit().note(format!(
            "config.json: weights have several formats; all count as those of the feed-forward blocks, {}",
            format.name()
        ));
    }
    if !exact {
        config.audit().note(format!(
            "config.json: weights are {}; there is no such format here, and they count as {}",
            stored.said(),
            format.name()
        ));
    }
    left(config, format);
    Some(format)
}

/// What a file stores, and whether parts of it are stored otherwise.
fn stored<'a>(config: &Config<'a>, method: &'a str) -> Option<(Stored<'a>, bool)> {
    let bits = ["bits", "w_bit", "nbits", "weight_bits"].map(|name| config.number(&[name]));
    let bits = bits.into_iter().flatten().next();
    let group =
        ["group_size", "q_group_size"].map(|name| config.number(&[name])).into_iter().flatten().next();
    let blocks = config.list("weight_block_size").is_some();
    let groups = groups(config, method);
    let algorithm = config.text("moe_quant_algo").or_else(|| config.text("quant_algo"));
    let layers = config.get("quantized_layers").and_then(feed_forward_algorithm);
    let plain = Stored { method, bits: bits.unwrap_or(4), group: group.unwrap_or(128), ..Stored::default() };
    if let Some(named) = layers.or(algorithm).and_then(named) {
        let mixed = config.text("quant_algo") == Some("MIXED_PRECISION");
        return Some((Stored { method: layers.or(algorithm).unwrap_or(method), ..named }, mixed));
    }
    if let Some((stored, several)) = groups {
        return Some((stored, several));
    }
    let fp8 = Stored { method, bits: 8, float: true, blocks, activations: Some(8), ..Stored::default() };
    let four = [config.flag("load_in_4bit"), config.flag("_load_in_4bit")].contains(&Some(true));
    let eight = [config.flag("load_in_8bit"), config.flag("_load_in_8bit")].contains(&Some(true));
    let kind = config.text("bnb_4bit_quant_type").unwrap_or("nf4");
    config.implied(&["quant_method", "format", "mode"]);
    let stored = match method {
        "fp8" | "fbgemm_fp8" | "finegrained_fp8" | "fp8_e4m3" => fp8,
        "mxfp4" => named("MXFP4").map(|stored| Stored { method, ..stored })?,
        "nvfp4" => named("NVFP4").map(|stored| Stored { method, ..stored })?,
        "mxfp8" => named("MXFP8").map(|stored| Stored { method, ..stored })?,
        "awq" | "gptq" | "gptq_marlin" | "awq_marlin" | "auto-round" | "intel/auto-round" | "auto_round"
        | "marlin" | "inc" | "autoround" => plain,
        // MLX's groups have a scale and an offset.
        "affine" | "mlx" if bits.is_some() => plain,
        "bitsandbytes" if eight => Stored { method, bits: 8, activations: Some(8), coded: true, ..plain },
        "bitsandbytes" if four => Stored { method: kind, bits: 4, group: 64, coded: true, ..plain },
        "hqq" | "aqlm" | "exl2" | "exl3" | "quip" | "vptq" | "spqr" | "higgs" | "quanto" | "eetq" => {
            let bits = if method == "eetq" { 8 } else { quantised_bits(config).or(bits)? };
            Stored { bits, coded: true, group: group.unwrap_or(0), ..plain }
        }
        "torchao" => torchao(config)?,
        _ => return None,
    };
    Some((stored, false))
}

/// Bits that a nested object gives, or a fraction of bits.
fn quantised_bits(config: &Config<'_>) -> Option<u32> {
    let fraction = config.factor("bits").map(|bits| libm::round(bits) as u32);
    let inside = config.get("quant_config").and_then(|inner| inner.get("weight_quant_params"));
    let inside =
        inside.and_then(|inner| inner.get("nbits")).and_then(Json::as_number).map(|bits| bits as u32);
    let codes = config.number(&["nbits_per_codebook", "p"]);
    let word = config
        .text("weights")
        .and_then(|word| word.trim_start_matches("int").trim_start_matches("qint").parse().ok());
    fraction.or(inside).or(word).or(codes).filter(|bits| (1..=16).contains(bits))
}

/// Algorithms of TensorRT's Model Optimizer by name.
fn named(algorithm: &str) -> Option<Stored<'static>> {
    let both =
        |bits, float, group| Stored { bits, float, group, activations: Some(bits), ..Stored::default() };
    Some(match algorithm {
        "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" => both(8, true, 0),
        "FP8_PB_WO" | "FP8_PB_REAL" | "FP8_BLOCK" => Stored { blocks: true, ..both(8, true, 0) },
        "NVFP4" | "NVFP4_AWQ" => both(4, true, 16),
        "W4A16_NVFP4" => Stored { activations: None, ..both(4, true, 16) },
        "W4A8_NVFP4_FP8" => Stored { activations: Some(8), ..both(4, true, 16) },
        "MXFP8" => both(8, true, 32),
        "MXFP4" | "W4A16_MXFP4" => Stored { activations: None, ..both(4, true, 32) },
        "W4A8_MXFP4_FP8" => Stored { activations: Some(8), ..both(4, true, 32) },
        "INT4_AWQ" | "W4A16_AWQ" => Stored { activations: None, ..both(4, false, 128) },
        "W4A8_AWQ" => Stored { activations: Some(8), ..both(4, false, 128) },
        "W8A16" => Stored { activations: None, ..both(8, false, 0) },
        "INT8_SQ" | "W8A8_SQ_PER_CHANNEL" => both(8, false, 0),
        _ => return None,
    })
}

/// The algorithm of the experts, or else of the feed-forward blocks, of a list of layers.
fn feed_forward_algorithm<'a>(layers: &'a Json<'_>) -> Option<&'a str> {
    let Json::Object(layers) = layers else { return None };
    let of = |part: &str| {
        let layer = layers.iter().find(|(name, _)| name.contains(part));
        layer.and_then(|(_, layer)| layer.get("quant_algo")?.as_text())
    };
    of("experts").or_else(|| of("mlp")).or_else(|| of("ffn")).or_else(|| of(""))
}

/// Groups of compressed-tensors, of Model Optimizer and of Quark: that of the feed-forward blocks, and whether there are
/// others.
fn groups<'a>(config: &Config<'a>, method: &'a str) -> Option<(Stored<'a>, bool)> {
    let quark = config.get("global_quant_config").map(|group| (group, false));
    config.implied(&["layer_quant_config", "layer_type_quant_config", "export", "algo_config", "format"]);
    let (group, several) = match config.get("config_groups") {
        Some(Json::Object(groups)) => {
            let blocks = |group: &&Json<'_>| {
                let target = |target: &Json<'_>| {
                    target.as_text().is_some_and(|name| name.contains("mlp") || name.contains("expert"))
                };
                group.list("targets").iter().any(target)
            };
            let chosen = groups.iter().map(|(_, group)| group).find(blocks);
            (chosen.or_else(|| groups.first().map(|(_, group)| group))?, groups.len() > 1)
        }
        _ => quark?,
    };
    let weights = group.get("weights").or_else(|| group.get("weight"))?;
    let inputs = group.get("input_activations").or_else(|| group.get("input_tensors"));
    let bits = |tensor: &Json<'_>| {
        let bits = tensor.get("num_bits").and_then(Json::as_number).map(|bits| bits as u32);
        let word = tensor.get("dtype").and_then(Json::as_text).unwrap_or_default();
        let digits = word.chars().skip_while(|mark| !mark.is_ascii_digit()).take_while(char::is_ascii_digit);
        bits.or_else(|| digits.collect::<String>().parse().ok())
    };
    let kind = weights.get("type").or_else(|| weights.get("dtype")).and_then(Json::as_text).unwrap_or("int");
    let size = weights.get("group_size").and_then(Json::as_number).unwrap_or(0.0);
    let stored = Stored {
        method,
        bits: bits(weights)?.min(32),
        float: kind.starts_with("float") || kind.starts_with("fp") || kind.starts_with("mx"),
        group: if size > 0.0 { size as u32 } else { 0 },
        blocks: weights.get("strategy").and_then(Json::as_text) == Some("block"),
        activations: inputs.filter(|inputs| **inputs != Json::Null).and_then(bits),
        coded: false,
    };
    Some((stored, several))
}

/// torchao names its formats in words.
fn torchao<'a>(config: &Config<'a>) -> Option<Stored<'a>> {
    let kind = config.get("quant_type")?;
    let name = kind.as_text().or_else(|| {
        let default = kind.get("default").unwrap_or(kind);
        default.as_text().or_else(|| default.get("_type")?.as_text())
    })?;
    config.implied(&["quant_type_kwargs", "include_input_output_embeddings", "untie_embedding_weights"]);
    let plain: String = name.to_lowercase().replace('_', "");
    let weights = |word: &str| plain.contains(word);
    let activations = weights("dynamicactivation").then_some(8);
    let of = |bits, float, group| {
        Some(Stored { method: name, bits, float, group, activations, ..Stored::default() })
    };
    match () {
        () if weights("int4weight") => of(4, false, 128),
        () if weights("int8weight") => of(8, false, 0),
        () if weights("float8weight") => of(8, true, 0),
        () if weights("nvfp4") => Some(Stored { method: name, ..named("NVFP4")? }),
        () => None,
    }
}

/// Names parts of the layers that keep 16 bits.
fn left(config: &Config<'_>, format: Precision) {
    const LISTS: [&str; 6] = [
        "modules_to_not_convert",
        "ignore",
        "exclude_modules",
        "ignored_layers",
        "llm_int8_skip_modules",
        "exclude",
    ];
    // Norms and routers are small, encoders and prediction modules are not counted, the ends have 16 bits in any case.
    const SMALL: [&str; 12] = [
        "norm", "router", "indexer", "bias", "vision", "visual", "mtp", "nextn", "embed", "lm_head",
        "conv1d", "eh_proj",
    ];
    let mut parts: Vec<&str> = Vec::new();
    for name in LISTS.iter().filter_map(|name| config.words(name)).flatten() {
        if SMALL.iter().any(|small| name.contains(small)) || name.ends_with("gate") {
            continue;
        }
        let part = if name.contains("attn") || name.contains("attention") || name.contains("mixer") {
            "attention"
        } else if name.contains("shared_expert") {
            "shared experts"
        } else if name.contains("mlp") || name.contains("ffn") || name.contains("feed_forward") {
            "feed-forward blocks"
        } else {
            continue;
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if !parts.is_empty() && format != Precision::Bf16 {
        config.audit().note(format!(
            "config.json: weights that the file leaves in 16 bits count as {} too: {} (of some layers at least)",
            format.name(),
            parts.join(", ")
        ));
    }
}
