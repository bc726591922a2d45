//! Predicted utilisation over a step of a GPU of the first pipeline stage.

use super::estimate::TrainingEstimate;
use super::timeline::Timeline;
use crate::estimate::{Busy, Course, Term};
use crate::units::Seconds;

/// Terms that follow a step's passes, in order.
pub const AFTER_PASSES: [&str; 3] = ["data_parallel", "optimizer", "framework"];

impl TrainingEstimate {
    /// Utilisation over the step of a GPU of the timeline's first stage. Every pass has the mean shares of all passes, since
    /// forward and backward passes have nearly the same shares. The passes are scaled to the duration of the step, so that
    /// they include the microbatches that the timeline skips.
    pub fn course(&self, timeline: &Timeline) -> Course {
        let mut course = Course::default();
        let step = self.step;
        let after: Seconds = AFTER_PASSES.iter().filter_map(|id| self.term(id)).map(|term| term.time).sum();
        let shown = timeline.shown();
        if step <= Seconds::ZERO || shown <= Seconds::ZERO {
            return course;
        }
        let stretch = (step - after).max(Seconds::ZERO) / shown;
        let mix = self.mix();
        for span in timeline.stages.first().into_iter().flatten() {
            let at = |moment: Seconds| moment * stretch / step;
            for (busy, share) in mix {
                course.fill(busy, at(span.start), at(span.end), share);
            }
            course.fill(Busy::Communication, at(span.end), at(span.free), 1.0);
        }
        let mut from = step - after;
        for term in AFTER_PASSES.iter().filter_map(|id| self.term(id)) {
            let to = from + term.time;
            if let Some(busy) = busy(term) {
                course.fill(busy, from / step, to / step, 1.0);
            }
            from = to;
        }
        course
    }

    fn term(&self, id: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.id == id)
    }

    /// Share of the passes' time for each group. Recomputation is divided in proportion to the other computation.
    fn mix(&self) -> [(Busy, f64); Busy::ALL.len()] {
        let outside =
            |term: &&Term| AFTER_PASSES.contains(&term.id) || ["bubble", "pipeline"].contains(&term.id);
        let inside = || self.terms.iter().filter(|term| !outside(term));
        let all: Seconds = inside().map(|term| term.time).sum();
        let of = |wanted: Busy| -> Seconds {
            inside().filter(|term| busy(term) == Some(wanted)).map(|term| term.time).sum()
        };
        let computed = of(Busy::Multiplies) + of(Busy::Attention) + of(Busy::Elementwise);
        let again = self.term("recompute").map_or(Seconds::ZERO, |term| term.time);
        let more = if computed > Seconds::ZERO { 1.0 + again / computed } else { 1.0 };
        Busy::ALL.map(|busy| {
            let computes = [Busy::Multiplies, Busy::Attention, Busy::Elementwise].contains(&busy);
            let share = if all > Seconds::ZERO { of(busy) / all } else { 0.0 };
            (busy, if computes { share * more } else { share })
        })
    }
}

/// The group of a term. `None` for the bubble, host time and time between steps, in which the GPU is idle, and for
/// recomputation, which consists of several groups.
fn busy(term: &Term) -> Option<Busy> {
    Some(match term.id {
        "matmul" | "ends" => Busy::Multiplies,
        "attention" => Busy::Attention,
        "elementwise" => Busy::Elementwise,
        "optimizer" => Busy::Optimizer,
        "tensor_parallel" | "context_parallel" | "expert_parallel" | "pipeline" | "data_parallel" => {
            Busy::Communication
        }
        "offload" => Busy::Other,
        _ => return None,
    })
}
