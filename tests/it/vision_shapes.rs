//! Parameters, operations and tokens of vision encoders, counted by hand and from checkpoints.

use foretoken::catalog::layers::{EncodedImage, Pixels, Vision};
use foretoken::catalog::{architecture, catalog};

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
            assert!(error.abs() < if audio.is_some() { 0.01 } else { 1.5e-4 }, "{id}: {total} for {counted}");
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
    assert_eq!(grid("qwen3-vl-8b", 1024, 768), EncodedImage { tiles: 1, patches: 64 * 48, tokens: 32 * 24 });
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
    for (id, total) in [("gemma-3-4b", 4_300_079_472 - 64 * 2560), ("mistral-small-3.2-24b", 24_011_361_280)]
    {
        let (vision, hidden) = vision(id);
        assert_eq!(architecture(id).unwrap().parameters().total + vision.parameters(hidden), total, "{id}");
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
