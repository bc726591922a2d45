//! A measured row.

use super::Vector;
use crate::scenario::{Profile, Scenario};
use crate::system::Corrections;
use crate::validation::{Quantity, Replaced, Skip, predicted};

/// A measured row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is called where it is shown.
    pub name: String,
    /// The question that was measured; its own profile does not count.
    pub scenario: Scenario,
    /// What was measured.
    pub quantity: Quantity,
    /// Its value, in the quantity's unit.
    pub measured: f64,
    /// Constants in place of those of its software and device; none but in tests of what is unknown.
    pub replaced: Replaced,
}

impl Row {
    /// The row's prediction, in the quantity's unit, under these logarithms of corrections.
    pub fn predicted(&self, logarithms: &Vector) -> Result<f64, Skip> {
        let mut scenario = self.scenario.clone();
        scenario.profile = Profile::of(Corrections::of(logarithms.map(libm::exp)));
        predicted(&scenario, self.quantity, &self.replaced)
    }

    /// The logarithm of measured over predicted time; a rate is the inverse of a time.
    pub fn residual(&self, logarithms: &Vector) -> Result<f64, Skip> {
        let ratio = self.measured / self.predicted(logarithms)?;
        if !(ratio.is_finite() && ratio > 0.0) {
            return Err(Skip::Defect("measured and predicted values must be above zero"));
        }
        let logarithm = libm::log(ratio);
        Ok(if self.quantity.as_time() == self.quantity { logarithm } else { -logarithm })
    }
}
