//! The scale-out links of a published machine.

/// Scale-out bandwidth per GPU and direction, GB/s, from a description of the network; `None` if it states no rate.
///
/// Descriptions have parts (`NVSwitch 8-GPU node + 8x400Gb/s NDR IB`); the fastest part with a rate in Gb/s is used. A
/// rate with a count is that of one adapter. A rate without a count is that of the node if the part mentions nodes.
/// Both are divided among the node's GPUs.
pub fn scale_out(network: &str, gpus_per_node: u32) -> Option<f64> {
    let gpus = f64::from(gpus_per_node.max(1));
    let whole_says_node = network.contains("node");
    let parts = network.split([',', ';', '+', ':']).flat_map(|part| part.split(" and "));
    let rate = |part: &str| {
        let (before, after) = part
            .split_once("Gb/s")
            .or_else(|| part.split_once("Gbps"))
            .or_else(|| part.split_once("Gb/Sec"))
            .or_else(|| part.split_once("Gb HDR"))?;
        let rate = trailing_number(before)?;
        if after.contains("per GPU") {
            return Some(rate / 8.0);
        }
        match count(before).or_else(|| count_after(after)) {
            Some(count) => Some(count * rate / 8.0 / gpus),
            None => whole_says_node.then_some(rate / 8.0 / gpus),
        }
    };
    parts.filter_map(rate).filter(|rate| *rate > 0.0).max_by(f64::total_cmp)
}

/// Parses the number at the end of a text, as in `NDR 400 `.
fn trailing_number(text: &str) -> Option<f64> {
    let text = text.trim_end();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    text.get(digits.len()..)?.parse().ok()
}

/// Parses the number of adapters before an `x`, as in `8x200`, `4x Omni-Path 100`, `2 x MT2910`, `2xBF3 400`.
fn count(text: &str) -> Option<f64> {
    let (before, _) = text.split_once('x')?;
    trailing_number(before)
}

/// Parses a number of links that follows the rate, as in `400Gb/s x8`.
fn count_after(text: &str) -> Option<f64> {
    text.trim_start().strip_prefix('x')?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::scale_out;

    #[test]
    fn networks_are_read_as_published() {
        for (network, gpus, rate) in [
            ("Jean Zay, 4x Omni-Path 100Gb/s per node, NVLink3", 8, Some(6.25)),
            ("Selene: NVLink3/NVSwitch, 8x200Gb/s HDR IB per node", 8, Some(25.0)),
            ("NVSwitch + NDR 400Gb/s per GPU (DGX Cloud reference)", 8, Some(50.0)),
            ("NVSwitch 8-GPU node + 8x400Gb/s NDR IB", 8, Some(50.0)),
            ("DGX H100 (Eos-class), NDR 400Gb/s x8", 8, Some(50.0)),
            ("1600 Gbps RoCE node-node", 8, Some(25.0)),
            ("400 Gbps inter-node", 8, Some(6.25)),
            ("NVLink3/NVSwitch; 4 HDR InfiniBand NICs per node (800 Gb/s)", 8, Some(12.5)),
            ("4x ConnectX-8 IB XDR 800 Gb/s", 4, Some(100.0)),
            ("Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s", 8, Some(50.0)),
            ("MPFT fat-tree, 8x400Gb/s IB per node; NVLink 400 GB/s", 8, Some(50.0)),
            ("NVL72; 4 GPUs/tray", 4, None),
            ("IB/RoCE", 8, None),
            ("", 8, None),
        ] {
            assert_eq!(scale_out(network, gpus), rate, "{network}");
        }
    }
}
