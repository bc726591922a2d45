//! Optimizers: permanent state and traffic of a step.

use crate::units::Bytes;

/// Bytes per parameter: a 16-bit weight.
pub(super) const WEIGHT: Bytes = Bytes::new(2.0);

/// Optimizer, with the formats of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimizer {
    /// `AdamW` with 32-bit master weights and moments beside 16-bit weights, as in mixed-precision training.
    #[default]
    Adam,
    /// `AdamW` on 16-bit weights with 16-bit moments and no master weights.
    Adam16,
    /// `AdamW` on 16-bit weights with 8-bit moments and no master weights (Dettmers et al. 2021).
    Adam8,
    /// Gradient descent with 32-bit master weights and one 32-bit momentum.
    Momentum,
    /// Gradient descent on 16-bit weights, without state.
    Plain,
}

/// Values of an 8-bit moment that share one 32-bit scale (Dettmers et al. 2021 use blocks of 2,048; bitsandbytes since
/// 0.44 uses 256).
const BLOCK: f64 = 256.0;

/// Bytes of a parameter in an 8-bit moment.
const MOMENT_8: f64 = 1.0 + 4.0 / BLOCK;

impl Optimizer {
    /// All optimizers.
    pub const ALL: [Self; 5] = [Self::Adam, Self::Adam16, Self::Adam8, Self::Momentum, Self::Plain];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adam => "AdamW, 32-bit state",
            Self::Adam16 => "AdamW, 16-bit state",
            Self::Adam8 => "AdamW, 8-bit moments",
            Self::Momentum => "SGD with momentum, 32-bit state",
            Self::Plain => "SGD",
        }
    }

    /// State per trained parameter: master weight and moments.
    pub const fn state(self) -> Bytes {
        Bytes::new(match self {
            Self::Adam => 4.0 + 2.0 * 4.0,
            Self::Adam16 => 2.0 * 2.0,
            Self::Adam8 => 2.0 * MOMENT_8,
            Self::Momentum => 4.0 + 4.0,
            Self::Plain => 0.0,
        })
    }

    /// Bytes that a step reads and writes per trained parameter.
    ///
    /// With 32-bit state the gradient is 32-bit too: it is read for the update and for its norm, and cleared (12), the
    /// 16-bit weight is written (2), and the state is read and written. With 16 bits the gradient is read twice (4) and
    /// the weight is read and written (4).
    pub const fn traffic(self) -> Bytes {
        let rest = match self {
            Self::Adam | Self::Momentum => 14.0,
            Self::Adam16 | Self::Adam8 | Self::Plain => 8.0,
        };
        Bytes::new(2.0 * self.state().get() + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrower_state_is_smaller_and_moves_less() {
        for pair in [Optimizer::Adam, Optimizer::Adam16, Optimizer::Adam8, Optimizer::Plain].windows(2) {
            assert!(pair[1].state() < pair[0].state(), "{pair:?}");
            assert!(pair[1].traffic() < pair[0].traffic(), "{pair:?}");
        }
    }

    #[test]
    fn mixed_precision_adam_is_that_of_zero() {
        // Rajbhandari et al. 2019, section 3.1: K = 12.
        assert_eq!(Optimizer::Adam.state(), Bytes::new(12.0));
        assert_eq!(Optimizer::Adam.traffic(), Bytes::new(38.0));
    }
}
