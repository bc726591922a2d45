//! Fields that select the errors of the Validation view.

use super::catalog_options;
use super::field::{Field, field};
use super::group::Group;
use super::options;
use super::views::ONLY_VALIDATION;
use crate::scenario::View;

pub(super) const FIELDS: &[Field] = &[
    plain(field!("errors.of", errors.of).select(
        "Measured",
        "The quantity whose predictions are compared with published measurements",
        options::topics,
    ))
    .wide(&View::ALL),
    plain(field!("errors.by", errors.by).select(
        "Group by",
        "What marks, bars and rows are grouped by; a click on a group shows it alone",
        options::traits,
    ))
    .wide(&View::ALL),
    filter(field!("errors.source", errors.source).text("Source", "Only rows of this source")),
    filter(field!("errors.device", errors.device).text("Device", "Only rows on this device")),
    filter(
        field!("errors.generation", errors.generation)
            .text("Generation", "Only rows on devices of this generation"),
    ),
    filter(field!("errors.family", errors.family).text("Family", "Only rows of this kind of model")),
    filter(field!("errors.software", errors.software).text("Software", "Only rows of this software")),
    filter(field!("errors.precision", errors.precision).text("Precision", "Only rows in this number format")),
    filter(
        field!("errors.bits", errors.bits)
            .text("Bits", "Only rows whose matrix operands have this many bits"),
    ),
    filter(field!("errors.page", errors.page).whole(
        "Page",
        "The page of the list of rows, from 1",
        1.0,
        1e6,
    )),
];

/// Controls of fields that other views name otherwise.
pub(super) static SHARED: &[Field] = &[
    plain(field!("assumptions", assumptions).select(
        "Assumptions",
        "The set of constants that predicts every row; ideal shows the distance to the physical bound",
        options::assumptions,
    ))
    .wide(&View::ALL),
    plain(field!("gpu", system.accelerator).select(
        "Constants of",
        "The device whose fitted constants are listed; edits count for rows on devices with the same constants",
        catalog_options::accelerators,
    ))
    .wide(&[View::Inference, View::Validation]),
];

const fn plain(field: Field) -> Field {
    field.on(Group::Errors, ONLY_VALIDATION)
}

/// Set by clicks in the answer.
const fn filter(field: Field) -> Field {
    field.on(Group::Errors, &[])
}
