//! Encoders of images and audio before the language model: what they add to prompts, steps and memory.

use super::job::InferenceJob;
use super::step::Step;
use crate::system::Cost;
use crate::units::{Bytes, Seconds};
use crate::workload::{ACTIVATION, Operator};

/// Callback for every operator of a step, with the number of its executions and the cost of one.
pub(super) type Recorder<'a> = &'a mut dyn FnMut(&Operator, f64, Cost);

impl InferenceJob<'_> {
    /// Prompt tokens of a request's images and audio.
    pub(crate) fn encoded_tokens(&self) -> f64 {
        self.image_tokens() + self.audio_tokens()
    }

    /// Prompt tokens of a request: text, images and audio.
    pub fn prompt(&self) -> f64 {
        f64::from(self.load.input) + self.encoded_tokens()
    }

    /// Prompt tokens whose keys and values are not cached yet.
    pub(crate) fn fresh(&self) -> f64 {
        self.load.fresh_of(self.prompt())
    }

    /// A step that reads one whole prompt.
    pub(super) fn whole_prompt(&self) -> Step {
        Step { prompts: 1.0, chunk: self.prompt(), keys: 0.0, running: 0.0, passes: 1.0 }
    }

    /// Time of `passes` passes of an encoder. `forward` yields its operators, and `record` is called with each.
    pub(super) fn encoding(
        &self,
        passes: f64,
        record: Recorder<'_>,
        forward: impl FnOnce(&mut dyn FnMut(Operator, f64)),
    ) -> Seconds {
        let mut time = Seconds::ZERO;
        forward(&mut |operator, count| {
            let cost = self.cost(&operator, true);
            record(&operator, count * passes, cost);
            time += cost.time * (count * passes);
        });
        time
    }

    /// Weights of the encoders on one GPU, in 16 bits; engines that serve text alone do not load them (vLLM,
    /// `--language-model-only`).
    pub(super) fn encoder_weights(&self) -> Bytes {
        Bytes::new((self.seeing_weights() + self.hearing_weights()) * ACTIVATION)
    }

    /// Activations of the encoders, which run one after the other, on one GPU with one request.
    pub(super) fn encoder_activations(&self) -> Bytes {
        self.seeing_activations().max(self.hearing_activations())
    }
}
