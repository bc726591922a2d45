//! Lookup of catalogue devices and models by published names.
//!
//! Names are read word by word, so that `NVIDIA H100-SXM-80GB`, `H100-SXM5-80GB` and `DGX H100` are one device.

use std::sync::LazyLock;

use super::Architecture;

/// The catalogue's id for a published GPU name, if the catalogue has it.
///
/// A name that leaves out the form factor means the module of an eight-way board, and one that leaves out the
/// memory the larger of two. A name of several devices has no id.
pub fn device_named(gpu: &str) -> Option<&'static str> {
    let lower = gpu.to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let has = |word: &str| words.contains(&word);
    let mut families = FAMILIES.iter().filter(|(family, _)| family.split(' ').all(has));
    let Some((_, id)) = families.next() else { return desktop(&words) };
    // `MI300X (x32), MI325X (x16)` is several devices, and a GCD is half of a package.
    if families.next().is_some() || has("gcd") {
        return None;
    }
    let id = match *id {
        "a100-sxm-80gb" => match (has("pcie"), has("40gb")) {
            (true, true) => "a100-pcie-40gb",
            (true, false) => "a100-pcie-80gb",
            (false, true) => "a100-sxm-40gb",
            (false, false) => "a100-sxm-80gb",
        },
        "h100-sxm" if has("nvl") => "h100-nvl",
        "h100-sxm" if has("pcie") => "h100-pcie",
        "b200" if has("nvl") => "gb200-nvl72",
        "b300" if has("nvl") => "gb300-nvl72",
        id => id,
    };
    super::accelerator(id).map(|_| id)
}

/// The workstation or consumer GPU whose id has only words of the name, and all of [`VARIANTS`] that the name has:
/// `RTX 6000 Ada 48GB` is `rtx-6000-ada`, and `M3 Max 40-core GPU` is `apple-m3-max-40c`.
fn desktop(words: &[&str]) -> Option<&'static str> {
    let cores = words.windows(2).find(|pair| pair[1] == "core").map(|pair| format!("{}c", pair[0]));
    let has = |word: &str| words.contains(&word) || cores.as_deref() == Some(word);
    let ids = super::catalog().accelerators.iter().map(|accelerator| accelerator.id.as_str());
    ids.filter(|id| {
        let own: Vec<&str> = id.split('-').collect();
        own.iter().all(|word| BRANDS.contains(word) || has(word))
            && own.iter().any(|word| word.chars().any(|letter| letter.is_ascii_digit()))
            && !VARIANTS.iter().any(|word| has(word) && !own.contains(word))
    })
    .max_by_key(|id| id.split('-').filter(|word| has(word)).count())
}

/// Words of ids that published names may leave out.
const BRANDS: [&str; 4] = ["rtx", "gtx", "rx", "apple"];

/// Words that distinguish a device from others of its family.
const VARIANTS: [&str; 10] =
    ["ti", "super", "max", "pro", "ultra", "ada", "laptop", "sff", "blackwell", "gcd"];

/// Words that name a family of data-centre devices, and the family's id if the name has no form factor or memory.
const FAMILIES: [(&str, &str); 28] = [
    ("v100", "v100-sxm2"),
    ("a100", "a100-sxm-80gb"),
    ("a800", "a800-sxm"),
    ("h100", "h100-sxm"),
    ("h800", "h800-sxm"),
    ("h20", "h20-sxm"),
    ("h200", "h200-sxm"),
    ("gh200", "gh200"),
    ("b100", "b100"),
    ("b200", "b200"),
    ("gb200", "gb200-nvl72"),
    ("b300", "b300"),
    ("gb300", "gb300-nvl72"),
    ("l4", "l4"),
    ("l40s", "l40s"),
    ("a10", "a10"),
    ("mi250x", "mi250x"),
    ("mi300x", "mi300x"),
    ("mi325x", "mi325x"),
    ("mi350x", "mi350x"),
    ("mi355x", "mi355x"),
    ("gaudi 2", "gaudi-2"),
    ("gaudi 3", "gaudi-3"),
    ("tpu v4", "tpu-v4"),
    ("tpu v5e", "tpu-v5e"),
    ("tpu v5p", "tpu-v5p"),
    ("tpu v6e", "tpu-v6e"),
    ("trainium2", "trainium2"),
];

