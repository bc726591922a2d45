//! How far corrections and rows lie from the calibrated machine before anything was measured.

use super::{Correction, Row, Vector};
use crate::inference::Engine;
use crate::scenario::{Profile, Scenario, View};
use crate::system::calibration::calibration_for;
use crate::training::Framework;
use crate::validation::Quantity;

/// Written by `make profiles`: level, correction or topic, standard deviation of its logarithm.
const TABLE: &str = include_str!("priors.csv");

/// What is known of the software and the device that a row ran on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Constants were fitted on both.
    Home,
    /// Those of one of them, or of both, are another's.
    Abroad,
}

impl Level {
    /// Its name in the table.
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

/// A quantity as far as the scatter of its rows is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Training steps.
    Step,
    /// Times to the first token.
    Ttft,
    /// Times per output token.
    Tpot,
    /// Whole requests.
    Latency,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Step, Self::Ttft, Self::Tpot, Self::Latency];

    /// The topic of a quantity; none of memory and of single kernels, which no correction is about.
    pub const fn of(quantity: Quantity) -> Option<Self> {
        match quantity.as_time() {
            Quantity::IterTime => Some(Self::Step),
            Quantity::Ttft => Some(Self::Ttft),
            Quantity::Tpot | Quantity::DecodePerToken => Some(Self::Tpot),
            Quantity::RequestLatency => Some(Self::Latency),
            _ => None,
        }
    }

    /// The time that it is about.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Step => Quantity::IterTime,
            Self::Ttft => Quantity::Ttft,
            Self::Tpot => Quantity::Tpot,
            Self::Latency => Quantity::RequestLatency,
        }
    }

    /// Its name in the table.
    pub const fn id(self) -> &'static str {
        self.quantity().name()
    }

    /// Where a profile keeps the spread of its rows about their predictions.
    pub(super) const fn spread(self, profile: &mut Profile) -> &mut f64 {
        match self {
            Self::Step => &mut profile.step_spread,
            Self::Ttft => &mut profile.ttft_spread,
            Self::Tpot => &mut profile.tpot_spread,
            Self::Latency => &mut profile.latency_spread,
        }
    }
}

/// Standard deviations of logarithms before any row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Of the corrections.
    pub corrections: Vector,
    /// Of rows about the prediction with their machine's own corrections, by topic.
    pub scatter: [f64; Topic::ALL.len()],
}

impl Prior {
    /// The prior of published rows at a level.
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
            scatter: Topic::ALL.map(|topic| of(topic.id()).unwrap_or(0.2)),
        }
    }

    /// The prior of rows: that of the one of which least is known.
    pub(super) fn of_rows(rows: &[&Row]) -> Self {
        let level = rows.iter().map(|row| Level::of(&row.scenario)).max();
        Self::of(level.unwrap_or(Level::Home))
    }

    /// As lines of the table.
    pub fn lines(&self, level: Level) -> String {
        let corrections = Correction::ALL.map(Correction::id).into_iter().zip(self.corrections);
        let scatter = Topic::ALL.map(Topic::id).into_iter().zip(self.scatter);
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
