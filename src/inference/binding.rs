//! Limiting resources of prefill and decode of one batch.

use super::job::{InferenceJob, Phase};
use crate::estimate::{Binding, Shares};
use crate::system::Group;
use crate::units::Seconds;

impl InferenceJob<'_> {
    /// Shares of a phase by limiting resource. All of an operator's time counts for the one resource that limits it.
    pub fn binding(&self, phase: Phase) -> Shares {
        self.waits(phase).1
    }

    /// TTFT (prefill) or TPOT (decode) of one batch, and its shares by limiting resource.
    pub(crate) fn waits(&self, phase: Phase) -> (Seconds, Shares) {
        let group = Group::strided(self.load.tensor, 1, self.system.network.domain);
        let mut shares = Shares::default();
        let pass =
            self.pass(phase, &mut |_, count, cost| shares.add(Binding::of(&cost, group), cost.time * count));
        (self.per_token(phase, pass.total()), shares.normalised())
    }
}
