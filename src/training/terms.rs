//! The terms of the training step time.

use super::job::TrainingJob;
use super::stage_times::StageTimes;
use crate::estimate::Term;
use crate::estimate::tally::Share;
use crate::plan::Schedule;
use crate::units::Seconds;
use crate::workload::ends;

impl TrainingJob<'_> {
    /// The terms that add up to the step time, in display order.
    pub(super) fn terms(&self, times: &StageTimes) -> impl Iterator<Item = Term> {
        let microbatches = f64::from(self.microbatches());
        let stalls = self.stalls(times);
        let layers = times.layers.total() + stalls.total();
        let whole = layers / self.fullest_share();
        // The slowest stage sets the pace; the waits of the others for it are part of the bubble. If stages are uneven,
        // embedding and head are on the stages with fewer layers.
        let missing = whole / f64::from(self.architecture.layers) * f64::from(self.missing_layers());
        let ends = times.embedding + times.head;
        let slowest_end = if self.plan.pipeline == 1 {
            ends
        } else if self.plan.schedule.copies() > 1 {
            // With several copies of the model, each end stage holds the embedding of one copy and the head of another.
            ends / f64::from(self.plan.schedule.copies())
        } else {
            (times.embedding.max(times.head) - missing).max(Seconds::ZERO)
        };
        let others = whole - layers + ends - slowest_end;
        let bubble = self.pipeline().bubble(others, times.passes() + stalls);
        let update = ends::optimizer_step(self.optimizer_parameters(), self.recipe.optimizer.traffic());
        let optimizer = self.system.cost(&update.work).time;
        let once = [
            Term {
                id: "ends",
                label: if self.modules().is_some() {
                    "Embedding, output head and prediction modules"
                } else {
                    "Embedding and output head"
                },
                time: slowest_end * microbatches,
                why: "Time of the longer of the two, on its stage; the other stages wait for it",
            },
            Term {
                id: "bubble",
                label: "Pipeline bubble",
                time: bubble,
                why: "Filling and draining the pipeline: work of the other stages that the schedule waits for",
            },
            Term {
                id: "pipeline",
                label: "Pipeline communication",
                time: self.pipeline_communication(times),
                why: "Activations and their gradients sent between stages",
            },
            Term {
                id: "data_parallel",
                label: "Data-parallel communication",
                time: self.data_communication(times),
                why: "Exposed gradient reductions and weight all-gathers over the replicas",
            },
            Term {
                id: "optimizer",
                label: "Optimizer step",
                time: optimizer,
                why: "Gradients are read, weights and the optimizer's state read and written",
            },
            Term {
                id: "offload",
                label: "Waiting for host memory",
                time: stalls.total() * microbatches + self.optimizer_stall(optimizer),
                why: "Transfers of activations, weights or optimizer state over the link to the host: the part that \
                      computation does not hide",
            },
            Term {
                id: "framework",
                label: "Between steps",
                time: self.between_steps(),
                why: "Data loading, gradient clipping, logging and other work of the software once per step",
            },
        ];
        let hidden = self.hidden(times) * self.pipeline().pairs();
        of_layers(times, microbatches, hidden).into_iter().chain(once)
    }

    /// Time saved by running a forward and a backward pass concurrently (`DualPipe`): the all-to-alls of one overlap
    /// the computation of the other.
    pub(super) fn hidden(&self, times: &StageTimes) -> Seconds {
        if self.plan.schedule != Schedule::Dualpipe {
            return Seconds::ZERO;
        }
        times.coverable()
    }
}

impl TrainingJob<'_> {
    /// Software time once per step, proportional to the layers of the fullest stage and the levels of a tree over the
    /// nodes.
    fn between_steps(&self) -> Seconds {
        let domains = f64::from(self.gpus.div_ceil(self.system.network.domain.max(1)));
        self.overheads.step * (f64::from(self.fullest_layers()) * (1.0 + libm::log2(domains)))
    }
}

/// Terms of the layers of a stage over all microbatches, without the `hidden` part of expert-parallel communication.
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
            why: "Norms, activations, dropouts and residuals, limited by DRAM",
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
            why: "Exposed all-gathers and reduce-scatters, or all-reduces, around each block",
        },
        Term {
            id: "context_parallel",
            label: "Context-parallel communication",
            time: times_all(Share::ContextParallel),
            why: "Exposed exchange of keys and values between the parts of a sequence",
        },
        Term {
            id: "expert_parallel",
            label: "Expert-parallel communication",
            time: times_all(Share::ExpertParallel) - hidden,
            why: "Exposed all-to-alls that dispatch tokens to experts and combine the results",
        },
        Term {
            id: "host",
            label: "Waiting for the host",
            time: times_all(Share::Host),
            why: "The host launches kernels, and checks collectives if that is enabled, more slowly than the device runs them",
        },
    ]
}
