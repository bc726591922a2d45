//! Audio encoders: transformers or conformers over a mel spectrogram, whose outputs take the place of prompt tokens.

use serde::{Deserialize, Serialize};

use super::{
    Biases, BlockNames, Blocks, Clips, Matrix, Norm, Projector, Subsampling, Track, is_default, is_two, two,
};
use crate::units::Flops;

/// The audio encoder of a multimodal model (Whisper's: Radford et al., arXiv 2212.04356), with its projector.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audio {
    /// Layers.
    pub layers: u32,
    /// Width of a position between layers.
    pub width: u32,
    /// Attention heads, each with keys and values of its own; together as wide as a position.
    pub heads: u32,
    /// Inner width of the feed-forward block.
    pub ffn: u32,
    /// Projections with biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bias: Biases,
    /// Kind of norm.
    #[serde(default)]
    pub norm: Norm,
    /// Number of norms per layer.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub norms: u32,
    /// Kernel of the convolution in each layer of a conformer (arXiv 2005.08100); `None` for a transformer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<u32>,
    /// Bins of the mel spectrogram.
    pub mels: u32,
    /// Convolutions before the layers.
    pub subsampling: Subsampling,
    /// Clips, chunks or blocks that audio is cut into.
    pub clips: Clips,
    /// Encoder positions merged into one token.
    pub merge: u32,
    /// What follows the encoder.
    pub projector: Projector,
    /// Rows of the stored position table.
    #[serde(default, skip_serializing_if = "is_default")]
    pub positions: u32,
    /// Longest clip that the model takes, s: its published preprocessor cuts off the rest; `None` without such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<u32>,
    /// Parameters outside of convolutions, layers and projector: last norm, embeddings of the tokens around an audio clip.
    #[serde(default, skip_serializing_if = "is_default")]
    pub extra: u64,
}

/// Labels of the audio encoder's operators.
const NAMES: &BlockNames = &BlockNames {
    qkv: "Audio QKV projection",
    attention: "Audio attention",
    output: "Audio attention output",
    up: "Audio MLP up",
    activation: "Audio activation",
    down: "Audio MLP down",
    norms: "Audio norms",
    all_reduce: "Audio all-reduce",
    projector: "Audio projector",
};

impl Audio {
    /// Mel frames, encoder positions and prompt tokens of this many seconds of audio.
    pub fn track(&self, seconds: f64) -> Track {
        self.clips.track(seconds, self.subsampling, self.merge)
    }

    /// The layers of the encoder.
    pub fn blocks(&self) -> Blocks {
        Blocks {
            layers: self.layers,
            width: self.width,
            heads: self.heads,
            head_dim: self.width / self.heads.max(1),
            ffn: self.ffn,
            gated: false,
            bias: self.bias,
            norm: self.norm,
            norms: self.norms,
            kernel: self.kernel,
            names: NAMES,
        }
    }

    /// Width of the projector's input where the positions of a token are concatenated, elements.
    pub fn merged(&self) -> u64 {
        u64::from(self.width) * u64::from(self.merge)
    }

    /// The convolutions, each with the outputs per mel frame by which it is multiplied.
    pub fn convolutions(&self) -> Vec<(Matrix, f64)> {
        self.subsampling.matrices(self.mels, self.width)
    }

    /// The matrices of the projector, by which each token is multiplied.
    pub fn projections(&self, hidden: u32) -> impl Iterator<Item = Matrix> + use<> {
        self.projector.matrices(NAMES.projector, u64::from(self.width), self.merged(), u64::from(hidden))
    }

    /// Parameters of the encoder and its projector into a model of this hidden width: convolutions, 3 m w + 3 w² where they are
    /// over time, positions · w, and per layer 4 w² + 2 w · ffn with norms and biases, for m mel bins.
    pub fn parameters(&self, hidden: u32) -> u64 {
        let (width, blocks) = (u64::from(self.width), self.blocks());
        let convolutions: u64 = self.convolutions().iter().map(|(matrix, _)| matrix.elements()).sum();
        let projector: u64 = self.projections(hidden).map(|matrix| matrix.elements()).sum();
        let kinds = (blocks.norm_vectors(), self.bias != Biases::None);
        convolutions
            + self.subsampling.vectors(self.width)
            + u64::from(self.positions) * width
            + blocks.parameters()
            + projector
            + self.projector.vectors(width, self.merged(), u64::from(hidden), kinds)
            + self.extra
    }

