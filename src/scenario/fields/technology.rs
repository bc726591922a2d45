//! The accelerator that the Technology view builds.

use super::catalog_options;
use super::field::{Field, field};
use super::group::Group;
use super::options;
use super::views::ONLY_TECHNOLOGY;

pub(super) const FIELDS: &[Field] = &[
    plain(field!("tech.task", technology.task).select(
        "Task",
        "The task for which area and power are divided, so that it takes the least time",
        options::tasks,
    ))
    .wide(ONLY_TECHNOLOGY),
    plain(field!("tech.node", technology.node).select(
        "Node",
        "The logic process of the accelerator shown in detail",
        catalog_options::nodes,
    )),
    plain(field!("tech.memory", technology.memory).select("Memory", "The DRAM technology", catalog_options::stacks)),
    plain(field!("tech.links", technology.links).select(
        "Links",
        "The generation of links, within a scale-up domain and beyond",
        catalog_options::fabrics,
    )),
    plain(field!("tech.core", technology.core).select(
        "Multiprocessors",
        "The generation of multiprocessors, which gives their formats and rates",
        catalog_options::cores,
    )),
    plain(
        field!("tech.area", technology.area_mm2)
            .number("Area", "Area of a die, of which a reticle allows 858 mm²", 10.0, 10_000.0)
            .unit("mm²")
            .by(10.0),
    ),
    plain(
        field!("tech.power", technology.power_w)
            .number("Power", "Power of a die with its DRAM and links", 10.0, 20_000.0)
            .unit("W")
            .by(50.0),
    ),
    advanced(field!("tech.dies", technology.dies).whole(
        "Dies",
        "Dies of an accelerator: one, or two joined at their long edges",
        1.0,
        2.0,
    )),
    advanced(
        field!("tech.edge", technology.edge_mm)
            .number(
                "Edge",
                "Length of a die's edge, along which DRAM and links are placed; by default that of a reticle's proportions",
                10.0,
                1_000.0,
            )
            .unit("mm")
            .by(5.0)
            .otherwise(|scenario| Some(format!("{:.0}", scenario.technology.budget().edge.get()))),
    ),
    advanced(
        field!("tech.domain", technology.domain)
            .whole("Scale-up domain", "Accelerators of a scale-up domain", 1.0, 65_536.0)
            .unit("GPUs"),
    ),
];

const fn plain(field: Field) -> Field {
    field.on(Group::Technology, ONLY_TECHNOLOGY)
}

const fn advanced(field: Field) -> Field {
    plain(field).advanced()
}
