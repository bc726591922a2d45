//! How far each result is from its published values, as `make papers` last computed it: a list of results need not wait for
//! those that take seconds.

/// Machine name, published values, mean error.
const KNOWN: &str = include_str!("data/known.csv");

/// What is known of a result before it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Published values beside which ours stand.
    pub values: u32,
    /// Mean of the absolute relative errors; none where nothing is compared.
    pub mean: Option<f64>,
}

/// What is known of a result.
pub fn known(id: &str) -> Option<Known> {
    let row = KNOWN.lines().find_map(|line| line.strip_prefix(id)?.strip_prefix(','))?;
    let (values, mean) = row.split_once(',')?;
    Some(Known { values: values.parse().ok()?, mean: mean.parse().ok() })
}
