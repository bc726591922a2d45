//! Images as input of a vision encoder: the size to which they are scaled, their patches, and the prompt tokens that
//! remain.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Size of an image, pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Tiles, patches and tokens of an image in an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EncodedImage {
    /// Tiles that are encoded one by one; 1 where an image is whole.
    pub tiles: u32,
    /// Patches of a tile, which attend to each other.
    pub patches: u32,
    /// Prompt tokens of all tiles, without the marks around an image, its rows and its tiles.
    pub tokens: u32,
}

impl EncodedImage {
    /// Patches of all tiles.
    pub fn all(&self) -> f64 {
        f64::from(self.tiles) * f64::from(self.patches)
    }
}

/// How images are scaled and cut. `merge` (or `pool`) is the side of the square of patches that becomes one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Images {
    /// Sides rounded to the nearest whole number of tokens, in an image of `least` to `most` tokens (Qwen2-VL, arXiv
    /// 2409.12191, section 2.1; transformers, `smart_resize`).
    Rounded {
        /// Side of a token's square, patches.
        merge: u32,
        /// Fewest tokens.
        least: u32,
        /// Most tokens.
        most: u32,
    },
    /// Sides padded to whole tokens, after shrinking to at most `most` tokens (MoonViT, arXiv 2504.07491, section 2.1).
    Padded {
        /// Side of a token's square, patches.
        merge: u32,
        /// Most tokens.
        most: u32,
    },
    /// Sides padded to whole tokens, after shrinking the longer side to `longest` pixels (Pixtral, arXiv 2410.07073).
    Bounded {
        /// Side of a token's square, patches.
        merge: u32,
        /// Longest side, pixels.
        longest: u32,
    },
    /// Square tiles of `side` pixels on the best of all canvases of at most `most` tiles, and the whole image as one further
    /// tile where there are several (Llama 4; transformers, `get_best_fit`).
    Tiled {
        /// Side of a token's square, patches.
        merge: u32,
        /// Side of a tile, pixels.
        side: u32,
        /// Most tiles.
        most: u32,
    },
    /// Square tiles of `side` pixels on the canvas of at most `most` tiles whose aspect ratio is nearest, and the whole image as one
    /// further tile where there are several (InternVL 1.5, arXiv 2404.16821, section 3.3; transformers,
    /// `get_optimal_tiled_canvas`).
    #[serde(rename = "nearest")]
    NearestAspectRatio {
        /// Side of a token's square, patches.
        merge: u32,
        /// Side of a tile, pixels.
        side: u32,
        /// Most tiles.
        most: u32,
    },
    /// Scaled up or down to as nearly `most` tokens as the aspect ratio allows (Gemma 4; transformers,
    /// `get_aspect_ratio_preserving_size`).
    Scaled {
        /// Side of a token's square, patches.
        pool: u32,
        /// Most tokens.
        most: u32,
    },
    /// Scaled to a square, whatever the aspect ratio (Gemma 3, arXiv 2503.19786, section 2.1).
    Square {
        /// Side of a token's square, patches.
        pool: u32,
        /// Side of the scaled image, pixels.
        side: u32,
    },
}

impl Images {
    /// Side of the square of patches that becomes one token.
    pub const fn merge(&self) -> u32 {
        match *self {
            Self::Rounded { merge, .. }
            | Self::Padded { merge, .. }
            | Self::Bounded { merge, .. }
            | Self::Tiled { merge, .. }
            | Self::NearestAspectRatio { merge, .. } => merge,
            Self::Scaled { pool, .. } | Self::Square { pool, .. } => pool,
        }
    }

    /// The smallest and the largest of the numbers, for bounds.
    pub fn number_range(&self) -> (u32, u32) {
        let (merge, least, most) = match *self {
            Self::Rounded { merge, least, most } => (merge, least, most),
            Self::Padded { merge, most } | Self::Scaled { pool: merge, most } => (merge, most, most),
            Self::Bounded { merge, longest } => (merge, longest, longest),
            Self::Tiled { merge, side, most } | Self::NearestAspectRatio { merge, side, most } => {
                (merge, side.min(most), side.max(most))
            }
            Self::Square { pool, side } => (pool, side, side),
        };
        (merge.min(least).min(most), merge.max(least).max(most))
    }

