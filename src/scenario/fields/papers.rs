//! The table or figure that the Papers view shows.

use super::field::{Field, field};
use super::group::Group;
use super::options;
use super::views::ONLY_PAPERS;
use crate::scenario::View;

pub(super) const FIELDS: &[Field] = &[field!("result", papers.result)
    .select(
        "Result",
        "The table or figure of arXiv 2407.14645 or arXiv 2410.00273 that is computed beside its published values",
        options::exhibits,
    )
    .on(Group::Papers, ONLY_PAPERS)
    .wide(&View::ALL)];
