//! What is different about the device here.

use super::options::device;
use super::row::{Group, ONE_DEVICE, Part, number, switch, whole};
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
        number(
            "system.adapters",
            "Adapters",
            "per GPU",
            "Network adapters per GPU, each with the scale-out bandwidth; below 1 where GPUs share one",
        ),
        whole(
            "system.pod",
            "Pod",
            "GPUs",
            "GPUs between which the fabric between domains is not oversubscribed",
        )
        .otherwise(|_| Some("a domain".to_owned())),
        number(
            "system.oversubscription",
            "Oversubscription",
            "times",
            "Bandwidth into a pod's switches over that between pods; 1 where the fabric is not oversubscribed",
        )
        .by(0.5),
        switch(
            "system.in_network",
            "Sums in switches",
            "Switches between domains add up what they pass on (SHARP)",
        ),
    ],
}];

/// What the catalogue says of the chosen device.
fn of_device(scenario: &Scenario, fact: fn(&Accelerator) -> f64) -> Option<String> {
    device(scenario).map(fact).map(super::number::show)
}
