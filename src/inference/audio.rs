//! Audio of requests: its tokens in the prompt, the encoder's time in a step, its weights and activations.
//!
//! The encoder runs once per request, before the steps that read the audio's tokens, on the GPUs that read the prompt.

use serde::Serialize;

use super::encoders::Recorder;
use super::job::InferenceJob;
use super::law::LoadFault;
use super::load::InferenceLoad;
use super::step::Step;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::Track;
use crate::units::{Bytes, Flops, Seconds};
use crate::workload::Hearing;

/// The audio of a request.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RequestAudio {
    /// Length of the audio.
    pub length: Seconds,
    /// Mel frames, encoder positions and prompt tokens.
    pub track: Track,
    /// Time of the encoder for the audio of one request alone.
    pub encoder: Seconds,
    /// Operations of the encoder for the audio of one request.
    pub flops: Flops,
}

impl RequestAudio {
    /// Prompt tokens per second of audio.
    pub fn rate(&self) -> f64 {
        f64::from(self.track.tokens) / self.length.get()
    }
}

impl InferenceLoad {
    /// Requests with audio need a model with an audio encoder, whose preprocessor does not cut off the audio's end.
    pub(super) fn check_audio(&self, architecture: &Architecture) -> Result<(), LoadFault> {
        if self.audio <= 0.0 {
            return Ok(());
        }
        let name = &architecture.name;
        let message = match architecture.audio.map(|audio| audio.longest) {
            None => format!("{name} has no audio encoder that is known: set audio to 0"),
            Some(Some(longest)) if self.audio > f64::from(longest) => {
                format!(
                    "{name} takes clips of at most {longest} s and cuts off the rest: set audio to at most {longest}"
                )
            }
            Some(_) => return Ok(()),
        };
        Err(LoadFault::new("inference.", "audio", message))
    }
}

impl<'a> InferenceJob<'a> {
    /// Encoder input of the audio of this number of requests; `None` if requests have no audio.
    fn hearing(&self, tracks: f64) -> Option<Hearing<'a>> {
        let load = self.load;
        let audio = self.architecture.audio.as_ref().filter(|_| load.audio > 0.0)?;
        Some(Hearing {
            audio,
            track: audio.track(load.audio),
            tracks,
            hidden: self.architecture.hidden,
            group: self.system.network.strided(load.tensor, 1),
            all_reduce: load.algorithm(),
        })
    }

    /// Prompt tokens of a request's audio.
    pub(crate) fn audio_tokens(&self) -> f64 {
        self.hearing(1.0).map_or(0.0, |hearing| f64::from(hearing.track.tokens))
    }

    /// Time of the audio encoder in a step, each operator of which is shown to `record`.
    ///
    /// Audio is spread evenly over the prompt: a step that reads a part of the prompt encodes that part of the audio, and what
    /// is in a cached prefix is not encoded again. Requests of one step are encoded together.
    pub(super) fn hearing_time(&self, step: Step, record: Recorder<'_>) -> Seconds {
        let tracks = step.prompts * step.chunk / self.prompt();
        let Some(hearing) = self.hearing(tracks.max(1.0)) else { return Seconds::ZERO };
        let passes = step.passes * tracks / hearing.tracks;
        self.encoding(passes, record, |visit| hearing.forward(visit))
    }

    /// Elements of the audio encoder's weights on one GPU; 0 if requests have no audio.
    pub(super) fn hearing_weights(&self) -> f64 {
        self.hearing(1.0).map_or(0.0, |hearing| hearing.weights())
    }

    /// Activations of the audio encoder on one GPU with the audio of one request.
    pub(super) fn hearing_activations(&self) -> Bytes {
        self.hearing(1.0).map_or(Bytes::ZERO, |hearing| hearing.activations())
    }

    /// The audio of a request; `None` without any.
    pub fn request_audio(&self) -> Option<RequestAudio> {
        let hearing = self.hearing(1.0)?;
        let prefilling = self.load.prefilling();
        Some(RequestAudio {
            length: Seconds::new(self.load.audio),
            track: hearing.track,
            encoder: self.reader(&prefilling).hearing_time(self.whole_prompt(), &mut |_, _, _| {}),
            flops: hearing.audio.flops(hearing.track, hearing.hidden),
        })
    }
}
