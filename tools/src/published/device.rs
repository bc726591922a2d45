//! The system of a published device.

use foretoken::catalog::{self, Accelerator, device_named};
use foretoken::scenario::{Choice, SystemChoice};

/// The system of a published GPU name: the catalogue's device, with the differences of the named variant.
pub fn system(gpu: &str) -> Option<SystemChoice> {
    let id = device_named(gpu)?;
    let lower = gpu.to_lowercase();
    let has = |word: &str| words(&lower).any(|other| other == word);
    let mut system = SystemChoice { accelerator: Choice::Named(id.to_owned()), ..SystemChoice::default() };
    match id {
        // DGX-2: an NVSwitch domain of 16 V100.
        "v100-sxm2" if has("dgx") && has("2") => system.scale_up_domain = Some(16),
        // H200 NVL: NVLink bridges connect four cards.
        "h200-sxm" if has("nvl") => system.scale_up_domain = Some(4),
        // GH200 with HBM3E.
        "gh200" if has("144gb") => (system.dram_gib, system.dram_gb_s) = (Some(144.0), Some(4900.0)),
        _ => {}
    }
    if let Some(parts) = parts(&lower) {
        system.accelerator = Choice::Explicit(Box::new(part(catalog::accelerator(id)?, parts)));
    }
    Some(system)
}

/// Number of equal parts of a device of which a name means one: four in "one logical core of four".
fn parts(lower: &str) -> Option<f64> {
    let mut words = words(lower).skip_while(|&word| word != "one").skip_while(|&word| word != "of");
    match words.nth(1)? {
        "two" => Some(2.0),
        "four" => Some(4.0),
        "eight" => Some(8.0),
        _ => None,
    }
}

/// One of `parts` equal parts of a device, with its share of each rate and of the memory.
fn part(whole: &Accelerator, parts: f64) -> Accelerator {
    let mut one = whole.clone();
    let rates = &mut one.matrix_tflops;
    let rates = [
        &mut rates.tf32,
        &mut rates.bf16,
        &mut rates.fp16,
        &mut rates.fp8,
        &mut rates.fp6,
        &mut rates.fp4,
        &mut rates.int8,
    ];
    for rate in rates.into_iter().flatten().chain(&mut one.vector16_tflops) {
        *rate /= parts;
    }
    one.vector_tflops /= parts;
    one.dram.bandwidth_gb_s /= parts;
    one.dram.capacity_gib /= parts;
    one
}

/// Alphanumeric words of a name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_differ_from_the_catalogue() {
        let changed = |gpu| system(gpu).map(|system| (system.dram_gib, system.scale_up_domain));
        assert_eq!(changed("NVIDIA GH200 Grace Hopper Superchip 144GB"), Some((Some(144.0), None)));
        assert_eq!(changed("V100-SXM3-32GB (DGX-2)"), Some((None, Some(16))));
        assert_eq!(changed("NVIDIA H200-NVL-141GB"), Some((None, Some(4))));
        assert_eq!(changed("H100-SXM5-80GB"), Some((None, None)));
    }

    #[test]
    fn a_part_of_a_device_has_its_share() {
        let rate = |gpu| system(gpu)?.accelerator().ok()?.matrix_tflops.bf16;
        let whole = rate("AWS Trainium3");
        let quarter = rate("AWS Trainium3 (one logical core of four, LNC=2)");
        assert!(whole.is_some() && quarter.map(|rate| 4.0 * rate) == whole);
        assert_eq!(rate("TPU v7x (one TensorCore of two)").map(|rate| 2.0 * rate), rate("TPU v7x"));
    }
}
