//! Vision encoders: transformers over the patches of an image, whose outputs take the place of prompt tokens.

use serde::{Deserialize, Serialize};

use super::{
    Biases, BlockNames, Blocks, Cut, EncodedImage, Images, Matrix, Norm, Pixels, Projector, is_default,
    is_one, is_two, one, two,
};
use crate::units::Flops;

/// The vision encoder of a multimodal model (a vision transformer: Dosovitskiy et al., arXiv 2010.11929), with its projector.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vision {
    /// Layers.
    pub layers: u32,
    /// Width of a patch between layers.
    pub width: u32,
    /// Attention heads, each with keys and values of its own.
    pub heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Inner width of the feed-forward block.
    pub ffn: u32,
    /// True if the feed-forward block is gated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gated: bool,
    /// True if projections have biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bias: bool,
    /// Kind of norm.
    #[serde(default)]
    pub norm: Norm,
    /// Norms of a layer.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub norms: u32,
    /// Side of a patch, pixels.
    pub patch: u32,
    /// Frames of a video that form one patch; an image is taken that many times.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub frames: u32,
    /// Rows of the learned position tables; 0 with rotary positions alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub positions: u32,
    /// Layers that see only a window of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<Windows>,
    /// How images become patches and tokens.
    pub images: Images,
    /// What follows the encoder.
    pub projector: Projector,
    /// Elements outside of layers and projector: biases of the patch embedding, class embeddings, first and last norms.
    #[serde(default, skip_serializing_if = "is_default")]
    pub extra: u64,
}

/// Attention inside of windows (Qwen2.5-VL, arXiv 2502.13923, section 2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Patches of a window.
    pub patches: u32,
    /// Layers that see the whole image nevertheless.
    pub full: u32,
}

/// Labels of the vision encoder's operators.
const NAMES: &BlockNames = &BlockNames {
    qkv: "Vision QKV projection",
    attention: "Vision attention",
    output: "Vision attention output",
    up: "Vision MLP up",
    activation: "Vision activation",
    down: "Vision MLP down",
    norms: "Vision norms",
    all_reduce: "Vision all-reduce",
    projector: "Vision projector",
};

impl Vision {
    /// Patches and tokens of an image.
    pub fn encoded_image(&self, image: Pixels) -> EncodedImage {
        self.images.encoded_image(self.patch, image)
    }

    /// The layers of the encoder.
    pub const fn blocks(&self) -> Blocks {
        Blocks {
            layers: self.layers,
            width: self.width,
            heads: self.heads,
            head_dim: self.head_dim,
            ffn: self.ffn,
            gated: self.gated,
            bias: if self.bias { Biases::All } else { Biases::None },
            norm: self.norm,
            norms: self.norms,
            kernel: None,
            names: NAMES,
        }
    }

    /// Elements that form one token: those of a square of patches.
    pub fn merged(&self) -> u64 {
        let merge = u64::from(self.images.merge());
        u64::from(self.width) * merge * merge
    }

    /// The matrix of the patch embedding: pixels of three colours in all frames of a patch, by the width.
    pub fn embedding(&self) -> Matrix {
        let pixels = 3 * u64::from(self.frames) * u64::from(self.patch) * u64::from(self.patch);
        Matrix::new("Patch embedding", pixels, u64::from(self.width), Cut::Whole)
    }

    /// The matrices of one copy of the projector, by which each token is multiplied.
    pub fn projections(&self, hidden: u32) -> impl Iterator<Item = Matrix> + use<> {
        self.projector.matrices(NAMES.projector, u64::from(self.width), self.merged(), u64::from(hidden))
    }

    /// Parameters of the encoder and its projector into a model of this hidden width: 3 f p² w + positions · w, and per layer
    /// 4 a w + (2 or 3) w · ffn with norms and biases, for patches of p pixels and f frames, and heads of width a together.
    pub fn parameters(&self, hidden: u32) -> u64 {
        let (width, blocks) = (u64::from(self.width), self.blocks());
        let copies = u64::from(self.projector.copies());
        let projector: u64 = self.projections(hidden).map(|matrix| matrix.elements()).sum();
        let kinds = (blocks.norm_vectors(), self.bias);
        self.embedding().elements()
            + u64::from(self.positions) * width
            + blocks.parameters()
            + copies * projector
            + self.projector.vectors(width, self.merged(), u64::from(hidden), kinds)
            + self.extra
    }

    /// Layers that see the whole image (or tile), and those that see windows of it.
    pub fn spans(&self) -> (u32, u32) {
        let full = self.windows.map_or(self.layers, |windows| windows.full.min(self.layers));
        (full, self.layers - full)
    }

