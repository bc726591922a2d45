//! The predicted course of a step on a GPU of the first stage.

use super::estimate::TrainingEstimate;
use super::timeline::Timeline;
use crate::estimate::{Busy, Course, Term};
use crate::units::Seconds;

/// Terms that follow a step's passes, in order.
pub const AFTER_PASSES: [&str; 3] = ["data_parallel", "optimizer", "framework"];

impl TrainingEstimate {
    /// The course of the step on a GPU of the timeline's first stage. Passes are filled with the mix of their terms, as
    /// forward and backward passes have about the same one. Microbatches that the timeline skips stretch its passes.
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
            course.fill(Busy::Communication, at(span.end), at(span.sent), 1.0);
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

    /// Shares of the time of passes that each group takes. What runs again is divided like the other computation.
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

/// The group of a term; `None` for the bubble, the host and the framework, in which the GPU is idle, and for
/// recomputation, which has parts of several groups.
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
