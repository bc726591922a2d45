//! The audio encoder of a `config.json`: `audio_config` of the types whose blocks are known.

use super::Import;
use super::config::Config;
use crate::catalog::architecture::Norm;
use crate::catalog::layers::{Audio, Biases, Clips, Projector, Subsampling};
use crate::scenario::bounds;

/// The key of the encoder's object.
const KEY: &str = "audio_config";

/// Longest clip of Qwen2-Audio and Gemma 4, s: their feature extractors cut off what follows 480,000 samples of 16 kHz
/// (transformers 5.23.0, `feature_extraction_whisper.py`, `feature_extraction_gemma4.py`).
const CLIP: u32 = 30;

/// Longest clip of Qwen2.5-Omni, s: `n_samples` 4,800,000 in the `preprocessor_config.json` of its checkpoints, cut off by the same
/// extractor. Qwen3-Omni's processor sets `truncation` to false, and Voxtral's cuts audio into clips.
const OMNI_CLIP: u32 = 300;

/// Mel frames that a position of Whisper's table stands for.
const FRAMES_PER_POSITION: u32 = 2;

/// Settings of all encoders that affect neither time nor memory, or follow from others.
const SETTINGS: &[&str] = &[
    "activation_dropout",
    "activation_function",
    "attention_invalid_logits_value",
    "attention_logit_cap",
    "conv_chunksize",
    "dropout",
    "encoder_layerdrop",
    "gradient_clipping",
    "head_dim",
    "hidden_act",
    "init_std",
    "layerdrop",
    "max_source_positions",
    "num_hidden_layers",
    "num_key_value_heads",
    "output_dim",
    "residual_weight",
    "scale_embedding",
    "use_clipped_linears",
    "vocab_size",
];

impl Import<'_> {
    /// The audio encoder before this model; `None` without one, and where its kind is not known.
    pub(super) fn audio(&self, hidden: u32) -> Option<Audio> {
        let holder = self.levels.iter().chain([self.config]).find(|level| level.has(KEY))?;
        let read = kind(self.levels.first().unwrap_or(self.config).text("model_type").unwrap_or_default())?;
        let config = holder.inside(KEY)?;
        config.implied(SETTINGS);
        read(&config, hidden).filter(|audio| bounds::audio(audio).is_empty())
    }
}

/// Reads an encoder before a model of this hidden width.
type Reader = fn(&Config<'_>, u32) -> Option<Audio>;

/// The encoder of a type of file.
fn kind(model_type: &str) -> Option<Reader> {
    Some(match model_type {
        "qwen2_audio" => qwen2,
        "qwen2_5_omni" | "qwen2_5_omni_thinker" => qwen25,
        "qwen3_omni_moe" | "qwen3_omni_moe_thinker" => qwen3,
        "voxtral" => voxtral,
        "gemma4" => gemma4,
        _ => return None,
    })
}

/// An encoder with Whisper's layers and convolutions (arXiv 2212.04356), a layer norm after them, and Qwen2-Audio's projector.
fn whisper(config: &Config<'_>) -> Option<Audio> {
    let width = config.positive(&["d_model", "hidden_size"])?;
    let positions = config.positive(&["max_source_positions"]).unwrap_or(1500);
    Some(Audio {
        layers: config.positive(&["encoder_layers", "num_hidden_layers"])?,
        width,
        heads: config.positive(&["encoder_attention_heads", "num_attention_heads"])?,
        ffn: config.positive(&["encoder_ffn_dim", "intermediate_size"])?,
        bias: Biases::AllButKeys,
        norm: Norm::Layernorm,
        norms: 2,
        kernel: None,
        mels: config.positive(&["num_mel_bins"]).unwrap_or(128),
        subsampling: Subsampling::Temporal,
        clips: Clips::Padded { frames: positions.saturating_mul(FRAMES_PER_POSITION), kept: false },
        merge: 2,
        projector: Projector::Linear,
        positions,
        longest: None,
        extra: 2 * u64::from(width),
    })
}

/// Qwen2-Audio (arXiv 2407.10759): clips of 30 s, means of two positions.
fn qwen2(config: &Config<'_>, _: u32) -> Option<Audio> {
    Some(Audio { longest: Some(CLIP), ..whisper(config)? })
}

/// Qwen2.5-Omni (arXiv 2503.20215): chunks of 2 s, computed positions, two embeddings of marks.
fn qwen25(config: &Config<'_>, hidden: u32) -> Option<Audio> {
    let audio = whisper(config)?;
    let frames = config.positive(&["n_window"]).unwrap_or(100).saturating_mul(2);
    let clips = Clips::Chunked { frames, chunks: 1 };
    let extra = audio.extra + 2 * u64::from(hidden);
    Some(Audio { clips, positions: 0, longest: Some(OMNI_CLIP), extra, ..audio })
}

/// Qwen3-Omni (arXiv 2509.17765): convolutions over time and frequency in chunks of 1 s, of which eight see each other.
fn qwen3(config: &Config<'_>, _: u32) -> Option<Audio> {
    let audio = whisper(config)?;
    let frames = config.positive(&["n_window"]).unwrap_or(50).saturating_mul(2);
    let seen = config.positive(&["n_window_infer"]).unwrap_or(800);
    let channels = config.positive(&["downsample_hidden_size"]).unwrap_or(480);
    Some(Audio {
        bias: Biases::All,
        subsampling: Subsampling::Spectral { channels: [channels; 3] },
        clips: Clips::Chunked { frames, chunks: (seen / frames).max(1) },
        merge: 1,
        projector: Projector::Perceptron,
        positions: 0,
        ..audio
    })
}

/// Voxtral (arXiv 2507.13264): clips of 30 s with their silence, tokens of as many positions as fill the inner width.
fn voxtral(config: &Config<'_>, _: u32) -> Option<Audio> {
    let audio = whisper(config)?;
    let Clips::Padded { frames, .. } = audio.clips else { return None };
    let clips = Clips::Padded { frames, kept: true };
    Some(Audio { clips, merge: audio.ffn / audio.width, projector: Projector::Stacked, ..audio })
}

/// Gemma 4: conformers with nine norms over blocks of positions, feed-forward blocks four times as wide as a position
/// (transformers, `configuration_gemma4.py`, `modeling_gemma4.py`).
fn gemma4(config: &Config<'_>, _: u32) -> Option<Audio> {
    let width = config.positive(&["hidden_size"])?;
    let stated = config.numbers("subsampling_conv_channels").unwrap_or_else(|| vec![128, 32]);
    let mut channels = [0; 3];
    for (place, stated) in channels.iter_mut().zip(stated) {
        *place = stated;
    }
    let before = config.positive(&["attention_context_left"]).unwrap_or(13) - 1;
    let after = config.number(&["attention_context_right"]).unwrap_or(0);
    let block = config.positive(&["attention_chunk_size"]).unwrap_or(12);
    Some(Audio {
        layers: config.positive(&["num_hidden_layers"])?,
        width,
        heads: config.positive(&["num_attention_heads"])?,
        ffn: width.saturating_mul(4),
        bias: Biases::None,
        norm: Norm::Rmsnorm,
        norms: 9,
        kernel: Some(config.positive(&["conv_kernel_size"]).unwrap_or(5)),
        mels: config.positive(&["num_mel_bins"]).unwrap_or(128),
        subsampling: Subsampling::Spectral { channels },
        clips: Clips::Local { block, beside: before.saturating_add(after) },
        merge: 1,
        projector: Projector::Through { inner: config.positive(&["output_proj_dims"]).unwrap_or(1536) },
        positions: 0,
        longest: Some(CLIP),
        extra: 0,
    })
}
