//! Goals of visitors, each with a view and the section of its answer.

use super::{Scenario, View};
use crate::inference::{Engine, InferenceLoad};
use crate::sizing::DEFAULT_LIMITS_MS;

/// Goal of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Duration, cost and plan of a training run.
    Train,
    /// Speed and price of serving with a deployment.
    Serve,
    /// Devices and numbers of GPUs that serve given traffic.
    Size,
    /// The memory that a model takes on given GPUs, and what would hold it.
    Fit,
    /// Speed-up of newer GPUs.
    Generations,
    /// A table or figure of a paper, computed.
    Papers,
}

impl Goal {
    /// All goals, in the order in which they are offered.
    pub const ALL: [Self; 6] =
        [Self::Train, Self::Serve, Self::Size, Self::Fit, Self::Generations, Self::Papers];

    /// Machine name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Serve => "serve",
            Self::Size => "size",
            Self::Fit => "fit",
            Self::Generations => "generations",
            Self::Papers => "papers",
        }
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "Train a model",
            Self::Serve => "Serve a model",
            Self::Size => "How many GPUs?",
            Self::Fit => "Will it fit?",
            Self::Generations => "Compare GPU generations",
            Self::Papers => "Reproduce a paper",
        }
    }

    /// The view that answers it.
    pub const fn view(self) -> View {
        match self {
            Self::Train => View::Training,
            Self::Serve | Self::Fit => View::Inference,
            Self::Size => View::Sizing,
            Self::Generations => View::Generations,
            Self::Papers => View::Papers,
        }
    }

    /// Id of the answer's section for this goal; empty for the first section.
    pub const fn part(self) -> &'static str {
        if matches!(self, Self::Fit) { "memory" } else { "" }
    }

    /// The goal nearest to a view whose answer is open at this section.
    pub fn of(view: View, section: &str) -> Self {
        match view {
            View::Training | View::Search => Self::Train,
            View::Inference if section == Self::Fit.part() => Self::Fit,
            View::Inference => Self::Serve,
            View::Sizing => Self::Size,
            View::Generations | View::Technology => Self::Generations,
            View::Papers | View::Validation => Self::Papers,
        }
    }

    /// The question of this goal about the same model and hardware.
    #[must_use]
    pub fn asked_of(self, scenario: &Scenario) -> Scenario {
        let mut question = Scenario { view: self.view(), ..scenario.clone() };
        if self == Self::Papers {
            question.papers = super::PaperChoice::default();
        }
        let serves = |view: View| matches!(view, View::Inference | View::Sizing);
        if serves(question.view) && !serves(scenario.view) && question.inference.engine == Engine::None {
            question.inference.engine = usual_engine(&question);
        }
        let load = &mut question.inference;
        if self == Self::Fit && load.deployment() == InferenceLoad::default().deployment() {
            // Instead of the default deployment one GPU is tried: if the model does not fit, the answer offers what does.
            load.tensor = 1;
        }
        let limits = (question.inference.ttft_limit_ms, question.inference.tpot_limit_ms);
        if self == Self::Size && limits == (None, None) {
            let (ttft, tpot) = DEFAULT_LIMITS_MS;
            (question.inference.ttft_limit_ms, question.inference.tpot_limit_ms) = (Some(ttft), Some(tpot));
        }
        question
    }
}

/// The most common engine for the question's device: llama.cpp on personal computers and CPUs, vLLM in data centres. It replaces
/// the default of kernels alone, whose times no software reaches.
fn usual_engine(question: &Scenario) -> Engine {
    match question.system.accelerator() {
        Ok(device) if !device.class.is_data_center() => Engine::LlamacppFlash,
        _ => Engine::Vllm,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Choice;

    #[test]
    fn whether_a_model_fits_is_asked_of_one_gpu_unless_the_question_has_more() {
        let mut question = Scenario::default();
        assert_eq!(Goal::Fit.asked_of(&question).inference.worker_gpus(), 1);
        question.inference.tensor = 4;
        assert_eq!(Goal::Fit.asked_of(&question).inference.worker_gpus(), 4);
        let served = Goal::Serve.asked_of(&Scenario::default()).inference;
        assert_eq!(served, InferenceLoad { engine: Engine::Vllm, ..InferenceLoad::default() });
    }

    #[test]
    fn serving_begins_with_the_usual_engine_of_the_device() {
        let mut question = Scenario::default();
        let engine = |question: &Scenario| Goal::Serve.asked_of(question).inference.engine;
        assert_eq!(engine(&question), Engine::Vllm);
        question.system.accelerator = Choice::Named("apple-m3-max-40c".to_owned());
        assert_eq!(engine(&question), Engine::LlamacppFlash);
        // A question about serving keeps what it says, kernels alone as well.
        question.view = View::Inference;
        assert_eq!(engine(&question), Engine::None);
    }
}
