//! A prediction with its measurement.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Case, Quantity, Replaced, Skip};

/// A prediction with its measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<'a> {
    /// The row.
    pub case: &'a Case,
    /// Measured quantity.
    pub quantity: Quantity,
    /// Published value, in the quantity's unit.
    pub measured: f64,
    /// Predicted value, in the same unit.
    pub predicted: Result<f64, Skip>,
}

impl Case {
    /// Predictions of each measured quantity.
    pub fn outcomes(&self) -> Vec<Outcome<'_>> {
        self.outcomes_with(&Replaced::default())
    }

    /// Predictions against measurements with other constants in place of those of the row's software and device.
    pub fn outcomes_with(&self, replaced: &Replaced) -> Vec<Outcome<'_>> {
        let question = self.question.as_ref().map_err(Clone::clone);
        let answer = question.and_then(|question| question.answer(replaced));
        let predicted = |quantity: Quantity| match &answer {
            Ok(answer) => {
                let absent = || Skip::NotModelled(quantity.name().to_owned());
                quantity.of(answer).ok_or_else(absent)
            }
            Err(skip) => Err(skip.clone()),
        };
        self.measured
            .iter()
            .map(|&(quantity, measured)| Outcome {
                case: self,
                quantity,
                measured,
                predicted: predicted(quantity),
            })
            .collect()
    }
}

impl Outcome<'_> {
    /// Prediction over measurement, minus one.
    pub fn error(&self) -> Option<f64> {
        self.predicted.as_ref().ok().map(|predicted| predicted / self.measured - 1.0)
    }
}

impl Serialize for Outcome<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.case.id)?;
        map.serialize_entry("source", &self.case.source)?;
        map.serialize_entry("device", &self.case.device)?;
        map.serialize_entry("model", &self.case.model)?;
        map.serialize_entry("precision", &self.case.precision)?;
        map.serialize_entry("tier", self.case.tier.name())?;
        map.serialize_entry("quantity", self.quantity.name())?;
        map.serialize_entry("measured", &self.measured)?;
        match &self.predicted {
            Ok(predicted) => map.serialize_entry("predicted", predicted)?,
            Err(skip) => map.serialize_entry("skipped", &skip.to_string())?,
        }
        map.serialize_entry("used_in_fit", &self.case.used_in_fit)?;
        map.end()
    }
}
