//! A measured value and its scenario, as the input of a calibration.

use super::{COUNT, TimeKind, Vector};
use crate::scenario::{Profile, Scenario, View};
use crate::system::Corrections;
use crate::validation::{Predicted, Quantity, Replaced, Skip};

/// A measured row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the run for display. Values of one run have one name, and leave-one-out leaves them out together.
    pub name: String,
    /// The scenario that was measured. Its own profile is ignored.
    pub scenario: Scenario,
    /// The measured quantity.
    pub quantity: Quantity,
    /// The measured value, in the quantity's unit.
    pub measured: f64,
    /// Constants that replace those of the row's software and device, for leave-out validation; otherwise empty.
    pub replaced: Replaced,
}

impl Row {
    /// Id of the device that was measured.
    pub(super) fn device(&self) -> Option<String> {
        self.scenario.system.accelerator().ok().map(|device| device.id)
    }

    /// Returns true if the prediction simulates the run's requests one by one.
    pub(super) fn is_simulated(&self) -> bool {
        self.scenario.view == View::Inference && self.scenario.inference.requests > 0
    }

    /// Returns true if both rows have values of one run, which one prediction gives.
    pub(super) fn is_of_run(&self, other: &Self) -> bool {
        self.name == other.name && self.replaced == other.replaced && self.scenario == other.scenario
    }

    /// The model's answer under corrections given by their logarithms.
    pub(super) fn answer(&self, logarithms: &Vector) -> Result<Predicted, Skip> {
        let mut scenario = self.scenario.clone();
        scenario.profile = Profile::of(Corrections::of(logarithms.map(libm::exp)));
        Predicted::of(&scenario, &self.replaced)
    }

    /// The predicted value, in the quantity's unit, under corrections given by their logarithms.
    pub fn predicted(&self, logarithms: &Vector) -> Result<f64, Skip> {
        self.answer(logarithms)?.value(self.quantity)
    }

    /// The measured value in words, if it is a rate instead of a time.
    pub fn rate(&self) -> Option<String> {
        (self.quantity.as_time() != self.quantity).then(|| self.quantity.stated(self.measured))
    }

    /// The time that the row measures or is the rate of: measured and predicted without corrections, in the unit of this
    /// kind of time.
    pub fn times(&self) -> Result<(f64, f64), Skip> {
        let skip = || Skip::NotModelled(self.quantity.name().to_owned());
        let quantity = TimeKind::of(self.quantity).ok_or_else(skip)?.quantity();
        let predicted = Self { quantity, ..self.clone() }.predicted(&[0.0; COUNT])?;
        Ok((predicted * libm::exp(self.residual(&[0.0; COUNT])?), predicted))
    }

    /// log(measured / predicted) as times: a rate counts as the inverse of a time. `logarithms` are those of the
    /// corrections.
    pub fn residual(&self, logarithms: &Vector) -> Result<f64, Skip> {
        self.residual_in(&self.answer(logarithms)?)
    }

    /// log(measured / predicted) in an answer to the row's scenario, as times.
    pub(super) fn residual_in(&self, answer: &Predicted) -> Result<f64, Skip> {
        let ratio = self.measured / answer.value(self.quantity)?;
        if !(ratio.is_finite() && ratio > 0.0) {
            return Err(Skip::Defect("measured and predicted values must be above zero"));
        }
        let logarithm = libm::log(ratio);
        Ok(if self.quantity.as_time() == self.quantity { logarithm } else { -logarithm })
    }
}
