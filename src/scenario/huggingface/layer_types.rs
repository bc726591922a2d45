//! Kinds of layers that a `config.json` lists one by one (`layer_types`, `hybrid_override_pattern`), or that follow from
//! a period.

use super::Import;
use super::attention::{other_shape, seeing};
use super::config::{Config, problem};
use super::mixers::{Mixers, alone};
use super::per_layer::PerLayer;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{Convolution, Gate, Heads, Mixer, Seen};
use crate::scenario::Problem;

impl Import<'_> {
    /// The mixers of each layer by its type; `None` if [`Architecture`] describes them without a stack.
    pub(super) fn typed(
        &self,
        flat: &Architecture,
        attention: Mixer,
        parts: &PerLayer,
    ) -> Result<Option<Vec<Mixers>>, Problem> {
        let config = self.config;
        let Some(types) = self.types(flat.layers)? else {
            let gated = matches!(attention, Mixer::Attention(Heads { gate: Gate::Element | Gate::Head, .. }));
            return Ok(gated.then(|| vec![alone(attention); flat.layers as usize]));
        };
        let (full, window) = (self.global_shape(attention), self.windowed(flat, attention));
        let other = config.inside("attention_other_setting");
        let window = window.map(|window| other.as_ref().map_or(window, |other| other_shape(other, window)));
        let plain = |kind: &&str| matches!(*kind, "full_attention" | "attention" | "sliding_attention");
        let uniform = !parts.differ() && other.is_none() && full == flat.uniform(false, false, 1).mixer;
        if uniform && types.iter().all(plain) {
            return Ok(None);
        }
        let of = |kind: &str| {
            Ok(match kind {
                "full_attention" | "attention" => full,
                "sliding_attention" => window.ok_or_else(|| problem("sliding_window", "is missing"))?,
                "chunked_attention" => {
                    let size = config.required(&["attention_chunk_size"])?;
                    seeing(attention, Seen::Chunk(size))
                }
                "linear_attention" if config.positive(&["linear_num_key_heads"]).is_some() => {
                    self.gated_delta()?
                }
                "linear_attention" if self.is(&["minimax"]) => self.lightning(flat),
                "mamba" => self.mamba2()?,
                "conv" => Mixer::Convolution(Convolution { taps: config.required(&["conv_L_cache"])? }),
                other => {
                    let shown: String = other.chars().take(48).collect();
                    return Err(problem(
                        "layer_types",
                        format!("has `{shown}`, a kind of layer that is not modelled"),
                    ));
                }
            })
        };
        config.implied(&["conv_dim", "full_attn_idxs"]);
        types.into_iter().map(|kind| of(kind).map(alone)).collect::<Result<_, _>>().map(Some)
    }

    /// The type of each layer: listed, or derived from the layers with full attention; `None` if the file gives neither.
    fn types(&self, layers: u32) -> Result<Option<Vec<&str>>, Problem> {
        let config = self.config;
        let every = config.positive(&["full_attention_interval"]);
        let places = config.numbers("full_attn_idxs");
        if let Some(types) = config.words("layer_types") {
            return Config::each_layer("layer_types", types, layers).map(Some);
        }
        let types = |other: &'static str, full: &dyn Fn(u32) -> bool| {
            let kind = |layer: u32| if full(layer) { "full_attention" } else { other };
            Ok(Some((0..layers).map(kind).collect()))
        };
        if let Some(every) = every {
            return types("linear_attention", &|layer| (layer + 1).is_multiple_of(every));
        }
        if let Some(places) = places {
            return types("conv", &|layer| places.contains(&layer));
        }
        if self.is_small_gemma() {
            // The classes of Gemma 3n and 4 derive the types; the last layer has full attention.
            let every = if self.is(&["gemma3n"]) { 5 } else { 6 };
            return types("sliding_attention", &|layer| {
                (layer + 1).is_multiple_of(every) || layer + 1 == layers
            });
        }
        Ok(None)
    }

    /// The letter of each of Nemotron-H's layers: `M` state space, `*` attention, `-` dense block, `E` experts. `None`
    /// for other types.
    pub(super) fn nemotron(&self) -> Result<Option<Vec<char>>, Problem> {
        if let Some(pattern) = self.config.text("hybrid_override_pattern") {
            let letters: Vec<char> = pattern.chars().collect();
            let known = letters.iter().all(|letter| "M*-E".contains(*letter));
            return if known {
                Ok(Some(letters))
            } else {
                Err(problem("hybrid_override_pattern", "has letters other than M, *, - and E"))
            };
        }
        let Some(types) = self.config.words("layers_block_type").filter(|_| self.is(&["nemotron_h"])) else {
            return Ok(None);
        };
        let letter = |kind: &str| match kind {
            "mamba" => Ok('M'),
            "attention" => Ok('*'),
            "mlp" => Ok('-'),
            "moe" => Ok('E'),
            _ => Err(problem("layers_block_type", "has kinds other than mamba, attention, mlp and moe")),
        };
        types.into_iter().map(letter).collect::<Result<_, _>>().map(Some)
    }
}
