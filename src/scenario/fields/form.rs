//! The forms of the page, each of which has some of the fields.

use crate::economics::Terms;
use crate::inference::Engine;
use crate::scenario::{Scenario, View};
use crate::serving::simulation::Lengths;
use crate::sizing::{LoadKind, SizingJob};

/// The form of a view. Some of its fields depend on other answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "switches that do not depend on each other")]
pub struct Form {
    /// The view.
    pub view: View,
    /// Job of the Sizing view.
    pub job: SizingJob,
    /// True if the Sizing view sizes one device.
    pub one_device: bool,
    /// Kind of load of the Sizing view.
    pub load: LoadKind,
    /// True if users of the Sizing view have a think time.
    pub thinks: bool,
    /// The serving engine.
    pub engine: Engine,
    /// How GPUs are paid for.
    pub terms: Terms,
    /// True if weights are frozen and adapters are trained.
    pub adapted: bool,
    /// True if requests are turns of sessions.
    pub has_turns: bool,
    /// True if prompts repeat earlier ones, so that a prefix cache fills: turns, or the requests of a trace.
    pub repeats: bool,
    /// True if the model has a vision encoder, or the question images.
    pub sees: bool,
    /// True if the model has an audio encoder, or the question audio.
    pub hears: bool,
}

impl Form {
    /// The form of a question.
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            view: scenario.view,
            job: scenario.sizing.job,
            one_device: scenario.sizing.one_device,
            load: scenario.sizing.load,
            thinks: scenario.sizing.thinking().is_some(),
            engine: scenario.inference.engine,
            terms: scenario.economics.terms,
            adapted: scenario.recipe.frozen,
            has_turns: scenario.inference.turns > 1,
            repeats: scenario.inference.turns > 1 || scenario.sizing.lengths == Lengths::Trace,
            sees: scenario.sees(),
            hears: scenario.hears(),
        }
    }

    /// Returns true if Sizing can try disaggregated fleets: for a request rate that is the same for all fleets.
    pub(super) const fn disaggregates(self) -> bool {
        !matches!(self.load, LoadKind::Concurrency) && self.engine.disaggregates()
    }
}
