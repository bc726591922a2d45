//! Quantisation methods by name (`quant_method`), with the keys in which each gives its format.

use super::algorithms::{algorithm, of_layers};
use super::groups::groups;
use super::stored::{Kind, Mixed, Stored};
use crate::json::Json;
use crate::scenario::huggingface::config::Config;

/// The format that a `quantization_config` describes; `None` if its method is unknown.
pub(super) fn stored<'a>(config: &Config<'a>, method: &'a str) -> Option<Mixed<'a>> {
    let bits = ["bits", "w_bit", "nbits", "weight_bits"].map(|name| config.number(&[name]));
    let bits = bits.into_iter().flatten().next();
    let group = ["group_size", "q_group_size"].map(|name| config.number(&[name]));
    let group = group.into_iter().flatten().next();
    let blocks = config.list("weight_block_size").is_some();
    let groups = groups(config, method);
    let named = config.text("moe_quant_algo").or_else(|| config.text("quant_algo"));
    let named = config.get("quantized_layers").and_then(of_layers).or(named);
    if let Some((name, stored)) = named.and_then(|name| Some((name, algorithm(name)?))) {
        let mixed = config.text("quant_algo") == Some("MIXED_PRECISION");
        return Some(Mixed { stored: Stored { method: name, ..stored }, mixed });
    }
    if groups.is_some() {
        return groups;
    }
    let integers =
        Stored { method, bits: bits.unwrap_or(4), group: group.unwrap_or(128), ..Stored::default() };
    let fp8 =
        Stored { method, bits: 8, kind: Kind::Float, blocks, activations: Some(8), ..Stored::default() };
    let four = [config.flag("load_in_4bit"), config.flag("_load_in_4bit")].contains(&Some(true));
    let eight = [config.flag("load_in_8bit"), config.flag("_load_in_8bit")].contains(&Some(true));
    let code = config.text("bnb_4bit_quant_type").unwrap_or("nf4");
    let double = config.flag("bnb_4bit_use_double_quant") == Some(true);
    config.implied(&["quant_method", "format", "mode"]);
    let stored = match method {
        "fp8" | "fbgemm_fp8" | "finegrained_fp8" | "fp8_e4m3" => fp8,
        "mxfp4" => Stored { method, ..algorithm("MXFP4")? },
        "nvfp4" => Stored { method, ..algorithm("NVFP4")? },
        "mxfp8" => Stored { method, ..algorithm("MXFP8")? },
        "awq" | "gptq" | "gptq_marlin" | "awq_marlin" | "auto-round" | "intel/auto-round" | "auto_round"
        | "marlin" | "inc" | "autoround" => Stored { packed: true, ..integers },
        "affine" | "mlx" if bits.is_some() => {
            Stored { kind: Kind::Affine, group: group.unwrap_or(64), ..integers }
        }
        "bitsandbytes" if eight => {
            Stored { method, bits: 8, activations: Some(8), kind: Kind::Code, ..integers }
        }
        "bitsandbytes" if four => {
            let kind = Kind::Table { normal: code == "nf4", double };
            Stored { method: code, bits: 4, group: 64, kind, ..integers }
        }
        "exl2" | "exl3" => {
            let bits = config.factor("bits")?;
            let whole = (bits - libm::round(bits)).abs() < 0.05;
            Stored { bits: libm::round(bits) as u32, kind: Kind::Mixed { whole }, group: 0, ..integers }
        }
        "hqq" | "aqlm" | "quip" | "vptq" | "spqr" | "higgs" | "quanto" | "eetq" => {
            let bits = if method == "eetq" { 8 } else { code_bits(config).or(bits)? };
            Stored { bits, kind: Kind::Code, group: group.unwrap_or(0), ..integers }
        }
        "torchao" => torchao(config)?,
        _ => return None,
    };
    Some(Mixed { stored, mixed: false })
}

/// Bits of a code: a fraction (EXL2), a number in a nested object (HQQ), a word (Quanto), or the size of a codebook.
fn code_bits(config: &Config<'_>) -> Option<u32> {
    let fraction = config.factor("bits").map(|bits| libm::round(bits) as u32);
    let nested = config.get("quant_config").and_then(|inner| inner.get("weight_quant_params"));
    let nested =
        nested.and_then(|inner| inner.get("nbits")).and_then(Json::as_number).map(|bits| bits as u32);
    let codebook = config.number(&["nbits_per_codebook", "p"]);
    let word = config
        .text("weights")
        .and_then(|word| word.trim_start_matches("int").trim_start_matches("qint").parse().ok());
    fraction.or(nested).or(word).or(codebook).filter(|bits| (1..=16).contains(bits))
}

/// The format of a torchao checkpoint, from the class name in `quant_type`, e.g. `Int4WeightOnlyConfig`.
fn torchao<'a>(config: &Config<'a>) -> Option<Stored<'a>> {
    let kind = config.get("quant_type")?;
    let name = kind.as_text().or_else(|| {
        let default = kind.get("default").unwrap_or(kind);
        default.as_text().or_else(|| default.get("_type")?.as_text())
    })?;
    config.implied(&["quant_type_kwargs", "include_input_output_embeddings", "untie_embedding_weights"]);
    let plain = name.to_lowercase().replace('_', "");
    let activations = plain.contains("dynamicactivation").then_some(8);
    let of = |bits, kind, group| {
        Some(Stored { method: name, bits, kind, group, activations, ..Stored::default() })
    };
    if plain.contains("int4weight") {
        of(4, Kind::Integer, 128)
    } else if plain.contains("int8weight") {
        of(8, Kind::Integer, 0)
    } else if plain.contains("float8weight") {
        of(8, Kind::Float, 0)
    } else if plain.contains("nvfp4") {
        Some(Stored { method: name, ..algorithm("NVFP4")? })
    } else {
        None
    }
}
