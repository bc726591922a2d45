//! Why an open loop has no steady state.

use std::fmt;

use crate::units::format;

/// More requests arrive than can be served: the queue would grow without bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturated {
    /// The largest sustained rate, requests per second.
    pub largest: f64,
}

impl fmt::Display for Saturated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Three digits, rounded down.
        let decimals = format::decimals(self.largest.max(1e-3), 3).min(5);
        let unit = libm::exp10(f64::from(decimals));
        let shown = format::decimal(libm::floor(self.largest * unit) / unit, usize::from(decimals));
        write!(
            f,
            "the machine serves at most {shown} requests per second: the queue would grow without bound"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_rounded_down_to_three_digits() {
        let shown = |largest| Saturated { largest }.to_string();
        for (largest, text) in [(0.012_39, "0.0123"), (9.999, "9.99"), (43.28, "43.2"), (1_234.9, "1,234")] {
            assert!(shown(largest).contains(&format!("at most {text} requests")), "{}", shown(largest));
        }
    }
}
