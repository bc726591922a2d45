//! The authors' code as the source of published values.

use crate::papers::{Origin, Source};

/// Source of values computed by the authors' code: predictions, not measurements.
pub(super) const CODE: Source = Source {
    origin: Origin::Code,
    place: "transformer-perf-estimates by ShashankSubramanian, commit 54278b0 of 2 October 2024",
};

/// Assumption of every result of the authors' search.
pub(super) const SEARCHED: &str = "Numeric values of the paper's figures were not available: the published \
    values are results of its authors' code, either shipped with it or obtained by running it unchanged";
