//! Which errors are shown.

use super::options;
use super::row::{COMPARED, Group, Part, select};
use crate::scenario::View;

pub(super) static PARTS: &[Part] = &[Part {
    group: Group::Errors,
    views: COMPARED,
    advanced: false,
    rows: &[
        select(
            "errors.of",
            "Measured",
            "What was measured: predictions of it are compared with what was published",
            options::topics,
        )
        .wide(&View::ALL),
        select(
            "errors.by",
            "Group by",
            "What tells marks, bars and lines of the table apart. A click on a group shows it \
            alone",
            options::traits,
        )
        .wide(&View::ALL),
        select(
            "assumptions",
            "Assumptions",
            "Every row is predicted under these. Ideal shows how far reality is from the \
            physical bound",
            options::assumptions,
        )
        .wide(&View::ALL),
        select(
            "system.accelerator",
            "Constants of",
            "The device whose fitted constants stand below. Edits count for rows on devices \
            that use the same ones",
            options::accelerators,
        )
        .wide(&[View::Inference, View::Validation]),
    ],
}];
