//! Prior of a calibration, estimated from published measurements: the spread of corrections over machines, and the
//! scatter of rows about corrected predictions.

use super::{Correction, Row, TimeKind, Vector};
use crate::inference::Engine;
use crate::scenario::{Scenario, View};
use crate::system::calibration::calibration_for;
use crate::training::Framework;

/// Written by `make profiles`. Columns: level, correction or kind of time, scale or standard deviation of the logarithm.
const TABLE: &str = include_str!("priors.csv");

/// Provenance of the constants that apply to a row's software and device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Constants were fitted on both the software and the device.
    Home,
    /// The software, the device or both use constants that were fitted on another.
    Abroad,
}

impl Level {
    /// Name in `priors.csv` and `factors.csv`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Abroad => "abroad",
        }
    }

    /// The level of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let measured = |device: crate::catalog::Accelerator| {
            calibration_for(&device).is_some_and(|calibration| calibration.device == device.id)
        };
        let device = scenario.system.accelerator().is_ok_and(measured);
        let software = match scenario.view {
            View::Inference => !matches!(scenario.inference.engine, Engine::None | Engine::Typical),
            _ => Framework::MEASURED.contains(&scenario.recipe.framework),
        };
        if device && software { Self::Home } else { Self::Abroad }
    }
}

/// Degrees of freedom of the corrections' prior, a Student t-distribution about 1. Most systems are close to the calibrated
/// one and a few are far from it, which a normal prior would hold back. Usual values are 3 to 5.
pub(super) const FREEDOM: f64 = 4.0;

/// Half-width of the central 68 % interval of a t-distribution with four degrees of freedom, in scales.
pub const SIXTY_EIGHT: f64 = 1.142;

/// Distributions of logarithms before a visitor's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Scales of the corrections' t-distributions.
    pub corrections: Vector,
    /// Standard deviations of log(measured / predicted) after a machine's own corrections, by kind of time.
    pub scatter: [f64; TimeKind::ALL.len()],
}

impl Prior {
    /// The prior estimated from published rows at a level.
    pub fn of(level: Level) -> Self {
        let of = |name: &str| {
            TABLE.lines().find_map(|line| {
                let mut cells = line.split(',');
                let found = cells.next() == Some(level.id()) && cells.next() == Some(name);
                cells.next().filter(|_| found)?.parse().ok()
            })
        };
        Self {
            corrections: Correction::ALL.map(|correction| of(correction.id()).unwrap_or(0.2)),
            scatter: TimeKind::ALL.map(|kind| of(kind.id()).unwrap_or(0.2)),
        }
    }

    /// The prior for a set of rows: the wider one if any row is [`Level::Abroad`].
    pub(super) fn of_rows(rows: &[Row]) -> Self {
        let level = rows.iter().map(|row| Level::of(&row.scenario)).max();
        Self::of(level.unwrap_or(Level::Home))
    }

    /// The prior as lines of `priors.csv`.
    pub fn lines(&self, level: Level) -> String {
        let corrections = Correction::ALL.map(Correction::id).into_iter().zip(self.corrections);
        let scatter = TimeKind::ALL.map(TimeKind::id).into_iter().zip(self.scatter);
        let line = |(name, deviation)| format!("{},{name},{deviation:.3}\n", level.id());
        corrections.chain(scatter).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_deviation() {
        for level in [Level::Home, Level::Abroad] {
            let prior = Prior::of(level);
            for line in prior.lines(level).lines() {
                assert!(TABLE.lines().any(|known| known == line), "{line}");
            }
        }
    }
}