    /// FLOPs of encoder and projector for a track: 2 per multiply-add of each matrix, and 4 w per layer for each pair of a query
    /// and a key.
    pub fn flops(&self, track: Track, hidden: u32) -> Flops {
        let elements = |matrix: &Matrix| matrix.elements() as f64;
        let per_frame: f64 =
            self.convolutions().iter().map(|(matrix, outputs)| elements(matrix) * outputs).sum();
        let blocks = self.blocks();
        let pairs = 2.0 * f64::from(track.keys) * blocks.attention_width() as f64;
        let per_position = f64::from(self.layers) * (blocks.elements() as f64 + pairs);
        let per_token: f64 = self.projections(hidden).map(|matrix| elements(&matrix)).sum();
        let work = f64::from(track.frames) * per_frame
            + f64::from(track.positions) * per_position
            + f64::from(track.tokens) * per_token;
        Flops::new(2.0 * work)
    }

    /// The smallest and the largest of the dimensions that must be positive, for checks of their range.
    pub fn number_range(&self) -> (u32, u32) {
        let own = [
            self.layers,
            self.width,
            self.heads,
            self.ffn,
            self.mels,
            self.merge,
            self.kernel.unwrap_or(1),
            self.subsampling.widest(),
            self.projector.inner().unwrap_or(1),
        ];
        own.into_iter()
            .fold(self.clips.number_range(), |(low, high), number| (low.min(number), high.max(number)))
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::architecture;
    use crate::catalog::layers::{Audio, Track};

    fn audio(id: &str) -> (Audio, u32) {
        let model = architecture(id).unwrap();
        (model.audio.unwrap(), model.hidden)
    }

    /// Whisper's layer, width 1,280 (arXiv 2212.04356): Q, K, V and output 1280² without a bias of K, 1280 × 5120 and back, two
    /// norms.
    const WHISPER_LAYER: u64 = 4 * 1280 * 1280 + 3 * 1280 + 2 * 1280 * 5120 + 5120 + 1280 + 4 * 1280;

    /// Whisper's two convolutions from 128 mel bins.
    const WHISPER_CONVOLUTIONS: u64 = 3 * 128 * 1280 + 1280 + 3 * 1280 * 1280 + 1280;

    /// Qwen2-Audio (transformers, `modeling_qwen2_audio.py`): Whisper's encoder with its table of 1,500 positions and a last
    /// norm, and 1280 × 4096 with a bias. 3,000 mel frames are 1,500 positions and 750 tokens, 25 per second.
    #[test]
    fn qwen2_audio_by_hand() {
        let (audio, hidden) = audio("qwen2-audio-7b");
        let encoder = WHISPER_CONVOLUTIONS + 1500 * 1280 + 32 * WHISPER_LAYER + 2 * 1280;
        assert_eq!(encoder, 636_968_960);
        assert_eq!(audio.parameters(hidden), encoder + 1280 * 4096 + 4096);
        let track = audio.track(30.0);
        assert_eq!(track, Track { frames: 3000, positions: 1500, queries: 1500, keys: 1500, tokens: 750 });
        // A clip of 10 s is encoded with 20 s of silence.
        assert_eq!(audio.track(10.0), Track { tokens: 250, ..track });
        let longer = audio.track(40.0);
        assert_eq!((longer.frames, longer.positions, longer.keys, longer.tokens), (6000, 3000, 1500, 1000));
        let convolutions = 3000 * 3 * 128 * 1280 + 1500 * 3 * 1280 * 1280;
        let layers = 32 * 1500 * (4 * 1280 * 1280 + 2 * 1280 * 5120 + 2 * 1500 * 1280_u64);
        let flops = 2 * (convolutions + layers + 750 * 1280 * 4096);
        assert!((audio.flops(track, hidden).get() / flops as f64 - 1.0).abs() < 1e-12);
    }

    /// Qwen2.5-Omni (transformers, `modeling_qwen2_5_omni.py`): computed positions, two embeddings of marks, chunks of 200 frames
    /// that see themselves; 25 tokens per second.
    #[test]
    fn qwen2_5_omni_by_hand() {
        let (audio, hidden) = audio("qwen2.5-omni-7b");
        let encoder = WHISPER_CONVOLUTIONS + 32 * WHISPER_LAYER + 2 * 1280 + 2 * 3584;
        assert_eq!(audio.parameters(hidden), encoder + 1280 * 3584 + 3584);
        let track = audio.track(30.0);
        assert_eq!(track, Track { frames: 3000, positions: 1500, queries: 100, keys: 100, tokens: 750 });
        assert_eq!(audio.track(0.5).tokens, 12);
    }

    /// Qwen3-Omni (transformers, `modeling_qwen3_omni_moe.py`): three convolutions of 480 channels, 480 · 16 × 1280, layers with
    /// all biases, 1280² and 1280 × 2048; 650 million parameters (arXiv 2509.17765, table 1). A second has 13 tokens, of which
    /// eight seconds see each other.
    #[test]
    fn qwen3_omni_by_hand() {
        let (audio, hidden) = audio("qwen3-omni-30b-a3b");
        let convolutions = 9 * 480 + 480 + 2 * (9 * 480 * 480 + 480) + 480 * 16 * 1280;
        let projector = 1280 * 1280 + 1280 + 1280 * 2048 + 2048;
        let parameters = audio.parameters(hidden);
        assert_eq!(parameters, convolutions + 32 * (WHISPER_LAYER + 1280) + 2 * 1280 + projector);
        assert!((parameters as f64 / 650e6 - 1.0).abs() < 0.01, "{parameters}");
        let track = audio.track(30.0);
        assert_eq!(track, Track { frames: 3000, positions: 390, queries: 104, keys: 104, tokens: 390 });
        // 50 frames after a whole second: 25, 13 and 7 after each convolution.
        assert_eq!(audio.track(1.5).tokens, 13 + 7);
        let [first, second, third, last] = audio.convolutions()[..] else { panic!("four matrices") };
        assert_eq!([first.0.rows, second.0.rows, third.0.rows, last.0.rows], [9, 4320, 4320, 7680]);
        // Outputs per 1,000 frames: 64, 32 and 16 bins in a half, a quarter and an eighth of the frames.
        let outputs = [first, second, third, last].map(|(_, outputs)| (1e3 * outputs) as u32);
        assert_eq!(outputs, [32_000, 8000, 2000, 125]);
    }

    /// Voxtral (arXiv 2507.13264, table 1: 640 million and an adapter of 25 or 52 million; 4.7 and 24.3 billion): four positions
    /// become one token, 12.5 per second, silence at the end of a clip of 30 s included.
    #[test]
    fn voxtral_by_hand() {
        for (id, hidden, total) in [("voxtral-mini-3b", 3072, 4.7e9), ("voxtral-small-24b", 5120, 24.3e9)] {
            let (audio, width) = audio(id);
            let parameters = audio.parameters(width);
            assert_eq!(parameters, 636_968_960 + 5120 * hidden + hidden * hidden, "{id}");
            let all = architecture(id).unwrap().parameters().total + parameters;
            assert!((all as f64 / total - 1.0).abs() < 0.01, "{id}: {all}");
            assert_eq!(
                [1.0, 30.0, 31.0, 60.0].map(|seconds| audio.track(seconds).tokens),
                [375, 375, 750, 750]
            );
        }
    }

    /// Gemma 4 (transformers, `modeling_gemma4.py`): conformers of width 1,024 with two blocks of 4,096, attention with a
    /// projection of relative positions and a scale per element of a head, a convolution of 5 between 1024 × 2048 and 1024²;
    /// convolutions of 128 and 32 channels, 1024 × 1536 with a bias and 1536 into the model. A token is 40 ms.
    #[test]
    fn gemma_4_by_hand() {
        let feed_forward = 2 * (2 * 1024 * 4096 + 2 * 1024);
        let attention = 4 * 1024 * 1024 + 1024 * 1024 + 128;
        let convolution = 3 * 1024 * 1024 + 5 * 1024 + 2 * 1024;
        let layer = feed_forward + attention + convolution + 3 * 1024;
        let before = 9 * 128 + 128 + 9 * 128 * 32 + 32 + 32 * 32 * 1024;
        for (id, hidden) in [("gemma-4-e2b", 1536), ("gemma-4-e4b", 2560)] {
            let (audio, width) = audio(id);
            let parameters = audio.parameters(width);
            assert_eq!(parameters, before + 12 * layer + 1024 * 1536 + 1536 + 1536 * hidden, "{id}");
            let track = audio.track(30.0);
            assert_eq!(track, Track { frames: 3000, positions: 750, queries: 12, keys: 24, tokens: 750 });
        }
    }
}
