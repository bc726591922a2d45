//! The terms that add up to a training step.

use super::job::TrainingJob;
use super::passes::StageTimes;
use crate::estimate::Term;
use crate::estimate::tally::Share;
use crate::plan::Schedule;
use crate::units::Seconds;
use crate::workload::ends;

impl TrainingJob<'_> {
    /// The addends of a step, in the order in which they are shown.
    pub(super) fn terms(&self, times: &StageTimes) -> impl Iterator<Item = Term> {
        let microbatches = f64::from(self.microbatches());
        let stalls = self.stalls(times);
        let layers = times.layers.total() + stalls.total();
        let whole = layers / self.fullest_share();
        // The slowest stage sets the pace; what the others wait for it fills up as bubble. Uneven stages put
        // the ends where layers are missing.
        let missing = whole / f64::from(self.architecture.layers) * f64::from(self.missing_layers());
        let ends = times.embedding + times.head;
        let slowest_end = if self.plan.pipeline == 1 {
            ends
        } else if self.plan.schedule.copies() > 1 {
            // The ends take turns at being the first and the last stage.
            ends / f64::from(self.plan.schedule.copies())
        } else {
            (times.embedding.max(times.head) - missing).max(Seconds::ZERO)
        };
        let others = whole - layers + ends - slowest_end;
        let bubble = self.pipeline().bubble(others, times.passes() + stalls);
        let optimizer = self.system.cost(&ends::adam(self.optimizer_parameters()).work).time;
        let once = [
            Term {
                id: "ends",
                label: "Embedding and output head",
                time: slowest_end * microbatches,
                why: "On the stage that has the longer of the two; the other stages wait for it",
            },
            Term {
                id: "bubble",
                label: "Pipeline bubble",
                time: bubble,
                why: "Filling and draining the pipeline: the work of the other stages, as far as the schedule waits for it",
            },
            Term {
                id: "pipeline",
                label: "Pipeline communication",
                time: self.pipeline_communication(),
                why: "Activations and their gradients sent between stages",
            },
            Term {
                id: "data_parallel",
                label: "Data-parallel communication",
                time: self.data_communication(times),
                why: "Gradients and weights over the replicas, beyond what hides behind computation",
            },
            Term {
                id: "optimizer",
                label: "Optimizer step",
                time: optimizer,
                why: "Adam reads and writes weights, gradients and moments once",
            },
            Term {
                id: "offload",
                label: "Waiting for the host's memory",
                time: stalls.total() * microbatches + self.optimizer_stall(optimizer),
                why: "Activations, weights or optimizer state that come and go over the link to the host, beyond what hides",
            },
            Term {
                id: "framework",
                label: "Between steps",
                time: self.between_steps(),
                why: "Data, logging and what else the software does once per step",
            },
        ];
        let hidden = self.hidden(times) * self.pipeline().pairs();
        of_layers(times, microbatches, hidden).into_iter().chain(once)
    }

    /// Time that a forward and a backward pass save where they run together: either's tokens travel to their experts
    /// and back while the other computes.
    pub(super) fn hidden(&self, times: &StageTimes) -> Seconds {
        if self.plan.schedule != Schedule::Dualpipe {
            return Seconds::ZERO;
        }
        let travel = times.layers.get(Share::ExpertParallel);
        travel.min(times.layers.total() - travel)
    }
}

impl TrainingJob<'_> {
    /// Time that the software takes once per step: by layer of the fullest stage and level of a tree over the nodes.
    fn between_steps(&self) -> Seconds {
        let domains = f64::from(self.gpus.div_ceil(self.system.network.domain.max(1)));
        self.overheads.step * (f64::from(self.fullest_layers()) * (1.0 + libm::log2(domains)))
    }
}

/// What the layers of a stage take over all microbatches, less the expert-parallel communication that is `hidden`.
fn of_layers(times: &StageTimes, microbatches: f64, hidden: Seconds) -> [Term; 8] {
    let times_all = |share| times.layers.get(share) * microbatches;
    [
        Term {
            id: "matmul",
            label: "Matrix multiplies",
            time: times_all(Share::Matmul),
            why: "Projections and feed-forward blocks, forward and backward, over all microbatches of a stage",
        },
        Term {
            id: "attention",
            label: "Attention",
            time: times_all(Share::Attention),
            why: "Scores, softmax and weighted values, forward and backward",
        },
        Term {
            id: "elementwise",
            label: "Elementwise",
            time: times_all(Share::Elementwise),
            why: "Norms, activations, dropouts and residuals: bound by DRAM",
        },
        Term {
            id: "recompute",
            label: "Recomputation",
            time: times_all(Share::Recompute),
            why: "Forward work repeated in the backward pass to save memory",
        },
        Term {
            id: "tensor_parallel",
            label: "Tensor-parallel communication",
            time: times_all(Share::TensorParallel),
            why: "All-gathers and reduce-scatters, or all-reduces, around each block, beyond what hides",
        },
        Term {
            id: "context_parallel",
            label: "Context-parallel communication",
            time: times_all(Share::ContextParallel),
            why: "Keys and values passed between the parts of a sequence, beyond what hides behind attention",
        },
        Term {
            id: "expert_parallel",
            label: "Expert-parallel communication",
            time: times_all(Share::ExpertParallel) - hidden,
            why: "Tokens on their way to the GPUs of their experts and back, beyond what hides",
        },
        Term {
            id: "host",
            label: "Waiting for the host",
            time: times_all(Share::Host),
            why: "Small kernels run faster than the software issues them",
        },
    ]
}
