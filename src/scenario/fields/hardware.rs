//! View, model, devices and constants.

use super::catalog_options::{self, device};
use super::field::{Field, field};
use super::group::Group;
use super::number::show;
use super::options;
use super::views::{ESTIMATED, ONE_DEVICE, ONLY_INFERENCE, ONLY_SIZING, PRICED, TRAINED};
use crate::catalog::Accelerator;
use crate::scenario::{Scenario, View};

pub(super) const FIELDS: &[Field] = &[
    field!("view", view).select("View", "The question that the page answers", options::views),
    field!("model", model)
        .select(
            "Model",
            "The transformer, whose layers, widths, heads and vocabulary give work and memory",
            catalog_options::models,
        )
        .on(Group::Hardware, ESTIMATED)
        .wide(&View::ALL),
    field!("size.one", sizing.one_device)
        .switch("Only one kind of GPU", "Whether fleets and runs of one GPU are sized, instead of all devices of the catalogue")
        .on(Group::Hardware, ONLY_SIZING),
    field!("gpu", system.accelerator)
        .select("GPU", "The device, whose matrix rates, memory and links limit every operator", catalog_options::accelerators)
        .on(Group::Hardware, PRICED)
        .when(|form| form.view != View::Sizing || form.one_device)
        .wide(&[View::Inference, View::Sizing, View::Validation]),
    field!("gpus", system.gpus)
        .whole(
            "GPUs",
            "GPUs that train together; data parallelism takes what tensor and pipeline parallelism leave",
            1.0,
            1_048_576.0,
        )
        .on(Group::Hardware, TRAINED),
    advanced(
        field!("dram_gb_s", system.dram_gb_s)
            .number(
                "DRAM bandwidth",
                "DRAM bandwidth instead of the catalogue's, which limits decoding and elementwise operators",
                1.0,
                1e6,
            )
            .unit("GB/s")
            .by(100.0)
            .otherwise(|scenario| of_device(scenario, |device| device.dram.bandwidth_gb_s)),
    ),
    advanced(
        field!("dram_gib", system.dram_gib)
            .number(
                "DRAM capacity",
                "DRAM capacity instead of the catalogue's, which decides what fits and the largest batch",
                0.1,
                1e5,
            )
            .unit("GiB")
            .by(8.0)
            .otherwise(|scenario| of_device(scenario, |device| device.dram.capacity_gib)),
    ),
    advanced(
        field!("scale_up_gb_s", system.scale_up_gb_s)
            .number(
                "Scale-up bandwidth",
                "Bandwidth per GPU and direction within a scale-up domain (NVLink) instead of the catalogue's, which \
                 tensor parallelism needs most",
                0.1,
                1e5,
            )
            .unit("GB/s")
            .by(50.0)
            .otherwise(|scenario| of_device(scenario, |device| device.scale_up.gb_s)),
    ),
    advanced(
        field!("scale_up_domain", system.scale_up_domain)
            .whole(
                "Scale-up domain",
                "GPUs of a scale-up domain instead of the catalogue's; a larger tensor group is slowed down by the \
                 links between domains",
                1.0,
                65_536.0,
            )
            .unit("GPUs")
            .otherwise(|scenario| of_device(scenario, |device| f64::from(device.scale_up.domain))),
    ),
    advanced(
        field!("scale_out_gb_s", system.scale_out_gb_s)
            .number(
                "Scale-out bandwidth",
                "Bandwidth per GPU and direction between scale-up domains (InfiniBand, Ethernet) instead of the \
                 catalogue's, which pipeline and data parallelism use",
                0.01,
                1e5,
            )
            .unit("GB/s")
            .by(12.5)
            .otherwise(|scenario| of_device(scenario, |device| device.scale_out.gb_s)),
    ),
    advanced(
        field!("adapters", system.adapters)
            .number(
                "Network adapters",
                "Network adapters per GPU, each with the scale-out bandwidth; below 1 where GPUs share one",
                0.01,
                64.0,
            )
            .unit("per GPU"),
    ),
    advanced(
        field!("pod", system.pod)
            .whole("Pod", "GPUs between which the scale-out fabric is not oversubscribed", 1.0, 1_048_576.0)
            .unit("GPUs")
            .otherwise(|_| Some("a domain".to_owned())),
    ),
    advanced(
        field!("oversubscription", system.oversubscription)
            .number(
                "Oversubscription",
                "Bandwidth into a pod's switches over that between pods; 1 where the fabric is not oversubscribed",
                1.0,
                64.0,
            )
            .unit("×")
            .by(0.5),
    ),
    advanced(
        field!("in_network", system.in_network)
            .switch("In-network reduction", "Whether the switches between scale-up domains reduce data (SHARP)"),
    ),
    hosted(
        field!("host_gib", system.host_gib)
            .number(
                "Host memory",
                "Memory of the host, which holds the layers and experts that llama.cpp does not put on the GPU",
                1.0,
                65_536.0,
            )
            .unit("GiB")
            .by(16.0),
    ),
    hosted(
        field!("host_gb_s", system.host_gb_s)
            .number(
                "Host bandwidth",
                "Nominal bandwidth of the host's memory, all channels, which limits the decoding of layers on the CPU",
                1.0,
                1e5,
            )
            .unit("GB/s")
            .by(12.8),
    ),
    hosted(field!("second", system.second).select(
        "Second GPU",
        "A GPU of another kind in the same machine, on which llama.cpp puts the last layers",
        catalog_options::second_gpus,
    )),
];

pub(super) const CONSTANTS: &[Field] = &[field!("assumptions", assumptions)
    .select(
        "Assumptions",
        "The set of constants: efficiencies fitted to measurements, no overheads (the physical bound), or those of a paper",
        options::assumptions,
    )
    .on(Group::Hardware, ESTIMATED)
    .wide(&View::ALL)];

const fn advanced(field: Field) -> Field {
    field.on(Group::Hardware, ONE_DEVICE).advanced()
}

const fn hosted(field: Field) -> Field {
    field.on(Group::Hardware, ONLY_INFERENCE).advanced()
}

/// A fact of the chosen device, as the catalogue or the scenario spells it out.
fn of_device(scenario: &Scenario, fact: fn(&Accelerator) -> f64) -> Option<String> {
    device(scenario).map(fact).map(show)
}
