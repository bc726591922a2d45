//! Limiting resources of a training step.

use super::job::TrainingJob;
use crate::estimate::{Binding, Shares};
use crate::system::Group;
use crate::units::Seconds;

impl TrainingJob<'_> {
    /// Shares of a step by limiting resource. All of an operator's time counts for the one resource that limits it.
    pub fn binding(&self) -> Shares {
        let estimate = self.estimate();
        let domain = self.system.network.domain;
        let group = |size, stride| Group::strided(size, stride, domain);
        let (tensor, replicas) = (self.plan.tensor, self.data_parallel());
        let mut apart = Shares::default();
        for term in &estimate.terms {
            let binding = match term.id {
                "bubble" => Binding::Pipeline,
                "pipeline" => Binding::over(group(self.plan.pipeline, tensor * self.plan.context * replicas)),
                "data_parallel" => Binding::over(group(replicas, tensor * self.plan.context)),
                "optimizer" => Binding::Dram,
                "host" | "framework" => Binding::Launch,
                _ => continue,
            };
            apart.add(binding, term.time);
        }
        let mut operators = Shares::default();
        for row in &estimate.operators {
            operators.add(Binding::of(&row.cost, group(tensor, 1)), row.cost.time * row.count);
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
