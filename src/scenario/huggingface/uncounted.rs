//! Parts of a model that are not counted: everything beside the language model.

use super::config::Config;
use crate::catalog::Architecture;

/// Keys of objects that describe such parts, with the names of the parts.
const PARTS: [(&str, &str); 23] = [
    ("vision_config", "The vision encoder"),
    ("audio_config", "The audio encoder"),
    ("vit_config", "The vision encoder"),
    ("vision_encoder", "The vision encoder"),
    ("vision_encoder_config", "The vision encoder"),
    ("visual", "The vision encoder"),
    ("vision_tower_config", "The vision encoder"),
    ("sound_config", "The audio encoder"),
    ("speech_config", "The audio encoder"),
    ("encoder_config", "The encoder"),
    ("audio_encoder_config", "The audio encoder"),
    ("whisper_config", "The audio encoder"),
    ("gen_vision_config", "The image generator's encoder"),
    ("vq_config", "The image tokenizer"),
    ("projector_config", "The projector"),
    ("multimodal", "The audio encoder"),
    ("aligner_config", "The projector"),
    ("qformer_config", "The projector"),
    ("talker_config", "The talker"),
    ("tts_config", "The talker"),
    ("token2wav_config", "The speech decoder"),
    ("code2wav_config", "The speech decoder"),
    ("img_token_compression_config", "The projector"),
];

/// Keys of what is counted where the vision encoder is.
const SEEING: [&str; 2] = ["vision_config", "img_token_compression_config"];

/// The key of the audio encoder, which is counted if the encoder was read.
const HEARING: &str = "audio_config";

/// Notes the uncounted parts that a file describes. `levels` are its objects with model properties, `shape` the one of
/// the language model, `model` what was read of them.
pub(super) fn note(levels: &[&Config<'_>], shape: &Config<'_>, model: &Architecture) {
    let audit = shape.audit();
    for (key, part) in PARTS {
        let described = levels.iter().any(|level| level.get(key).is_some());
        let counted =
            model.vision.is_some() && SEEING.contains(&key) || model.audio.is_some() && key == HEARING;
        if described && !counted {
            audit.note(format!("{part} (`{key}`) is not counted: only the language model is"));
        }
    }
}
