//! The range of a prediction under a profile.

use super::Topic;
use crate::scenario::Scenario;
use crate::system::AssumptionSet;
use crate::validation::Quantity;

/// Standard deviations on either side within which eight of ten values of a normal distribution lie.
pub const EIGHT_OF_TEN: f64 = 1.2816;

/// Measured over predicted time of eight of ten values under a scenario's profile, lowest and highest; none where the profile
/// is off, does not apply, or has no rows of this quantity.
pub fn reach(scenario: &Scenario, quantity: Quantity) -> Option<(f64, f64)> {
    let applies = !scenario.profile.off && scenario.assumptions == AssumptionSet::Calibrated;
    let topic = Topic::of(quantity).filter(|_| applies)?;
    let spread = *topic.spread(&mut scenario.profile.clone());
    (spread > 0.0).then(|| (libm::exp(-EIGHT_OF_TEN * spread), libm::exp(EIGHT_OF_TEN * spread)))
}
