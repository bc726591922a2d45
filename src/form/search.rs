//! What the best plan has least of, and within what limits.

use super::options;
use super::row::{Group, Part, SEARCHED, number, select, whole};

pub(super) static PARTS: &[Part] = &[
    Part {
        group: Group::Search,
        views: SEARCHED,
        advanced: false,
        rows: &[
            select(
                "search.of",
                "Answer",
                "Plans of this job, or what the features of systems are worth, each at its best plan",
                options::subjects,
            )
            .wide(SEARCHED),
            select("search.by", "Least", "What the best plan has least of", options::objectives),
            number(
                "search.memory",
                "Memory to fill",
                "share",
                "Share of the GPU's memory that a plan may fill: the rest is room for what no model foresees",
            )
            .by(0.05),
        ],
    },
    Part {
        group: Group::Search,
        views: SEARCHED,
        advanced: true,
        rows: &[
            whole(
                "search.tensor",
                "Tensor at most",
                "GPUs",
                "The largest tensor-parallel degree that is tried",
            ),
            whole(
                "search.fewest",
                "Fewest",
                "GPUs",
                "Where the strong-scaling curve begins, if not at an eighth of the GPUs",
            )
            .otherwise(|_| Some("an eighth".to_owned())),
            whole(
                "search.most",
                "Most",
                "GPUs",
                "Where the strong-scaling curve ends, if not at eight times the GPUs",
            )
            .otherwise(|_| Some("8 times".to_owned())),
        ],
    },
];
