//! Calibration profile: corrections fitted to a visitor's measured rows. Published constants are unchanged.

use serde::{Deserialize, Serialize};

use super::{Problem, Scenario, View};
use crate::catalog;
use crate::system::{Assumed, AssumptionSet, Corrections, KernelLibrary, MeasuredOn};
use crate::words::Word;

/// Factors on calibrated constants, and the spread of measured values about predictions with these factors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Name of the profile; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Id of the device that the rows were measured on, and the only one that the profile applies to. Empty: all devices.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gpu: String,
    /// The software of the rows: words of serving engines and frameworks, separated by commas. The factors on host time
    /// and step overhead and the spreads apply to these only. Empty: all software.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub software: String,
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
            gpu: String::new(),
            software: String::new(),
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

    /// The corrections of a question with this software: none if the profile is off.
    fn corrections(&self, software: &str) -> Corrections {
        let Self { kernels, host, links, starts, step, .. } = *self;
        match (self.off, self.has_rows_of(software)) {
            (true, _) => Corrections::NONE,
            (false, true) => Corrections { kernels, host, links, starts, step },
            (false, false) => Corrections { kernels, host: 1.0, links, starts, step: 1.0 },
        }
    }

    /// Returns true if rows of this software were fitted, or if the profile doesn't name the software.
    fn has_rows_of(&self, software: &str) -> bool {
        self.software.is_empty() || self.software.split(',').any(|known| known == software)
    }

    /// The device that the profile was measured on.
    fn measured_on(&self) -> MeasuredOn {
        if self.gpu.is_empty() { MeasuredOn::Any } else { MeasuredOn::device(&self.gpu) }
    }

    /// Names the profile and what it was fitted to, e.g. `The calibration profile lab, fitted to 3 rows of H100 SXM`.
    pub fn described(&self) -> String {
        let Self { name, rows, .. } = self;
        let whose = if name.is_empty() {
            "A calibration profile".to_owned()
        } else {
            format!("The calibration profile {name}")
        };
        let device = self.device_name().map_or_else(String::new, |device| format!(" of {device}"));
        match rows {
            0 => format!("{whose}{device}"),
            1 => format!("{whose}, fitted to one measured row{device}"),
            rows => format!("{whose}, fitted to {rows} measured rows{device}"),
        }
    }

    /// Name of the device that the profile applies to; `None` if it applies to all.
    fn device_name(&self) -> Option<&str> {
        let id = self.gpu.as_str();
        (!id.is_empty()).then(|| catalog::accelerator(id).map_or(id, |device| &device.name))
    }
}

/// The factors other than 1, e.g. `kernel time 1.1×, host time 0.9×`.
fn factors(corrections: Corrections) -> String {
    let names = ["kernel time", "host time", "link bandwidth", "collective start", "step overhead"];
    let others =
        names.into_iter().zip(corrections.factors()).filter(|(_, factor)| (factor - 1.0).abs() > 0.0);
    others.map(|(name, factor)| format!("{name} {factor}×")).collect::<Vec<_>>().join(", ")
}

impl Scenario {
    /// The constants that estimates use: an assumption set, and the profile's corrections to it.
    pub fn assumed(&self) -> Assumed {
        if self.serves() { self.assumed_serving() } else { self.assumed_training() }
    }

    /// The constants that estimates of training use.
    pub(super) fn assumed_training(&self) -> Assumed {
        self.assumed_with(self.recipe.framework.word())
    }

    /// The constants that estimates of serving use: multiplies are those of the engine's library.
    pub(super) fn assumed_serving(&self) -> Assumed {
        let engine = self.inference.engine;
        Assumed { library: engine.multiplies_by(), ..self.assumed_with(engine.product().word()) }
    }

    fn assumed_with(&self, software: &str) -> Assumed {
        Assumed {
            set: self.assumptions,
            corrections: self.profile.corrections(software),
            measured_on: self.profile.measured_on(),
            library: KernelLibrary::default(),
        }
    }

    /// The corrections that apply to this question's own device.
    pub(crate) fn corrections(&self) -> Result<Corrections, Problem> {
        self.system.device().map(|device| self.assumed().corrections_of(device))
    }

    /// Returns true if the profile corrects constants of this question's own device.
    pub fn is_corrected(&self) -> bool {
        self.corrections().is_ok_and(|corrections| corrections != Corrections::NONE)
    }

    /// States which corrections the profile applies, or why none, in a sentence without a full stop. `None` without a
    /// profile, if it is off, and under assumption sets to which it does not apply.
    pub fn profile_sentence(&self) -> Option<String> {
        let Self { profile, .. } = self;
        let Assumed { set, corrections, measured_on, .. } = self.assumed();
        if profile.is_empty() || profile.off || set != AssumptionSet::Calibrated {
            return None;
        }
        let described = profile.described();
        let compares = matches!(self.view, View::Sizing | View::Generations);
        let own = self.system.device().is_ok_and(|device| measured_on.covers(device));
        Some(if !own && !compares {
            let device = self.system.device().map_or("this device", |device| &device.name);
            format!("{described}, is not applied to {device}")
        } else if corrections == Corrections::NONE {
            format!("{described}, changes no constant here")
        } else {
            let whose = if profile.gpu.is_empty() {
                "the calibrated constants"
            } else {
                "the constants of that device"
            };
            format!("{described}, corrects {whose}: {}", factors(corrections))
        })
    }

    /// Returns true if the profile's spreads hold for this question: its rows are of the same device and software.
    pub(crate) fn is_like_the_profiles_rows(&self) -> bool {
        let applies = !self.profile.off && self.assumptions == AssumptionSet::Calibrated;
        let here = || self.system.device().is_ok_and(|device| self.profile.measured_on().covers(device));
        applies && self.profile.has_rows_of(self.software_word()) && here()
    }
}
