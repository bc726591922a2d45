//! Makers of devices, and which of them have enough published rows to estimate the error of a prediction.

use super::Quantity;
use crate::catalog::{Accelerator, Class};

/// The maker under which the published rows of a device are counted: its vendor. CPUs of all vendors count as one maker, and
/// Intel's Gaudi is separate from its GPUs.
pub fn maker(device: &Accelerator) -> &str {
    match device.class {
        Class::Cpu => "CPU",
        _ if device.architecture.starts_with("Gaudi") => "Gaudi",
        _ => &device.vendor,
    }
}

/// The devices of this device's maker in a sentence: `CPUs`, `devices of Google`.
pub fn devices(device: &Accelerator) -> String {
    match maker(device) {
        "CPU" => "CPUs".to_owned(),
        "Gaudi" => "Intel's Gaudi".to_owned(),
        vendor => format!("devices of {vendor}"),
    }
}

/// Returns true if enough rows are published to estimate the error of a quantity on devices of this device's maker.
pub fn is_published(device: &Accelerator, quantity: Quantity) -> bool {
    let quantity = match quantity {
        // Memory constants belong to the software, not to the device.
        Quantity::PeakMemory => return true,
        // Most of a request's time is decoding.
        Quantity::RequestLatency => Quantity::Tpot,
        other => other,
    };
    TABLE.lines().any(|line| {
        let mut parts = line.split(',');
        parts.next() == Some(quantity.name()) && parts.next() == Some(maker(device))
    })
}

/// Written by `make validate`: quantity, maker, rows, sources. Makers of few rows or sources are not in it.
const TABLE: &str = include_str!("makers.csv");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn what_nobody_published_is_known() {
        let published = |id: &str, quantity| is_published(catalog::accelerator(id).expect(id), quantity);
        assert!(published("h100-sxm", Quantity::Tpot) && published("mi300x", Quantity::Tpot));
        assert!(!published("epyc-9965-2s", Quantity::IterTime) && !published("gaudi-3", Quantity::Tpot));
        assert!(published("gaudi-3", Quantity::PeakMemory));
    }

    #[test]
    fn a_maker_of_cpus_is_not_that_of_its_gpus() {
        let of = |id: &str| maker(catalog::accelerator(id).expect(id));
        assert_eq!([of("xeon-6980p"), of("epyc-9575f"), of("mi300x")], ["CPU", "CPU", "AMD"]);
        assert_eq!([of("gaudi-3"), of("arc-b580")], ["Gaudi", "Intel"]);
    }
}
