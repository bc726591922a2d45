//! Shares of a time by the resource that limits it.

use serde::Serialize;

use crate::system::{Bound, Cost, Group};
use crate::units::Seconds;

/// A resource that limits an operator's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// Matrix and vector units.
    Compute,
    /// Matrix and vector units of a die whose clock is limited by its power budget instead of its area.
    Power,
    /// DRAM bandwidth.
    Dram,
    /// L2 bandwidth.
    L2,
    /// Links inside a scale-up domain.
    ScaleUp,
    /// Links between domains.
    ScaleOut,
    /// Other pipeline stages.
    Pipeline,
    /// Kernel launches.
    Launch,
}

impl Binding {
    /// All resources, in the order in which they are stacked.
    pub const ALL: [Self; 8] = [
        Self::Compute,
        Self::Power,
        Self::Dram,
        Self::L2,
        Self::ScaleUp,
        Self::ScaleOut,
        Self::Pipeline,
        Self::Launch,
    ];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "Compute",
            Self::Power => "Power",
            Self::Dram => "DRAM",
            Self::L2 => "L2",
            Self::ScaleUp => "Scale-up links",
            Self::ScaleOut => "Scale-out links",
            Self::Pipeline => "Pipeline bubble",
            Self::Launch => "Launch",
        }
    }
}

impl Binding {
    /// The resource that limits an operator; for a collective the slowest links that its group spans.
    pub(crate) fn of(cost: &Cost, group: Group) -> Self {
        match cost.bound {
            Bound::Compute => Self::Compute,
            Bound::Dram => Self::Dram,
            Bound::L2 => Self::L2,
            Bound::Network => Self::over(group),
            Bound::Launch => Self::Launch,
        }
    }

    /// The slowest links that a group spans.
    pub(crate) fn over(group: Group) -> Self {
        if group.domains() > 1 { Self::ScaleOut } else { Self::ScaleUp }
    }
}

/// Fractions of a time by limiting resource; they sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Shares([f64; Binding::ALL.len()]);

impl Shares {
    /// The fraction of the time that this resource limits.
    pub fn get(&self, binding: Binding) -> f64 {
        self.0[binding as usize]
    }

    /// Each resource with its fraction, in the order of [`Binding::ALL`].
    pub fn parts(&self) -> impl Iterator<Item = (Binding, f64)> {
        Binding::ALL.into_iter().zip(self.0)
    }

    /// The resource with the largest fraction.
    pub fn largest(&self) -> Binding {
        self.parts().fold((Binding::Compute, 0.0), |most, next| if next.1 > most.1 { next } else { most }).0
    }

    /// The shares with compute time counted as limited by power.
    #[must_use]
    pub fn limited_by_power(mut self) -> Self {
        self.0[Binding::Power as usize] += std::mem::take(&mut self.0[Binding::Compute as usize]);
        self
    }

    /// Adds a time that a resource limits, before normalisation.
    pub(crate) fn add(&mut self, binding: Binding, time: Seconds) {
        self.0[binding as usize] += time.get();
    }

    /// Sum over all resources: 1, or a time in seconds before normalisation.
    pub(crate) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Every entry times a factor.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        for share in &mut self.0 {
            *share *= factor;
        }
        self
    }

    /// Shares of the sum of two times, each weighted by its length.
    pub(crate) fn weighted(&self, time: Seconds, other: &Self, other_time: Seconds) -> Self {
        let mut both = self.scaled(time.get());
        for (binding, share) in other.parts() {
            both.add(binding, other_time * share);
        }
        both.normalised()
    }

    /// Entries as fractions of their sum; unchanged if the sum is 0.
    pub(crate) fn normalised(self) -> Self {
        let sum = self.sum();
        if sum > 0.0 { self.scaled(1.0 / sum) } else { self }
    }
}
