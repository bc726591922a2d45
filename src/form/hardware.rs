//! What is different about the device here.

use super::options::device;
use super::row::{Group, ONE_DEVICE, Part, number, whole};
use crate::catalog::Accelerator;
use crate::scenario::Scenario;

pub(super) static PARTS: &[Part] = &[Part {
    group: Group::Hardware,
    views: ONE_DEVICE,
    advanced: true,
    rows: &[
        number(
            "system.dram_gb_s",
            "DRAM",
            "GB/s",
            "DRAM bandwidth instead of the catalogue's. Decoding and everything elementwise is \
            bound by it",
        )
        .by(100.0)
        .otherwise(|scenario| of_device(scenario, |device| device.dram.bandwidth_gb_s)),
        number(
            "system.dram_gib",
            "Memory",
            "GiB",
            "DRAM capacity instead of the catalogue's. Decides what fits, and the largest batch",
        )
        .by(8.0)
        .otherwise(|scenario| of_device(scenario, |device| device.dram.capacity_gib)),
        number(
            "system.scale_up_gb_s",
            "Scale-up",
            "GB/s",
            "Bandwidth per GPU and direction within a domain (NVLink), instead of the \
            catalogue's. Tensor parallelism waits for it",
        )
        .by(50.0)
        .otherwise(|scenario| of_device(scenario, |device| device.scale_up.gb_s)),
        whole(
            "system.scale_up_domain",
            "Domain",
            "GPUs",
            "GPUs that the fast links join, instead of the catalogue's. A larger tensor group \
            leaves the domain and slows down",
        )
        .otherwise(|scenario| of_device(scenario, |device| f64::from(device.scale_up.domain))),
        number(
            "system.scale_out_gb_s",
            "Scale-out",
            "GB/s",
            "Bandwidth per GPU and direction between domains (InfiniBand, Ethernet), instead of \
            the catalogue's. Pipeline and data parallelism use it",
        )
        .by(12.5)
        .otherwise(|scenario| of_device(scenario, |device| device.scale_out.gb_s)),
    ],
}];

/// What the catalogue says of the chosen device.
fn of_device(scenario: &Scenario, fact: fn(&Accelerator) -> f64) -> Option<String> {
    device(scenario).map(fact).map(super::number::show)
}
