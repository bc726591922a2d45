//! 80 % prediction interval under a calibration profile.

use super::Topic;
use crate::scenario::Scenario;
use crate::system::AssumptionSet;
use crate::validation::Quantity;

/// Half-width of the central 80 % interval of a normal distribution, in standard deviations.
pub const EIGHT_OF_TEN: f64 = 1.2816;

/// Bounds of measured / predicted time within which 80 % of measurements are expected under the scenario's profile:
/// low, high. `None` if the profile is off, does not apply, or was fitted without rows of this quantity.
pub fn reach(scenario: &Scenario, quantity: Quantity) -> Option<(f64, f64)> {
    let applies = !scenario.profile.off && scenario.assumptions == AssumptionSet::Calibrated;
    let topic = Topic::of(quantity).filter(|_| applies)?;
    let spread = *topic.spread(&mut scenario.profile.clone());
    (spread > 0.0).then(|| (libm::exp(-EIGHT_OF_TEN * spread), libm::exp(EIGHT_OF_TEN * spread)))
}
