//! Images of requests in the Inference view.

use crate::inference::RequestImages;
use crate::serving::InferenceEstimate;
use crate::units::{Amount, Seconds};
use crate::view::Card;

/// Assumptions about images, below the breakdown of TTFT.
pub(super) const ASSUMED: &str = "The vision encoder runs in 16 bits on the GPUs that read the prompt, once per image, cut over the tensor group \
     as by default in vLLM; decoding and scaling images on the host and marks around images are left out";

/// Prompt tokens of a request.
pub(super) fn prompt(input: u32, estimate: &InferenceEstimate) -> String {
    match estimate.images {
        None => format!("{} input tokens", Amount::count(input)),
        Some(images) => {
            let seen = images.tokens() as u32;
            format!("{} input tokens and {} of images", Amount::count(input), Amount::count(seen))
        }
    }
}

/// Time of the encoder for the images of one request, and their tokens.
pub(super) fn card(images: &RequestImages) -> Card {
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
