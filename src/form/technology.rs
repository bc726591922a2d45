//! What accelerator is built, and for what.

use super::options;
use super::row::{BUILT, Group, Part, number, select, whole};

pub(super) static PARTS: &[Part] = &[
    Part {
        group: Group::Technology,
        views: BUILT,
        advanced: false,
        rows: &[
            select(
                "technology.task",
                "For",
                "What every accelerator is built for: its budgets are shared out so that this takes least time",
                options::tasks,
            )
            .wide(BUILT),
            select("technology.node", "Node", "The logic process of the accelerator that is shown in detail", options::nodes),
            select("technology.memory", "Memory", "Its DRAM", options::stacks),
            select("technology.links", "Links", "Its links, to its domain and beyond", options::fabrics),
            select(
                "technology.core",
                "Cores",
                "The generation of its multiprocessors: which formats they multiply, and how fast",
                options::cores,
            ),
            number("technology.area_mm2", "Area", "mm²", "Area of a die. A reticle allows 858").by(10.0),
            number("technology.power_w", "Power", "W", "Power of a die with its DRAM and links").by(50.0),
        ],
    },
    Part {
        group: Group::Technology,
        views: BUILT,
        advanced: true,
        rows: &[
            whole("technology.dies", "Dies", "", "Dies of an accelerator: one, or two joined at their long edges"),
            number(
                "technology.edge_mm",
                "Edge",
                "mm",
                "Edge of a die towards its package, along which DRAM and links stand. Empty: that of a die of a \
                reticle's proportions",
            )
            .by(5.0)
            .otherwise(|scenario| Some(format!("{:.0}", scenario.technology.budget().edge.get()))),
            whole("technology.domain", "Domain", "GPUs", "Accelerators that the fast links join"),
        ],
    },
];
