//! Time that a draft takes in a step.

use super::draft::Draft;
use super::job::InferenceJob;
use super::load::InferenceLoad;
use super::step::Step;
use crate::units::Seconds;

impl InferenceJob<'_> {
    /// Applies `answer` to the draft model's own job, to which images and audio are tokens; `None` without a named draft.
    pub(crate) fn of_draft<T>(&self, answer: impl FnOnce(&InferenceJob<'_>) -> T) -> Option<T> {
        let Some(Draft::Model(draft)) = self.draft.filter(|_| self.load.draft > 0) else { return None };
        let load = draft.load(self.load).of_text(self.prompt() as u32);
        Some(answer(&InferenceJob { architecture: draft.architecture, load: &load, draft: None, ..*self }))
    }

    /// Time in which the draft proposes the tokens of a step, in sequence.
    pub(crate) fn drafting(&self, step: Step) -> Seconds {
        let (tokens, share) = (f64::from(self.load.draft), self.load.draft_cost);
        if tokens <= 0.0 {
            return Seconds::ZERO;
        }
        let plain = Step { prompts: 0.0, chunk: 0.0, keys: 0.0, ..step };
        self.of_draft(|draft| draft.unaided(plain) * tokens)
            .or_else(|| self.modules().map(|layer| self.predicting(&layer, step)))
            .unwrap_or_else(|| self.unaided(plain) * (tokens * share))
    }

    /// Prefill time of the drafter for the prompts of a step, if the drafter is costed by its shapes.
    pub(crate) fn reading_too(&self, step: Step) -> Seconds {
        self.of_draft(|draft| draft.unaided(Step { running: 0.0, ..step }))
            .or_else(|| self.modules().map(|layer| self.reading_ahead(&layer, step)))
            .unwrap_or_default()
    }

    /// Time of a step without drafting, without host time, which a step has once.
    fn unaided(&self, step: Step) -> Seconds {
        let load = InferenceLoad { draft: 0, ..*self.load };
        let times = InferenceJob { load: &load, ..*self }.step(step, &mut |_, _, _| {});
        times.total() - times.host
    }
}
