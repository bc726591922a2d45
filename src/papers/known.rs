//! Errors of each result as last computed by `make papers`, so that the list of results can show them without computing
//! results that take seconds.

/// CSV columns: result id, number of published values, mean absolute relative error.
const KNOWN: &str = include_str!("data/known.csv");

/// Precomputed error of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Number of published values that ours are compared with.
    pub values: u32,
    /// Mean absolute relative error; `None` if no value is compared.
    pub mean: Option<f64>,
}

/// The precomputed error of a result.
pub fn known(id: &str) -> Option<Known> {
    let row = KNOWN.lines().find_map(|line| line.strip_prefix(id)?.strip_prefix(','))?;
    let (values, mean) = row.split_once(',')?;
    Some(Known { values: values.parse().ok()?, mean: mean.parse().ok() })
}
