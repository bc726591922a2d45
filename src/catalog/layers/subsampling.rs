//! Convolutions before the layers of an audio encoder: mel frames become fewer positions of the encoder's width.

use serde::{Deserialize, Serialize};

use super::{Cut, Matrix};

/// Rows and columns of a kernel of two dimensions together.
const KERNEL: u64 = 9;

/// Label of the convolutions.
const NAME: &str = "Audio convolution";

/// The convolutions, each with a kernel of 3 and zeros at the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Subsampling {
    /// Over time: mel bins × width of stride 1, width × width of stride 2, with biases (Whisper, arXiv 2212.04356, section 2.2).
    Temporal,
    /// Over time and frequency, of stride 2 in both, then a matrix from all channels and frequencies to the width, without a
    /// bias (Qwen3-Omni; Gemma 4; transformers, `modeling_qwen3_omni_moe.py`, `modeling_gemma4.py`). Each convolution has one
    /// vector of its channels: a bias, or the scale of a norm.
    Spectral {
        /// Channels of each convolution; 0 after the last.
        channels: [u32; 3],
    },
}

impl Subsampling {
    /// Channels into and out of each convolution over time and frequency.
    fn steps(channels: [u32; 3]) -> impl Iterator<Item = (u64, u64)> {
        let before = [1, channels[0], channels[1]];
        let steps = before.into_iter().zip(channels).take_while(|(_, out)| *out > 0);
        steps.map(|(into, out)| (u64::from(into), u64::from(out)))
    }

    /// Convolutions of stride 2.
    fn halvings(self) -> u32 {
        match self {
            Self::Temporal => 1,
            Self::Spectral { channels } => Self::steps(channels).count() as u32,
        }
    }

    /// Length after `halvings` convolutions of stride 2, each of which rounds up.
    const fn halved(length: u64, halvings: u32) -> u64 {
        length.div_ceil(1 << halvings)
    }

    /// Encoder positions of `frames` mel frames that are convolved together.
    pub fn positions(self, frames: u64) -> u64 {
        Self::halved(frames, self.halvings())
    }

    /// The convolutions as matrices for this number of mel bins and width, in order, each with the outputs per mel frame by
    /// which it is multiplied: rows are the channels under the kernel.
    pub fn matrices(self, mels: u32, width: u32) -> Vec<(Matrix, f64)> {
        let (mels, width) = (u64::from(mels), u64::from(width));
        let matrix = |rows, columns| Matrix::new(NAME, rows, columns, Cut::Whole);
        let Self::Spectral { channels } = self else {
            return vec![(matrix(3 * mels, width), 1.0), (matrix(3 * width, width), 0.5)];
        };
        let mut all = Vec::with_capacity(4);
        let (mut share, mut last) = (1.0, 1);
        for (place, (into, out)) in Self::steps(channels).enumerate() {
            share *= 0.5;
            let bins = Self::halved(mels, place as u32 + 1) as f64;
            all.push((matrix(KERNEL * into, out), share * bins));
            last = out;
        }
        all.push((matrix(last * Self::halved(mels, self.halvings()), width), share));
        all
    }

    /// Elements of biases and norms.
    pub fn vectors(self, width: u32) -> u64 {
        match self {
            Self::Temporal => 2 * u64::from(width),
            Self::Spectral { channels } => Self::steps(channels).map(|(_, out)| out).sum(),
        }
    }

    /// The largest number of channels.
    pub fn widest(self) -> u32 {
        match self {
            Self::Temporal => 1,
            Self::Spectral { channels } => channels.into_iter().fold(1, u32::max),
        }
    }
}
