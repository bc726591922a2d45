//! A vision encoder as operators: images on one GPU of a tensor group.

use super::encoder::{Encoder, Span, multiply};
use super::operator::Operator;
use crate::catalog::layers::{EncodedImage, Vision};
use crate::system::{AllReduce, Group};
use crate::units::Bytes;

/// Equal images before their encoder.
#[derive(Clone, Copy, Debug)]
pub struct Seeing<'a> {
    /// The encoder.
    pub vision: &'a Vision,
    /// Patches and tokens of one image.
    pub grid: EncodedImage,
    /// Number of images.
    pub images: f64,
    /// Hidden width of the language model.
    pub hidden: u32,
    /// The tensor-parallel group of the language model.
    pub group: Group,
    /// All-reduce algorithm of that group.
    pub all_reduce: AllReduce,
}

impl Seeing<'_> {
    fn encoder(&self) -> Encoder {
        Encoder {
            blocks: self.vision.blocks(),
            projector: self.vision.projector,
            merged: self.vision.merged(),
            hidden: self.hidden,
            positions: self.images * self.grid.all(),
            tokens: self.images * f64::from(self.grid.tokens),
            group: self.group,
            all_reduce: self.all_reduce,
        }
    }

    /// Elements of the encoder's weights on one GPU. Norms, positions and the patch embedding are whole on each.
    pub fn weights(&self) -> f64 {
        self.vision.parameters(self.hidden) as f64 - self.encoder().elsewhere()
    }

    /// Bytes of the widest activations that live at once.
    pub fn activations(&self) -> Bytes {
        self.encoder().activations()
    }

    /// All operators of the encoder and its projector, each with the number of its executions.
    pub fn forward(&self, visit: &mut dyn FnMut(Operator, f64)) {
        let (vision, encoder) = (self.vision, self.encoder());
        multiply(vision.embedding(), 1.0, encoder.positions, &mut |operator| visit(operator, 1.0));
        let (full, windowed) = vision.spans();
        let span = |seen: u32, layers: u32| {
            let seen = f64::from(seen);
            Span { queries: seen, keys: seen, layers: f64::from(layers) }
        };
        let seen = vision.windows.map_or(1, |windows| windows.patches.min(self.grid.patches));
        encoder.forward([span(self.grid.patches, full), span(seen, windowed)], visit);
    }
}
