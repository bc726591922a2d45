//! A visitor's own calibration: corrections that were fitted to measured rows, apart from published constants.

use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::system::{Assumed, AssumptionSet, Corrections};

/// Corrections of calibrated constants, how far measured values still lie from predictions under them, and what the profile
/// is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// What it is called; empty where it has no name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Factor on the time of kernels.
    pub kernels: f64,
    /// Factor on the host's times.
    pub host: f64,
    /// Factor on the bandwidth that links between GPUs reach.
    pub links: f64,
    /// Factor on what collectives take beyond their bytes.
    pub starts: f64,
    /// Factor on what software adds once per step or request.
    pub step: f64,
    /// Standard deviation of log(measured / predicted) of training steps under it; 0 where no row said.
    pub step_spread: f64,
    /// The same of times to the first token.
    pub ttft_spread: f64,
    /// The same of times per output token.
    pub tpot_spread: f64,
    /// The same of request latencies.
    pub latency_spread: f64,
    /// Measured rows that it was fitted to.
    pub rows: u32,
    /// True if it is kept but not used.
    pub off: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self::of(Corrections::NONE)
    }
}

impl Profile {
    /// A profile of these corrections, without a name.
    pub const fn of(Corrections { kernels, host, links, starts, step }: Corrections) -> Self {
        Self {
            name: String::new(),
            kernels,
            host,
            links,
            starts,
            step,
            step_spread: 0.0,
            ttft_spread: 0.0,
            tpot_spread: 0.0,
            latency_spread: 0.0,
            rows: 0,
            off: false,
        }
    }

    /// Returns true if it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The corrections in use: none where it is off.
    pub const fn corrections(&self) -> Corrections {
        let Self { kernels, host, links, starts, step, .. } = *self;
        if self.off { Corrections::NONE } else { Corrections { kernels, host, links, starts, step } }
    }

    /// That it is applied, in a sentence without a full stop.
    pub fn sentence(&self) -> String {
        let Self { name, rows, .. } = self;
        let whose = if name.is_empty() {
            "A calibration profile".to_owned()
        } else {
            format!("The calibration profile {name}")
        };
        let of = match rows {
            0 => String::new(),
            1 => ", fitted to one measured row,".to_owned(),
            rows => format!(", fitted to {rows} measured rows,"),
        };
        format!("{whose}{of} is applied to calibrated constants")
    }

    /// Its factors other than 1, e.g. `kernel time ×1.1, host time ×0.9`.
    pub fn factors(&self) -> String {
        let all = [
            ("kernel time", self.kernels),
            ("host time", self.host),
            ("link bandwidth", self.links),
            ("collective start", self.starts),
            ("step overhead", self.step),
        ];
        let others = all.into_iter().filter(|(_, factor)| (factor - 1.0).abs() > 0.0);
        others.map(|(name, factor)| format!("{name} ×{factor}")).collect::<Vec<_>>().join(", ")
    }
}

impl Scenario {
    /// What estimates rest on: the set of constants and, where it is the calibrated one, the profile's corrections.
    pub const fn assumed(&self) -> Assumed {
        Assumed { set: self.assumptions, corrections: self.profile.corrections() }
    }

    /// The profile, if it changes predictions.
    pub fn profile_in_use(&self) -> Option<&Profile> {
        let used =
            self.assumptions == AssumptionSet::Calibrated && self.profile.corrections() != Corrections::NONE;
        used.then_some(&self.profile)
    }
}
