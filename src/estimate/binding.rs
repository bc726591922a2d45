//! What a workload waits for: shares of its time by the resource that binds.

use serde::Serialize;

use super::inference::{InferenceJob, Phase};
use super::training::TrainingJob;
use crate::system::{Bound, Cost, Group};
use crate::units::Seconds;

/// Something that time is spent waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// Matrix and vector units.
    Compute,
    /// The same where the power budget, not the area, keeps them from being faster.
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
    /// Starting kernels.
    Launch,
}

impl Binding {
    /// All of them, in the order in which they are stacked.
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

    /// As it is shown.
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

/// Fractions of a time by what binds, which sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Shares([f64; Binding::ALL.len()]);

impl Shares {
    /// One share.
    pub fn get(&self, binding: Binding) -> f64 {
        self.0[binding as usize]
    }

    /// Each binding with its share.
    pub fn parts(&self) -> impl Iterator<Item = (Binding, f64)> {
        Binding::ALL.into_iter().zip(self.0)
    }

    /// What binds most of the time.
    pub fn largest(&self) -> Binding {
        self.parts().fold((Binding::Compute, 0.0), |most, next| if next.1 > most.1 { next } else { most }).0
    }

    /// The same shares where compute waits for power.
    #[must_use]
    pub fn limited_by_power(mut self) -> Self {
        self.0[Binding::Power as usize] += std::mem::take(&mut self.0[Binding::Compute as usize]);
        self
    }

    fn add(&mut self, binding: Binding, time: Seconds) {
        self.0[binding as usize] += time.get();
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    fn scaled(mut self, factor: f64) -> Self {
        for share in &mut self.0 {
            *share *= factor;
        }
        self
    }

    /// The shares of two times together.
    pub(super) fn weighted(&self, time: Seconds, other: &Self, other_time: Seconds) -> Self {
        let mut both = self.scaled(time.get());
        for (binding, share) in other.parts() {
            both.add(binding, other_time * share);
        }
        both.normalised()
    }

    fn normalised(self) -> Self {
        let sum = self.sum();
        if sum > 0.0 { self.scaled(1.0 / sum) } else { self }
    }
}

/// What an operator waits for; a collective for the links that its group spans.
fn of(cost: &Cost, group: Group) -> Binding {
    match cost.bound {
        Bound::Compute => Binding::Compute,
        Bound::Dram => Binding::Dram,
        Bound::L2 => Binding::L2,
        Bound::Network => over(group),
        Bound::Launch => Binding::Launch,
    }
}

fn over(group: Group) -> Binding {
    if group.domains() > 1 { Binding::ScaleOut } else { Binding::ScaleUp }
}

impl TrainingJob<'_> {
    /// Shares of a step by what binds. An operator counts whole for what binds it.
    pub fn binding(&self) -> Shares {
        let estimate = self.estimate();
        let domain = self.system.network.domain;
        let group = |size, stride| Group::strided(size, stride, domain);
        let (tensor, replicas) = (self.plan.tensor, self.data_parallel());
        let mut apart = Shares::default();
        for term in &estimate.terms {
            let binding = match term.id {
                "bubble" => Binding::Pipeline,
                "pipeline" => over(group(self.plan.pipeline, tensor * self.plan.context * replicas)),
                "data_parallel" => over(group(replicas, tensor * self.plan.context)),
                "optimizer" => Binding::Dram,
                "host" | "framework" => Binding::Launch,
                _ => continue,
            };
            apart.add(binding, term.time);
        }
        let mut operators = Shares::default();
        for row in &estimate.operators {
            operators.add(of(&row.cost, group(tensor, 1)), row.cost.time * row.count);
        }
        // The embedding and the head are recorded once each and count for the slower: hence in proportion.
        let busy = (estimate.step.get() - apart.sum()).max(0.0);
        let operators = operators.normalised().scaled(busy);
        for (binding, time) in operators.parts() {
            apart.add(binding, Seconds::new(time));
        }
        apart.normalised()
    }
}

impl InferenceJob<'_> {
    /// Shares of a phase by what binds. An operator counts whole for what binds it.
    pub fn binding(&self, phase: Phase) -> Shares {
        self.waits(phase).1
    }

    /// TTFT or TPOT of one batch, and its shares by what binds.
    pub(super) fn waits(&self, phase: Phase) -> (Seconds, Shares) {
        let group = Group::strided(self.load.tensor, 1, self.system.network.domain);
        let mut shares = Shares::default();
        let pass = self.pass(phase, &mut |_, count, cost| shares.add(of(&cost, group), cost.time * count));
        (self.per_token(phase, pass.total()), shares.normalised())
    }
}
