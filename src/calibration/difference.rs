//! Attributes the difference between one measured row and its prediction to the corrections that most probably cause
//! it.

use super::fit::fit_by;
use super::{
    COUNT, CalibrationError, Correction, EIGHT_OF_TEN, Level, Prior, Row, TimeKind, Vector,
    estimate_with_scatter,
};
use crate::generations::shapley::contributions;
use crate::system::Corrections;
use crate::units::Seconds;
use crate::validation::Skip;

/// Smallest effect of a cause: a correction that changes the logarithm of the time by less on its own is treated as 1.
const LEAST: f64 = 1e-3;

/// The difference between a measured and a predicted time, as factors that multiply to measured / predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The measured quantity.
    pub kind: TimeKind,
    /// The predicted time without corrections.
    pub predicted: Seconds,
    /// The measured time; for a rate, the equivalent time.
    pub measured: Seconds,
    /// The measured rate that the time follows from; `None` if the time itself was measured.
    pub rate: Option<String>,
    /// The most probable corrections for this row alone.
    pub corrections: Corrections,
    /// Corrections that differ from 1 at the most probable point, largest effect first.
    pub causes: Vec<Cause>,
    /// Measured / corrected time: the scatter that no correction explains.
    pub scatter: f64,
    /// Scatter s such that 80 % of published rows lie between 1/s and s.
    pub usual_scatter: f64,
}

/// One correction as a cause of the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// The correction.
    pub correction: Correction,
    /// Most probable value of the correction.
    pub value: f64,
    /// Factor on the predicted time: the geometric mean over all orders in which the corrections can be applied.
    pub factor: f64,
    /// Least factor over all orders.
    pub least: f64,
    /// Greatest factor over all orders.
    pub most: f64,
}

impl Difference {
    /// Explains the difference of a row by the most probable corrections for this row alone.
    pub fn of(row: &Row) -> Result<Self, CalibrationError> {
        let prior = Prior::of(Level::of(&row.scenario));
        // With the scatter estimated from the one row too, two explanations would be equally consistent: by corrections, and by
        // a large scatter. With the scatter of published rows the most probable point is unique.
        let found = fit_by(&prior, std::slice::from_ref(row), estimate_with_scatter)?;
        let skipped = |skip: Skip| CalibrationError::NoRow(vec![(0, skip)]);
        let unknown = || skipped(Skip::NotModelled(row.quantity.name().to_owned()));
        let kind = TimeKind::of(row.quantity).ok_or_else(unknown)?;
        let factors = found.corrections.factors();
        // Logarithm of the predicted time with a subset of the corrections applied, up to a constant.
        let value = |places: &[usize]| {
            let mut point: Vector = [0.0; COUNT];
            for place in places {
                point[*place] = libm::log(factors[*place]);
            }
            row.residual(&point).map(|residual| -residual).map_err(skipped)
        };
        let plain = value(&[])?;
        let mut changed = Vec::with_capacity(COUNT);
        for place in 0..COUNT {
            if (value(&[place])? - plain).abs() > LEAST {
                changed.push(place);
            }
        }
        let mut values = Vec::with_capacity(1 << changed.len());
        for coalition in 0..1_usize << changed.len() {
            let members = changed.iter().enumerate().filter(|(bit, _)| coalition & (1 << bit) != 0);
            values.push(value(&members.map(|(_, place)| *place).collect::<Vec<usize>>())?);
        }
        let mut causes: Vec<Cause> = changed
            .into_iter()
            .zip(contributions(&values))
            .map(|(place, contribution)| Cause {
                correction: Correction::ALL[place],
                value: factors[place],
                factor: libm::exp(contribution.mean),
                least: libm::exp(contribution.least),
                most: libm::exp(contribution.most),
            })
            .collect();
        crate::order::sort(&mut causes, |a, b| {
            libm::log(b.factor).abs().total_cmp(&libm::log(a.factor).abs())
        });
        let (measured, predicted) = row.times().map_err(skipped)?;
        let after = values.last().copied().unwrap_or_default();
        Ok(Self {
            kind,
            predicted: kind.seconds(predicted),
            measured: kind.seconds(measured),
            rate: row.rate(),
            corrections: found.corrections,
            causes,
            scatter: libm::exp(-after),
            usual_scatter: libm::exp(EIGHT_OF_TEN * prior.scatter[kind as usize]),
        })
    }

    /// Predicted time with all corrections applied.
    pub fn corrected(&self) -> Seconds {
        self.measured / self.scatter
    }

    /// Measured / predicted time, without corrections.
    pub fn whole(&self) -> f64 {
        self.measured / self.predicted
    }
}

impl TimeKind {
    /// Converts a measured value to a time. Step times are in s in files of measurements, other times in ms.
    pub const fn seconds(self, value: f64) -> Seconds {
        match self {
            Self::Step => Seconds::new(value),
            Self::Ttft | Self::Tpot | Self::Latency => Seconds::from_micros(value * 1e3),
        }
    }
}
