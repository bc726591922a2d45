//! The two machines of a detailed comparison.

use super::catalog_options::{self, second};
use super::field::{Field, field};
use super::group::Group;
use super::views::ONLY_GENERATIONS;
use crate::scenario::Scenario;

pub(super) const FIELDS: &[Field] = &[
    plain(field!("from", comparison.from).select(
        "From",
        "The machine whose speed is 1, which runs the job as asked; `own` is this question's GPU",
        catalog_options::compared,
    ))
    .wide(ONLY_GENERATIONS),
    plain(field!("from.tuned", comparison.tuned).switch(
        "At its best (From)",
        "Whether the first machine runs its fastest plan instead of the job's",
    )),
    plain(field!("to", comparison.to).select(
        "To",
        "The machine whose speed-up is explained, which runs its fastest plan; `own` is this question's GPU",
        catalog_options::compared,
    ))
    .wide(ONLY_GENERATIONS),
    plain(
        field!("to.domain", comparison.domain)
            .whole(
                "Domain (To)",
                "GPUs of the second machine's scale-up domain, if not the catalogue's",
                1.0,
                65_536.0,
            )
            .unit("GPUs")
            .otherwise(domain),
    ),
    plain(
        field!("to.batch", comparison.batch)
            .whole("Batch (To)", "The second machine's sequences per step over the first's", 1.0, 1024.0)
            .unit("×"),
    ),
    plain(field!("to.precision", comparison.precision).select(
        "Precision (To)",
        "The format in which the second machine multiplies",
        catalog_options::formats_of_second,
    )),
];

const fn plain(field: Field) -> Field {
    field.on(Group::Comparison, ONLY_GENERATIONS)
}

/// The catalogue's scale-up domain of the second machine.
fn domain(scenario: &Scenario) -> Option<String> {
    Some(second(scenario)?.scale_up.domain.to_string())
}