    /// Floating-point operations of one image: two per multiply-add of matrices and patches or tokens, and 4 · a per pair of
    /// patches that see each other.
    pub fn flops(&self, grid: EncodedImage, hidden: u32) -> Flops {
        let elements = |matrix: Matrix| matrix.elements() as f64;
        let (full, windowed) = self.spans();
        let patches = f64::from(grid.patches);
        let seen = self.windows.map_or(patches, |windows| f64::from(windows.patches).min(patches));
        let keys = f64::from(full) * patches + f64::from(windowed) * seen;
        let blocks = self.blocks();
        let per_patch = elements(self.embedding()) + f64::from(self.layers) * blocks.elements() as f64;
        let attention = 4.0 * blocks.attention_width() as f64 * keys;
        let projector: f64 = self.projections(hidden).map(elements).sum();
        let per_token = f64::from(self.projector.copies()) * projector;
        Flops::new(grid.all() * (2.0 * per_patch + attention) + f64::from(grid.tokens) * 2.0 * per_token)
    }

    /// The smallest and the largest of the numbers that must be above zero, for bounds.
    pub fn number_range(&self) -> (u32, u32) {
        let windows = self.windows.map_or(1, |windows| windows.patches);
        let own = [
            self.layers,
            self.width,
            self.heads,
            self.head_dim,
            self.ffn,
            self.patch,
            self.frames,
            windows,
            self.projector.inner().unwrap_or(1),
        ];
        let (least, most) = self.images.number_range();
        own.into_iter().fold((least, most), |(low, high), number| (low.min(number), high.max(number)))
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::layers::{EncodedImage, Pixels, Vision};
    use crate::catalog::{architecture, catalog};

    fn vision(id: &str) -> (Vision, u32) {
        let model = architecture(id).unwrap();
        (model.vision.unwrap(), model.hidden)
    }

    fn grid(id: &str, width: u32, height: u32) -> EncodedImage {
        vision(id).0.encoded_image(Pixels { width, height })
    }

    /// Models whose count has an audio encoder too, of about 305 million.
    const HEARING: [&str; 2] = ["gemma-4-e2b", "gemma-4-e4b"];

    #[test]
    fn parameters_agree_with_checkpoints() {
        let mut compared = 0;
        for model in &catalog().architectures {
            let (id, counted) = (model.id.as_str(), model.uncounted.encoders);
            let Some(vision) = model.vision else { continue };
            if counted > 0 {
                let audio = model.audio.filter(|_| HEARING.contains(&id));
                let total =
                    vision.parameters(model.hidden) + audio.map_or(0, |audio| audio.parameters(model.hidden));
                let error = total as f64 / counted as f64 - 1.0;
                assert!(
                    error.abs() < if audio.is_some() { 0.01 } else { 1.5e-4 },
                    "{id}: {total} for {counted}"
                );
                compared += 1;
            }
        }
        assert!(compared >= 28, "{compared} were compared");
    }

    /// Qwen2.5-VL-7B (arXiv 2502.13923, table 1): per layer QKV 1280 × 3840, output 1280², a gated block 3 × 1280 × 3420, their
    /// biases and two norms; patches of 3 × 2 × 14² pixels; a merger 5120² and 5120 × 3584.
    #[test]
    fn qwen2_5_vl_by_hand() {
        let layer = 1280 * 3840 + 3840 + 1280 * 1280 + 1280 + 3 * 1280 * 3420 + 2 * 3420 + 1280 + 2 * 1280;
        let merger = 1280 + 5120 * 5120 + 5120 + 5120 * 3584 + 3584;
        let (vision, hidden) = vision("qwen2.5-vl-7b");
        let parameters = vision.parameters(hidden);
        assert_eq!(parameters, 32 * layer + 3 * 2 * 14 * 14 * 1280 + merger);
        assert_eq!(parameters, 676_550_144);
        let model = architecture("qwen2.5-vl-7b").unwrap();
        assert_eq!(model.parameters().total + parameters, 8_292_166_656);
        // 1024 / 28 is 36.6: 37 × 37 tokens of four patches each.
        let grid = grid("qwen2.5-vl-7b", 1024, 1024);
        assert_eq!(grid, EncodedImage { tiles: 1, patches: 4 * 37 * 37, tokens: 37 * 37 });
        // Four layers see 5,476 patches, 28 see 64.
        let matrices: u64 = (1280 * 3840 + 1280 * 1280 + 3 * 1280 * 3420) * 32 + 1176 * 1280;
        let keys = 4 * 5476 + 28 * 64;
        let flops = 5476 * (2 * matrices + 4 * 1280 * keys) + 1369 * 2 * (5120 * 5120 + 5120 * 3584);
        assert!((vision.flops(grid, hidden).get() / flops as f64 - 1.0).abs() < 1e-12);
    }

    /// Llama 4 (transformers, `modeling_llama4.py`): 34 × 1408, an adapter 5632 × 4096 and 4096², and 4096 × 5120 into the
    /// model; 24 × 24 patches of a tile become 144 tokens. Scout has 108.64 billion parameters with it.
    #[test]
    fn llama_4_by_hand() {
        let layer = 4 * (1408 * 1408 + 1408) + 2 * 1408 * 5632 + 5632 + 1408 + 4 * 1408;
        let adapter = 5632 * 4096 + 4096 * 4096 + 4096 * 5120;
        let (vision, hidden) = vision("llama-4-scout");
        let around = 3 * 14 * 14 * 1408 + 577 * 1408 + 5 * 1408;
        assert_eq!(vision.parameters(hidden), 34 * layer + adapter + around);
        let scout = architecture("llama-4-scout").unwrap().parameters().total + vision.parameters(hidden);
        assert!((scout as f64 / 109e9 - 1.0).abs() < 0.005, "{scout}");
        assert_eq!(grid("llama-4-scout", 336, 336), EncodedImage { tiles: 1, patches: 576, tokens: 144 });
        // Two tiles side by side, and the whole image.
        assert_eq!(grid("llama-4-scout", 672, 336), EncodedImage { tiles: 3, patches: 576, tokens: 432 });
        // The smallest canvas that holds 1024 × 1024 is four tiles wide and high.
        assert_eq!(grid("llama-4-scout", 1024, 1024).tokens, 17 * 144);
    }

    /// Qwen3-VL-8B: 27 × 1152 and four mergers, three of which feed early layers; 8,767,123,696 parameters in the checkpoint on
    /// Hugging Face.
    #[test]
    fn qwen3_vl_by_hand() {
        let layer = 4 * (1152 * 1152 + 1152) + 2 * 1152 * 4304 + 4304 + 1152 + 4 * 1152;
        let merger = 4608 * 4608 + 4608 + 4608 * 4096 + 4096;
        let embedding = 3 * 2 * 16 * 16 * 1152 + 1152 + 2304 * 1152;
        let (vision, hidden) = vision("qwen3-vl-8b");
        let parameters = vision.parameters(hidden);
        assert_eq!(parameters, 27 * layer + 4 * merger + 2 * (1152 + 3 * 4608) + embedding);
        assert_eq!(architecture("qwen3-vl-8b").unwrap().parameters().total + parameters, 8_767_123_696);
        assert_eq!(
            grid("qwen3-vl-8b", 1024, 768),
            EncodedImage { tiles: 1, patches: 64 * 48, tokens: 32 * 24 }
        );
    }

    /// Gemma 3 takes 256 tokens for every image, Gemma 4 at most 280, Pixtral those of a longest side of 1,540 px, Kimi K2.5 at
    /// most about 4,096. Gemma 3 4B has 4,300,079,472 parameters with its encoder and 64 tokens more than the catalogue's language
    /// model, Mistral Small 3.2 24,011,361,280.
    #[test]
    fn other_rules_of_images() {
        assert_eq!(grid("gemma-3-27b", 64, 2048), EncodedImage { tiles: 1, patches: 4096, tokens: 256 });
        assert_eq!(grid("gemma-4-31b", 100, 100).tokens, 16 * 16);
        assert!(grid("gemma-4-31b", 4000, 1000).tokens <= 280);
        assert_eq!(grid("ministral-3-8b", 3080, 1540).tokens, 55 * 28);
        assert_eq!(grid("kimi-k2.5", 280, 29).tokens, 10 * 2);
        assert!(grid("kimi-k2.5", 16_384, 16_384).tokens <= 65 * 65);
        for (id, total) in
            [("gemma-3-4b", 4_300_079_472 - 64 * 2560), ("mistral-small-3.2-24b", 24_011_361_280)]
        {
            let (vision, hidden) = vision(id);
            assert_eq!(
                architecture(id).unwrap().parameters().total + vision.parameters(hidden),
                total,
                "{id}"
            );
        }
    }

    /// A larger image never has fewer tokens, but for what rounding takes off where it is scaled down.
    #[test]
    fn tokens_grow_with_the_image() {
        for model in &catalog().architectures {
            let Some(vision) = model.vision else { continue };
            let mut before = 0;
            for side in (1..=64).map(|step| 64 * step) {
                let grid = vision.encoded_image(Pixels { width: side, height: side });
                assert!(grid.tokens > 0 && grid.patches >= vision.images.merge(), "{}: {side}", model.id);
                assert!(f64::from(grid.tokens) >= 0.98 * f64::from(before), "{}: {side}: {grid:?}", model.id);
                before = grid.tokens.max(before);
            }
        }
    }
}
