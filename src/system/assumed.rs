//! An assumption set with corrections, and the constants that it gives a device.

use super::assumption_set::AssumptionSet;
use super::assumptions::Assumptions;
use super::corrections::{Corrections, MeasuredOn};
use super::host;
use super::host_memory;
use super::issue::Issue;
use super::library::KernelLibrary;
use super::link_constants::{LinkConstants, PcieConstants, SwitchConstants};
use super::measured_device::{self, Measured};
use super::scan::ScanTable;
use super::sustained::SustainedConstants;
use crate::catalog::Accelerator;
use crate::units::{Bytes, Seconds};

/// The constants that an estimate uses: an assumption set and corrections to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumed {
    /// The assumption set.
    pub set: AssumptionSet,
    /// Corrections. They apply to calibrated constants only, since no other set is fitted to measurements.
    pub corrections: Corrections,
    /// The device that the corrections were measured on, and the only one that they apply to.
    pub measured_on: MeasuredOn,
    /// The library of multiplies.
    pub library: KernelLibrary,
}

impl From<AssumptionSet> for Assumed {
    fn from(set: AssumptionSet) -> Self {
        Self {
            set,
            corrections: Corrections::NONE,
            measured_on: MeasuredOn::Any,
            library: KernelLibrary::default(),
        }
    }
}

impl Assumed {
    /// The same constants without corrections.
    #[must_use]
    pub fn uncorrected(self) -> Self {
        Self { corrections: Corrections::NONE, ..self }
    }

    /// The corrections that apply to a device: none unless the set is the calibrated one and they were measured on the
    /// device.
    pub fn corrections_of(&self, accelerator: &Accelerator) -> Corrections {
        let apply = self.set == AssumptionSet::Calibrated && self.measured_on.covers(accelerator);
        if apply { self.corrections } else { Corrections::NONE }
    }
}

impl Assumptions {
    /// The constants of a set for one device; calibrated ones with the profile's corrections.
    pub fn of(assumed: impl Into<Assumed>, accelerator: &Accelerator) -> Self {
        let assumed = assumed.into();
        let mut assumptions = Self::ideal();
        match assumed.set {
            AssumptionSet::Ideal => {}
            AssumptionSet::Subramanian2024 => assumptions.subramanian(),
            AssumptionSet::Kundu2024 => assumptions.kundu(accelerator),
            AssumptionSet::Calibrated => assumptions.calibrate(accelerator, Measured::All, assumed.library),
        }
        assumptions.corrected(assumed.corrections_of(accelerator))
    }

    /// The calibrated constants that a device would have if only these devices had been measured: those of the nearest, and
    /// the median sustained clock over all generations. They give the estimate for devices without a fit.
    pub fn unmeasured(accelerator: &Accelerator, measured: Measured, library: KernelLibrary) -> Self {
        let mut assumptions = Self::ideal();
        assumptions.calibrate(accelerator, measured, library);
        assumptions.sustained = SustainedConstants::unmeasured(accelerator);
        assumptions
    }

    fn calibrate(&mut self, accelerator: &Accelerator, measured: Measured, library: KernelLibrary) {
        self.reserve = RESERVE;
        self.host = host::share(accelerator);
        self.host_memory = host_memory::SUSTAINED;
        self.links.switch = SwitchConstants::nccl(accelerator);
        self.links.pcie = PcieConstants::of(accelerator);
        self.issue = Issue::of(accelerator);
        self.sustained = SustainedConstants::of(accelerator);
        self.scan = ScanTable::measured(accelerator);
        measured_device::apply(self, accelerator, measured, library);
        self.links.exchange = self.links.exchange.deep_ep();
    }

    /// Links of arXiv 2410.00273: 0.7 of both bandwidths, 2.5 and 5 microseconds per hop (the authors' systems/*.json).
    /// Its kernels have no constants that differ by sort.
    fn subramanian(&mut self) {
        let LinkConstants { scale_up, scale_out, .. } = &mut self.links;
        (scale_up.efficiency, scale_up.step) = (0.7, Seconds::from_micros(2.5));
        (scale_out.efficiency, scale_out.hop) = (0.7, Seconds::from_micros(5.0));
    }
}

/// CUDA context, library workspaces and NCCL buffers: about what `nvidia-smi` shows before the first tensor of
/// a multi-GPU job (1 to 2 GiB on A100 and H100).
const RESERVE: Bytes = Bytes::from_gib(1.5);
