//! 80 % prediction interval under a calibration profile.

use super::TimeKind;
use crate::scenario::Scenario;
use crate::validation::Quantity;

/// Half-width of the central 80 % interval of a normal distribution, in standard deviations.
pub const EIGHT_OF_TEN: f64 = 1.2816;

/// Bounds of measured / predicted time within which 80 % of measurements are expected under the scenario's profile:
/// low, high. `None` where [`deviation`] is.
pub fn reach(scenario: &Scenario, quantity: Quantity) -> Option<(f64, f64)> {
    let spread = deviation(scenario, quantity)?;
    Some((libm::exp(-EIGHT_OF_TEN * spread), libm::exp(EIGHT_OF_TEN * spread)))
}

/// Standard deviation of log(measured / predicted time) under the scenario's profile. `None` if the profile is off, was
/// fitted to rows of another device or software, or has no rows of this quantity.
pub fn deviation(scenario: &Scenario, quantity: Quantity) -> Option<f64> {
    let kind = TimeKind::of(quantity).filter(|_| scenario.is_like_the_profiles_rows())?;
    let spread = *kind.spread(&mut scenario.profile.clone());
    (spread > 0.0).then_some(spread)
}
