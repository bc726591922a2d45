//! Rental prices of accelerators, and costs of ownership for accelerators without a published rental price.

use serde::Deserialize;

/// A published price.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The accelerator's catalogue id.
    pub accelerator: String,
    /// US dollars per accelerator and hour.
    pub usd_per_hour: f64,
    /// True for a cost of ownership, false for a rental price.
    #[serde(default)]
    pub owned: bool,
    /// When it was published.
    pub date: String,
    /// Seller and publication of the price.
    #[serde(default)]
    pub source: String,
}

#[cfg(test)]
mod tests {
    use crate::catalog::{accelerator, catalog};

    #[test]
    fn every_price_is_of_an_accelerator_and_sensible() {
        for price in &catalog().prices {
            assert!(accelerator(&price.accelerator).is_some(), "{}", price.accelerator);
            assert!((0.1..=100.0).contains(&price.usd_per_hour), "{}", price.accelerator);
            assert!(!price.source.is_empty() && !price.date.is_empty(), "{}", price.accelerator);
        }
    }
}
