//! Calibration profile: corrections fitted to a visitor's measured rows. Published constants are unchanged.

use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::system::{Assumed, AssumptionSet, Corrections};

/// Factors on calibrated constants, and the spread of measured values about predictions with these factors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Name of the profile; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Factor on the time of compute kernels.
    pub kernels: f64,
    /// Factor on host time.
    pub host: f64,
    /// Factor on the achieved bandwidth of links between GPUs.
    pub links: f64,
    /// Factor on the time of collectives that does not depend on message size.
    pub starts: f64,
    /// Factor on the software overhead per training step or served request.
    pub step: f64,
    /// Standard deviation of log(measured / predicted) of training step times under the profile; 0 if no fitted row has
    /// one.
    pub step_spread: f64,
    /// Standard deviation of log(measured / predicted) of TTFT; 0 if no fitted row has one.
    pub ttft_spread: f64,
    /// Standard deviation of log(measured / predicted) of TPOT; 0 if no fitted row has one.
    pub tpot_spread: f64,
    /// Standard deviation of log(measured / predicted) of request latency; 0 if no fitted row has one.
    pub latency_spread: f64,
    /// Number of rows that the profile was fitted to.
    pub rows: u32,
    /// True if the profile is kept but not applied.
    pub off: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self::of(Corrections::NONE)
    }
}

impl Profile {
    /// An unnamed profile with these corrections.
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

    /// Returns true if the profile has its default values.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The corrections to apply: none if the profile is off.
    pub const fn corrections(&self) -> Corrections {
        let Self { kernels, host, links, starts, step, .. } = *self;
        if self.off { Corrections::NONE } else { Corrections { kernels, host, links, starts, step } }
    }

    /// States that the profile is applied, in a sentence without a full stop.
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
        format!("{whose}{of} corrects the calibrated constants")
    }

    /// The factors other than 1, e.g. `kernel time ×1.1, host time ×0.9`.
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
    /// The constants that estimates use: an assumption set, and the profile's corrections to it.
    pub const fn assumed(&self) -> Assumed {
        Assumed { set: self.assumptions, corrections: self.profile.corrections() }
    }

    /// The profile, if it affects predictions.
    pub fn profile_in_use(&self) -> Option<&Profile> {
        let used =
            self.assumptions == AssumptionSet::Calibrated && self.profile.corrections() != Corrections::NONE;
        used.then_some(&self.profile)
    }
}
