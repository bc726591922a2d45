//! An audio encoder as operators: audio of equal length on one GPU of a tensor group.

use super::encoder::{ACTIVATION_FLOPS, Encoder, Span, multiply};
use super::kernels::stream;
use super::operator::Operator;
use super::shard::ACTIVATION;
use crate::catalog::layers::{Audio, Track};
use crate::system::{AllReduce, Group};
use crate::units::Bytes;

/// Tracks of audio of equal length before their encoder.
#[derive(Clone, Copy, Debug)]
pub struct Hearing<'a> {
    /// The encoder.
    pub audio: &'a Audio,
    /// Frames, positions and tokens of one track.
    pub track: Track,
    /// Number of tracks.
    pub tracks: f64,
    /// Hidden width of the language model.
    pub hidden: u32,
    /// The tensor-parallel group of the language model.
    pub group: Group,
    /// All-reduce algorithm of that group.
    pub all_reduce: AllReduce,
}

impl Hearing<'_> {
    fn encoder(&self) -> Encoder {
        Encoder {
            blocks: self.audio.blocks(),
            projector: self.audio.projector,
            merged: self.audio.merged(),
            hidden: self.hidden,
            positions: self.tracks * f64::from(self.track.positions),
            tokens: self.tracks * f64::from(self.track.tokens),
            group: self.group,
            all_reduce: self.all_reduce,
        }
    }

    fn frames(&self) -> f64 {
        self.tracks * f64::from(self.track.frames)
    }

    /// Elements of the encoder's weights on one GPU. Norms, positions and convolutions are whole on each.
    pub fn weights(&self) -> f64 {
        self.audio.parameters(self.hidden) as f64 - self.encoder().elsewhere()
    }

    /// Bytes of the widest activations that live at once: those of a feed-forward block, or the outputs of a convolution.
    pub fn activations(&self) -> Bytes {
        let outputs = |columns: u64, outputs: f64| columns as f64 * outputs;
        let widest = self
            .audio
            .convolutions()
            .into_iter()
            .fold(0.0, |widest: f64, (matrix, each)| widest.max(outputs(matrix.columns, each)));
        self.encoder().activations().max(Bytes::new(self.frames() * widest * ACTIVATION))
    }

    /// All operators of the encoder and its projector, each with the number of its executions.
    pub fn forward(&self, visit: &mut dyn FnMut(Operator, f64)) {
        let encoder = self.encoder();
        for (matrix, outputs) in self.audio.convolutions() {
            let rows = self.frames() * outputs;
            multiply(matrix, 1.0, rows, &mut |operator| visit(operator, 1.0));
            let elements = rows * matrix.columns as f64;
            let mut activate = |operator| visit(operator, 1.0);
            stream(matrix.name, elements, 2.0, ACTIVATION_FLOPS, 2.0, &mut activate);
        }
        let (queries, keys) = (f64::from(self.track.queries), f64::from(self.track.keys));
        let all = Span { queries, keys, layers: f64::from(self.audio.layers) };
        encoder.forward([all, Span { layers: 0.0, ..all }], visit);
    }
}
