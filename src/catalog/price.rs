//! Prices of accelerators: rents on demand and purchase prices.

use serde::Deserialize;

/// Published prices of one accelerator.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The accelerator's catalogue id.
    pub accelerator: String,
    /// Rent on demand, US dollars per accelerator and hour.
    #[serde(default)]
    pub rent: Option<Quote>,
    /// Purchase price, US dollars per accelerator, with its share of server and network where the source has it.
    #[serde(default)]
    pub purchase: Option<Quote>,
}

/// A published price.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The price, US dollars.
    pub usd: f64,
    /// True if it is the price of a card alone, without a host.
    #[serde(default)]
    pub card: bool,
    /// When it was published.
    pub date: String,
    /// Sellers and publication, and what the price covers.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use crate::catalog::{accelerator, catalog};

    #[test]
    fn every_price_is_of_an_accelerator_and_sensible() {
        for price in &catalog().prices {
            let id = &price.accelerator;
            assert!(accelerator(id).is_some(), "{id}");
            assert!(price.rent.is_some() || price.purchase.is_some(), "{id}");
            for (quote, range) in [(&price.rent, 0.05..=100.0), (&price.purchase, 50.0..=200_000.0)] {
                let Some(quote) = quote else { continue };
                assert!(range.contains(&quote.usd), "{id}: {}", quote.usd);
                assert!(!quote.source.is_empty() && !quote.date.is_empty(), "{id}");
            }
        }
    }

    #[test]
    fn every_accelerator_has_its_prices_in_one_row() {
        let mut ids: Vec<&str> = catalog().prices.iter().map(|price| price.accelerator.as_str()).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