    /// Patches and tokens of an image of this size, with patches of `patch` pixels.
    pub fn encoded_image(&self, patch: u32, image: Pixels) -> EncodedImage {
        let merge = f64::from(self.merge());
        let unit = f64::from(patch) * merge;
        let (width, height) = (f64::from(image.width), f64::from(image.height));
        let padded = |scale: f64| [width, height].map(|side| libm::ceil(libm::floor(side * scale) / unit));
        let one = |sides: [f64; 2]| {
            let tokens = sides.map(|side| side.max(1.0)).into_iter().product::<f64>();
            EncodedImage { tiles: 1, patches: (tokens * merge * merge) as u32, tokens: tokens as u32 }
        };
        match *self {
            Self::Rounded { least, most, .. } => {
                let (least, most) = (f64::from(least), f64::from(most));
                let near = [width, height].map(|side| libm::rint(side / unit).max(1.0));
                let tokens = near[0] * near[1];
                let scale = |tokens: f64| libm::sqrt(tokens * unit * unit / (width * height)) / unit;
                one(if tokens > most {
                    [width, height].map(|side| libm::floor(side * scale(most)))
                } else if tokens < least {
                    [width, height].map(|side| libm::ceil(side * scale(least)))
                } else {
                    near
                })
            }
            Self::Padded { most, .. } => {
                let tokens = width * height / (unit * unit);
                one(padded(libm::sqrt(f64::from(most) / tokens).min(1.0)))
            }
            Self::Bounded { longest, .. } => one(padded((f64::from(longest) / width.max(height)).min(1.0))),
            Self::Tiled { side, most, .. } | Self::NearestAspectRatio { side, most, .. } => {
                let tile = libm::floor(f64::from(side) / unit).max(1.0);
                let choose = if matches!(self, Self::Tiled { .. }) { best_canvas } else { nearest_canvas };
                let tiles = choose(width / f64::from(side), height / f64::from(side), most);
                let tiles = if tiles > 1 { tiles + 1 } else { 1 };
                let tokens = tile * tile;
                let patches = (tokens * merge * merge) as u32;
                EncodedImage { tiles, patches, tokens: (tokens as u32).saturating_mul(tiles) }
            }
            Self::Scaled { most, .. } => {
                let most = f64::from(most);
                let scale = libm::sqrt(most / (width * height));
                let sides = [width, height].map(|side| libm::floor(side * scale).clamp(1.0, most));
                one(sides)
            }
            Self::Square { side, .. } => one([libm::floor(f64::from(side) / unit); 2]),
        }
    }
}

/// Tiles of the best canvas of at most `most` for an image of this many tiles: the smallest enlargement that keeps the image
/// whole, else the smallest reduction; of equal ones the smallest canvas.
fn best_canvas(width: f64, height: f64, most: u32) -> u32 {
    let mut best: Option<(f64, u32)> = None;
    for columns in 1..=most {
        for rows in 1..=most / columns {
            let scale = (f64::from(columns) / width).min(f64::from(rows) / height);
            let tiles = columns * rows;
            let better = best.is_none_or(|(other, fewer)| match scale.total_cmp(&other) {
                Ordering::Equal => tiles < fewer,
                Ordering::Less => scale >= 1.0,
                Ordering::Greater => other < 1.0,
            });
            if better {
                best = Some((scale, tiles));
            }
        }
    }
    best.map_or(1, |(_, tiles)| tiles)
}

/// Tiles of the canvas of at most `most` whose aspect ratio is nearest to that of an image of this many tiles; of equal ones the
/// largest with less than twice the image's area.
fn nearest_canvas(width: f64, height: f64, most: u32) -> u32 {
    let (mut best, mut tiles) = (f64::INFINITY, 1);
    for area in 1..=most {
        for columns in (1..=area).filter(|columns| area.is_multiple_of(*columns)) {
            let ratio = f64::from(columns) / f64::from(area / columns);
            let difference = (width / height - ratio).abs();
            let better = match difference.total_cmp(&best) {
                Ordering::Less => true,
                Ordering::Equal => width * height > 0.5 * f64::from(area),
                Ordering::Greater => false,
            };
            if better {
                (best, tiles) = (difference, area);
            }
        }
    }
    tiles
}
