//! The catalogue's device for a published name.
//!
//! Names are read word by word, so that `NVIDIA H100-SXM-80GB`, `H100-SXM5-80GB` and `DGX H100` are one device.

use foretoken::catalog;
use foretoken::scenario::{Choice, SystemChoice};

/// The catalogue's id for a published GPU name, if the catalogue has it.
///
/// A name that leaves out the form factor means the module of an eight-way board, and one that leaves out the
/// memory the larger of two. Names of several kinds together mean none.
pub fn device(gpu: &str) -> Option<&'static str> {
    let lower = gpu.to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let has = |word: &str| words.contains(&word);
    let mut families = FAMILIES.iter().filter(|(family, _)| family.split(' ').all(has));
    let Some((_, id)) = families.next() else { return desktop(&words) };
    // `MI300X (x32), MI325X (x16)` is no device, half of a package neither.
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
        id => id,
    };
    catalog::accelerator(id).map(|_| id)
}

/// The card or chip of a desk whose id has only words of the name, and all that tell it from others of its family:
/// `RTX 6000 Ada 48GB` is `rtx-6000-ada`, and `M3 Max 40-core GPU` is `apple-m3-max-40c`.
fn desktop(words: &[&str]) -> Option<&'static str> {
    let cores = words.windows(2).find(|pair| pair[1] == "core").map(|pair| format!("{}c", pair[0]));
    let has = |word: &str| words.contains(&word) || cores.as_deref() == Some(word);
    let ids = catalog::catalog().accelerators.iter().map(|accelerator| accelerator.id.as_str());
    ids.filter(|id| {
        let own: Vec<&str> = id.split('-').collect();
        own.iter().all(|word| BRANDS.contains(word) || has(word))
            && own.iter().any(|word| word.chars().any(|letter| letter.is_ascii_digit()))
            && !VARIANTS.iter().any(|word| has(word) && !own.contains(word))
    })
    .max_by_key(|id| id.split('-').filter(|word| has(word)).count())
}

/// Words of ids that names leave out.
const BRANDS: [&str; 4] = ["rtx", "gtx", "rx", "apple"];

/// Words that make another device.
const VARIANTS: [&str; 10] =
    ["ti", "super", "max", "pro", "ultra", "ada", "laptop", "sff", "blackwell", "gcd"];

/// Words that make a family, and its catalogue entry where nothing else is said.
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

/// The system of a published GPU name: the catalogue's device, and what variants of it differ in.
pub fn system(gpu: &str) -> Option<SystemChoice> {
    let id = device(gpu)?;
    let lower = gpu.to_lowercase();
    let has = |word: &str| words(&lower).any(|other| other == word);
    let mut system = SystemChoice { accelerator: Choice::Named(id.to_owned()), ..SystemChoice::default() };
    match id {
        // Sixteen V100 behind one switch.
        "v100-sxm2" if has("dgx") && has("2") => system.scale_up_domain = Some(16),
        // Bridges join four cards.
        "h200-sxm" if has("nvl") => system.scale_up_domain = Some(4),
        // The second edition of Grace Hopper has HBM3E.
        "gh200" if has("144gb") => (system.dram_gib, system.dram_gb_s) = (Some(144.0), Some(4900.0)),
        _ => {}
    }
    Some(system)
}

/// Letters and digits between anything else.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_in_the_catalogue() {
        for (words, id) in FAMILIES {
            assert_eq!(device(words), Some(id));
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
            assert_eq!(device(gpu), Some(id), "{gpu}");
        }
    }

    #[test]
    fn what_the_catalogue_lacks_is_no_device() {
        for gpu in [
            "",
            "any",
            "GeForce",
            "RTX 4090 Ti",
            "M3 Max",
            "MI250X (per GCD)",
            "AMD Instinct MI300X 192GB HBM3 (x32), AMD Instinct MI325X 256GB HBM3e (x16)",
        ] {
            assert_eq!(device(gpu), None, "{gpu}");
        }
    }

    #[test]
    fn variants_differ_from_the_catalogue() {
        let changed = |gpu| system(gpu).map(|system| (system.dram_gib, system.scale_up_domain));
        assert_eq!(changed("NVIDIA GH200 Grace Hopper Superchip 144GB"), Some((Some(144.0), None)));
        assert_eq!(changed("V100-SXM3-32GB (DGX-2)"), Some((None, Some(16))));
        assert_eq!(changed("NVIDIA H200-NVL-141GB"), Some((None, Some(4))));
        assert_eq!(changed("H100-SXM5-80GB"), Some((None, None)));
    }
}
