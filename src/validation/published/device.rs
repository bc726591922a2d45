//! The catalogue's device for a published name.

/// The catalogue's id for a published GPU name, if the catalogue has it.
pub fn device(gpu: &str) -> Option<&'static str> {
    let id = match gpu {
        "A100-SXM4-80GB" | "A100 SXM 80GB" => "a100-sxm-80gb",
        "A100-SXM4-40GB" | "A100-SXM4-40GB (DGX-A100)" => "a100-sxm-40gb",
        "H100-SXM5-80GB" | "NVIDIA H100-SXM-80GB" => "h100-sxm",
        "H200-SXM5-141GB" | "NVIDIA H200-SXM-141GB" => "h200-sxm",
        "B200-SXM" | "NVIDIA B200-SXM-180GB" => "b200",
        "GB200" | "NVIDIA GB200" => "gb200-nvl72",
        "B300-SXM" => "b300",
        "GB300" | "NVIDIA GB300" => "gb300-nvl72",
        _ => return None,
    };
    Some(id)
}

#[cfg(test)]
mod tests {
    use crate::catalog;

    #[test]
    fn every_device_is_in_the_catalogue() {
        for gpu in [
            "A100-SXM4-80GB",
            "A100-SXM4-40GB",
            "H100-SXM5-80GB",
            "H200-SXM5-141GB",
            "B200-SXM",
            "GB200",
            "B300-SXM",
            "GB300",
        ] {
            let id = super::device(gpu).expect(gpu);
            assert!(catalog::accelerator(id).is_some(), "{id}");
        }
    }
}
