//! Lookup of models, devices and number formats by the names that benchmarks use.

use std::sync::LazyLock;

use crate::catalog;
use crate::system::Precision;
use crate::words::Word;

/// The catalogue id of a model, from its name or path.
pub(crate) fn model(name: &str) -> Option<&'static str> {
    catalog::model_named(name.trim_end_matches('/')).map(|known| known.id.as_str())
}

/// The catalogue id of a device: the longest id whose words occur consecutively in the name, else the id of its family.
pub(crate) fn device(name: &str) -> Option<&'static str> {
    static IDS: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
        catalog::catalog().accelerators.iter().map(|entry| (spaced(&entry.id), entry.id.as_str())).collect()
    });
    let said = spaced(name);
    let spelled = IDS.iter().filter(|(words, _)| said.contains(words)).map(|(_, id)| *id);
    spelled.max_by_key(|id| id.len()).or_else(|| catalog::device_named(name))
}

/// The words of a name in lower case, with a space before and after each.
fn spaced(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|mark: char| !mark.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// The number format in a name, as the word used in links.
pub(crate) fn precision(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let grouped = ["awq", "gptq"].iter().any(|method| lower.contains(method));
    let stem = lower.strip_suffix(".gguf").unwrap_or(&lower);
    let last = stem.rsplit(['-', '/']).next();
    // `Qwen2.5-7B-Instruct-GPTQ-Int4` names its method before its bits.
    let spelled =
        Precision::NAMES.iter().find(|word| last == Some(**word)).filter(|word| !grouped || **word != "int4");
    if let Some(word) = spelled {
        return Some(word);
    }
    if let Some(word) = gguf(&lower) {
        return Some(word);
    }
    let has = |part: &str| lower.contains(part);
    Some(if grouped {
        "awq"
    } else if has("mxfp4") {
        "mxfp4"
    } else if has("fp4") {
        "fp4"
    } else if has("fp8") {
        "fp8"
    } else if has("int4") || has("w4a16") {
        "int4"
    } else if has("nf4") || ((has("bnb") || has("bitsandbytes")) && !has("8bit") && !has("8-bit")) {
        "nf4"
    } else if has("int8") || has("w8a8") || has("8bit") || has("8-bit") {
        "int8"
    } else if has("bf16") || has("bfloat16") {
        "bf16"
    } else if has("fp16") || has("float16") || lower == "f16" {
        "fp16"
    } else {
        return None;
    })
}

/// The GGUF format in a lower-case name, in which llama.cpp writes "Q4_K - Medium" for `Q4_K_M`; the longest one, as `q2_k` is a
/// part of `q2_k_s`. Files without a size in their names are medium ones.
fn gguf(name: &str) -> Option<&'static str> {
    let name = name.replace(" - small", "_s").replace(" - medium", "_m").replace(" - large", "_l");
    let formats = Precision::ALL.into_iter().filter(|format| format.is_gguf()).map(Precision::word);
    let found = formats.filter(|word| name.contains(word)).max_by_key(|word| word.len());
    let medium = ["q5_k", "q4_k", "q3_k"].into_iter().zip(["q5_k_m", "q4_k_m", "q3_k_m"]);
    found.or_else(|| medium.into_iter().find(|(part, _)| name.contains(part)).map(|(_, word)| word))
}

/// A name for display: at most 60 characters, without control characters.
pub(crate) fn shown(name: &str) -> String {
    const MOST: usize = 60;
    let plain = |mark: char| if mark.is_control() { ' ' } else { mark };
    if name.chars().count() <= MOST {
        return name.chars().map(plain).collect();
    }
    name.chars().map(plain).take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_benchmarks_are_found() {
        assert_eq!(device("NVIDIA GeForce RTX 4080"), Some("rtx-4080"));
        assert_eq!(device("4xNVIDIA_L40S"), Some("l40s"));
        assert_eq!(device("NVIDIA H100 80GB HBM3"), Some("h100-sxm"));
        assert_eq!(device("a toaster"), None);
        assert_eq!(model("/models/Llama-3.1-70B-Instruct/"), Some("llama-3.1-70b"));
        assert_eq!(precision("qwen2 7B Q4_K - Medium"), Some("q4_k_m"));
        assert_eq!(precision("llama 8B Q3_K - Small"), Some("q3_k_s"));
        assert_eq!(precision("llama 8B IQ4_XS - 4.25 bpw"), Some("iq4_xs"));
        assert_eq!(precision("llama 8B Q2_K - Medium"), Some("q2_k"));
        assert_eq!(precision("Qwen3-8B-IQ2_XXS.gguf"), Some("iq2_xxs"));
        assert_eq!(precision("llama-3 q5_k"), Some("q5_k_m"));
        assert_eq!(precision("Qwen2.5-7B-Instruct-GPTQ-Int4"), Some("awq"));
        assert_eq!(precision("Qwen3-30B-A3B-AWQ-4bit-Q4_K_M-GGUF"), Some("q4_k_m"));
        assert_eq!(precision("llama-3-8b-bnb-4bit"), Some("nf4"));
        assert_eq!(precision("none"), None);
        assert_eq!(shown(&"x\n".repeat(100)).chars().count(), 60);
    }
}
