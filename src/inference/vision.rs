//! Images of requests: their tokens in the prompt, the encoder's time in a step, its weights and activations.
//!
//! The encoder runs once per image, before the steps that read the image's tokens, on the GPUs that read the prompt.

use serde::Serialize;

use super::encoders::Recorder;
use super::job::InferenceJob;
use super::law::LoadFault;
use super::load::InferenceLoad;
use super::step::Step;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{EncodedImage, Pixels};
use crate::units::{Bytes, Flops, Seconds};
use crate::workload::Seeing;

/// The images of a request.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RequestImages {
    /// Number of images.
    pub images: u32,
    /// Patches and tokens of each.
    pub grid: EncodedImage,
    /// Time of the encoder for the images of one request alone.
    pub encoder: Seconds,
    /// Operations of the encoder for one image.
    pub flops_per_image: Flops,
}

impl RequestImages {
    /// Prompt tokens of all images.
    pub fn tokens(&self) -> f64 {
        f64::from(self.images) * f64::from(self.grid.tokens)
    }
}

impl InferenceLoad {
    /// Size of each image.
    pub const fn image(&self) -> Pixels {
        Pixels { width: self.image_width, height: self.image_height }
    }

    /// The law of images: there is an encoder for them.
    pub(super) fn check_images(&self, architecture: &Architecture) -> Result<(), LoadFault> {
        if self.images == 0 || architecture.vision.is_some() {
            return Ok(());
        }
        let message = format!("{} has no vision encoder that is known: set images to 0", architecture.name);
        Err(LoadFault::new("inference.", "images", message))
    }
}

impl<'a> InferenceJob<'a> {
    /// This number of images before their encoder; `None` if requests have none.
    fn seeing(&self, images: f64) -> Option<Seeing<'a>> {
        let load = self.load;
        let vision = self.architecture.vision.as_ref().filter(|_| load.images > 0)?;
        Some(Seeing {
            vision,
            grid: vision.encoded_image(load.image()),
            images,
            hidden: self.architecture.hidden,
            group: self.system.network.strided(load.tensor, 1),
            all_reduce: load.algorithm(),
        })
    }

    /// Prompt tokens of a request's images.
    pub(crate) fn image_tokens(&self) -> f64 {
        let each = self.seeing(1.0).map_or(0.0, |seeing| f64::from(seeing.grid.tokens));
        each * f64::from(self.load.images)
    }

    /// Time of the vision encoder in a step, each operator of which is shown to `record`.
    ///
    /// Images are spread evenly over the prompt: a step that reads a part of the prompt encodes that part of the images, and
    /// those in a cached prefix are not encoded again. Images of one step are encoded together, an image never in parts.
    pub(super) fn seeing_time(&self, step: Step, record: Recorder<'_>) -> Seconds {
        let images = f64::from(self.load.images) * step.prompts * step.chunk / self.prompt();
        let Some(seeing) = self.seeing(images.max(1.0)) else { return Seconds::ZERO };
        let passes = step.passes * images / seeing.images;
        self.encoding(passes, record, |visit| seeing.forward(visit))
    }

    /// Elements of the vision encoder's weights on one GPU; 0 if requests have no images.
    pub(super) fn seeing_weights(&self) -> f64 {
        self.seeing(1.0).map_or(0.0, |seeing| seeing.weights())
    }

    /// Activations of the vision encoder on one GPU with the images of one request.
    pub(super) fn seeing_activations(&self) -> Bytes {
        self.seeing(f64::from(self.load.images)).map_or(Bytes::ZERO, |seeing| seeing.activations())
    }

    /// The images of a request; `None` without any.
    pub fn request_images(&self) -> Option<RequestImages> {
        let seeing = self.seeing(1.0)?;
        let prefilling = self.load.prefilling();
        Some(RequestImages {
            images: self.load.images,
            grid: seeing.grid,
            encoder: self.reader(&prefilling).seeing_time(self.whole_prompt(), &mut |_, _, _| {}),
            flops_per_image: seeing.vision.flops(seeing.grid, seeing.hidden),
        })
    }
}
