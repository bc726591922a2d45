//! Images and audio of requests in the Inference view.

use crate::inference::{RequestAudio, RequestImages};
use crate::serving::InferenceEstimate;
use crate::units::{Amount, Seconds};
use crate::view::Card;

/// Assumptions about images, below the breakdown of TTFT.
pub(super) const IMAGES_ASSUMED: &str = "The vision encoder runs in 16 bits on the GPUs that read the prompt, once per image, cut over the tensor group \
     as by default in vLLM; decoding and scaling images on the host and marker tokens around images are left out";

/// Assumptions about audio, below the breakdown of TTFT.
pub(super) const AUDIO_ASSUMED: &str = "The audio encoder runs in 16 bits on the GPUs that read the prompt, once per request, cut over the tensor group \
     as by default in vLLM; decoding and the mel spectrogram on the host and marker tokens around audio are left out";

/// Prompt tokens of a request.
pub(super) fn prompt(input: u32, estimate: &InferenceEstimate) -> String {
    let images = estimate.images.map(|images| format!("{} of images", Amount::count(images.tokens() as u32)));
    let audio = estimate.audio.map(|audio| format!("{} of audio", Amount::count(audio.track.tokens)));
    let text = format!("{} input tokens", Amount::count(input));
    match (images, audio) {
        (None, None) => text,
        (Some(one), None) | (None, Some(one)) => format!("{text} and {one}"),
        (Some(images), Some(audio)) => format!("{text}, {images} and {audio}"),
    }
}

/// Time of the encoder for the images of one request, and their tokens.
pub(super) fn images(images: &RequestImages) -> Card {
    let each = format!(
        "{} tokens per image from {} patches",
        Amount::count(images.grid.tokens),
        Amount::count(images.grid.all() as u32)
    );
    let note = match images.images {
        1 => each,
        many => {
            let rate = f64::from(many) / images.encoder.max(Seconds::new(f64::MIN_POSITIVE)).get();
            format!("{} images, {} per second; {each}", Amount::count(many), Amount::rate(rate))
        }
    };
    Card::new("vision", "Vision encoder per request", Amount::time(images.encoder)).noted(note)
}

/// Time of the encoder for the audio of one request, and its tokens.
pub(super) fn audio(audio: &RequestAudio) -> Card {
    let speed = audio.length / audio.encoder.max(Seconds::new(f64::MIN_POSITIVE));
    let note = format!(
        "{} of audio, {}× as fast as real time; {} tokens, {} per second of audio",
        Amount::time(audio.length),
        Amount::count(speed as u32),
        Amount::count(audio.track.tokens),
        Amount::rate(audio.rate())
    );
    Card::new("audio", "Audio encoder per request", Amount::time(audio.encoder)).noted(note)
}
