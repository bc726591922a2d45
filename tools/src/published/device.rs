//! The system of a published device.

use foretoken::catalog::device_named;
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
    Some(system)
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
}
