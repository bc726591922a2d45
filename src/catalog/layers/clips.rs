//! How audio is cut for an encoder: mel frames that are convolved together, positions that attend to each other, and the prompt
//! tokens that remain.

use serde::{Deserialize, Serialize};

use super::Subsampling;

/// Mel frames of a second of audio: one per 10 ms in every encoder of the catalogue (Whisper, arXiv 2212.04356, section 2.2).
const FRAMES_PER_SECOND: f64 = 100.0;

/// Lengths of audio at each stage of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Track {
    /// Mel frames that are convolved, silence after the end included.
    pub frames: u32,
    /// Positions between layers.
    pub positions: u32,
    /// Neighbouring positions whose queries see the same keys.
    pub queries: u32,
    /// Keys to which each of these attends.
    pub keys: u32,
    /// Prompt tokens, without the marks around audio.
    pub tokens: u32,
}

/// How audio is cut before the encoder's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Clips {
    /// Clips of this many mel frames, the last one filled up with silence; a position attends to its clip (Whisper, arXiv 2212.04356).
    Padded {
        /// Mel frames of a clip.
        frames: u32,
        /// True if silence is in the prompt too (Voxtral, arXiv 2507.13264, section 2.1).
        #[serde(default)]
        kept: bool,
    },
    /// Chunks of this many mel frames, each convolved alone; a position attends to this many chunks (Qwen2.5-Omni, arXiv 2503.20215,
    /// section 2.2; Qwen3-Omni, arXiv 2509.17765).
    Chunked {
        /// Mel frames of a chunk.
        frames: u32,
        /// Chunks that see each other.
        chunks: u32,
    },
    /// Convolved whole; a block of positions attends to itself and its neighbours (Gemma 3n and 4; transformers,
    /// `modeling_gemma4.py`).
    Local {
        /// Positions of a block.
        block: u32,
        /// Positions before and after a block to which it attends.
        beside: u32,
    },
}

impl Clips {
    /// The track of `seconds` of audio, above zero. `merge` positions become one token; positions left over at the end of a clip
    /// become none. There is at least one token.
    pub fn track(self, seconds: f64, subsampling: Subsampling, merge: u32) -> Track {
        let frames = libm::ceil(seconds * FRAMES_PER_SECOND).max(1.0) as u64;
        let merge = u64::from(merge.max(1));
        let positions = |frames| subsampling.positions(frames);
        let (convolved, all, queries, keys, tokens) = match self {
            Self::Padded { frames: clip, kept } => {
                let clip = u64::from(clip.max(1));
                let (clips, one) = (frames.div_ceil(clip), positions(clip));
                let heard = (frames / clip) * (one / merge) + positions(frames % clip) / merge;
                (clips * clip, clips * one, one, one, if kept { clips * (one / merge) } else { heard })
            }
            Self::Chunked { frames: chunk, chunks } => {
                let chunk = u64::from(chunk.max(1));
                let all = (frames / chunk) * positions(chunk) + positions(frames % chunk);
                let seen = (u64::from(chunks) * positions(chunk)).min(all);
                (frames, all, seen, seen, all / merge)
            }
            Self::Local { block, beside } => {
                let all = positions(frames);
                let queries = u64::from(block.max(1)).min(all);
                (frames, all, queries, (queries + u64::from(beside)).min(all), all.div_ceil(merge))
            }
        };
        let whole = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Track {
            frames: whole(convolved),
            positions: whole(all),
            queries: whole(queries),
            keys: whole(keys),
            tokens: whole(tokens.max(1)),
        }
    }

    /// The smallest and the largest of the numbers, for bounds.
    pub fn number_range(self) -> (u32, u32) {
        match self {
            Self::Padded { frames, .. } => (frames, frames),
            Self::Chunked { frames, chunks } => (frames.min(chunks), frames.max(chunks)),
            Self::Local { block, beside } => (block, block.max(beside)),
        }
    }
}