/// The words of a name: runs of ASCII letters and digits.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// The catalogue's model with the longest id or alias whose words occur consecutively in the last part of a name or path.
pub fn model_named(name: &str) -> Option<&'static Architecture> {
    static ENTRIES: LazyLock<Vec<(String, &'static Architecture)>> = LazyLock::new(|| {
        let names = |entry: &'static Architecture| {
            let names = std::iter::once(entry.id.as_str()).chain(super::aliases(&entry.id));
            names.map(move |name| (normalised(name), entry))
        };
        super::catalog().architectures.iter().flat_map(names).collect()
    });
    // Some names write the version without a separator: `llama3.1:8b`.
    let name = name.rsplit('/').next().unwrap_or(name).to_lowercase().replace("llama", "llama ");
    let name = normalised(&name);
    // A distillation has the shape of the model it was trained from, not that of its teacher, which its name begins with.
    let distilled = |id: &str| id.contains("distill");
    let distillation = distilled(&name);
    let entries =
        ENTRIES.iter().filter(|(words, entry)| name.contains(words) && distilled(&entry.id) == distillation);
    entries.max_by_key(|(words, _)| words.len()).map(|(_, entry)| *entry)
}

/// Lower-case words, with a space before and after each; version numbers keep their dots.
fn normalised(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    format!(" {} ", words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_in_the_catalogue() {
        for (words, id) in FAMILIES {
            assert_eq!(device_named(words), Some(id));
        }
    }

    #[test]
    fn published_names_are_read_word_by_word() {
        for (gpu, id) in [
            ("A100-SXM4-40GB (DGX-A100)", "a100-sxm-40gb"),
            ("A100 PCIe 80GB", "a100-pcie-80gb"),
            ("A100-SXM4-80GB", "a100-sxm-80gb"),
            ("NVIDIA H100-SXM-80GB", "h100-sxm"),
            ("NVIDIA H100-NVL-94GB", "h100-nvl"),
            ("NVIDIA H200-SXM-141GB-CTS", "h200-sxm"),
            ("GH200-120GB", "gh200"),
            ("AMD Instinct MI300X-NPS1-SPX-192GB-750W", "mi300x"),
            ("b200_sxm", "b200"),
            ("gb200", "gb200-nvl72"),
            ("4090 24GB", "rtx-4090"),
            ("4070 Ti 12GB", "rtx-4070-ti"),
            ("3080 10GB", "rtx-3080-10gb"),
            ("RTX 4060 Ti 16GB", "rtx-4060-ti-16gb"),
            ("RTX 6000 Ada 48GB", "rtx-6000-ada"),
            ("RTX A6000 48GB", "rtx-a6000"),
            ("A40 48GB", "a40"),
            ("M1 7‑Core GPU 8GB", "apple-m1-7c"),
            ("M3 Max 40‑Core GPU 64GB", "apple-m3-max-40c"),
            ("Apple M4 Pro 16-core GPU", "apple-m4-pro-16c"),
            ("DGX Spark (GB10)", "gb10"),
            ("Intel Gaudi 2", "gaudi-2"),
            ("TPU v5e", "tpu-v5e"),
        ] {
            assert_eq!(device_named(gpu), Some(id), "{gpu}");
        }
    }

    #[test]
    fn what_the_catalogue_lacks_is_no_device_named() {
        for gpu in [
            "",
            "any",
            "GeForce",
            "RTX 4090 Ti",
            "M3 Max",
            "MI250X (per GCD)",
            "AMD Instinct MI300X 192GB HBM3 (x32), AMD Instinct MI325X 256GB HBM3e (x16)",
        ] {
            assert_eq!(device_named(gpu), None, "{gpu}");
        }
    }

    fn named_id(name: &str) -> Option<&'static str> {
        model_named(name).map(|known| known.id.as_str())
    }

    #[test]
    fn names_are_read_word_by_word() {
        for (name, id) in [
            ("GPT OSS 120B", "gpt-oss-120b"),
            ("Kimi_K2", "kimi-k2"),
            ("DeepSeek-V3-671B", "deepseek-v3"),
            ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"),
            ("llama2-70b", "llama-2-70b"),
            ("llama3.1:8b", "llama-3.1-8b"),
            ("Qwen2.5 32B 2-node", "qwen2.5-32b"),
            ("Llama-4-Maverick-400B", "llama-4-maverick"),
            ("DeepSeek-R1", "deepseek-v3"),
            ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3"),
        ] {
            assert_eq!(named_id(name), Some(id), "{name}");
        }
        for name in ["128B", "Nemotron_3_Nano", "", "Llama"] {
            assert_eq!(named_id(name), None, "{name}");
        }
    }
}
