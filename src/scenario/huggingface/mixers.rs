//! Mixers of each layer of a `config.json`, if layers differ in more than windows.

use super::Import;
use super::attention::seeing;
use super::config::{Config, MOST_LAYERS, too_many_layers};
use super::per_layer::PerLayer;
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{Mixer, Seen};
use crate::scenario::Problem;

/// The two mixers of a layer; the second is [`Mixer::None`] in most models.
pub(super) type Mixers = (Mixer, Mixer);

/// A layer with one mixer.
pub(super) const fn alone(mixer: Mixer) -> Mixers {
    (mixer, Mixer::None)
}

/// Layers with attention where `attends` is true, and with another mixer elsewhere.
pub(super) fn alternating(
    attention: Mixer,
    other: Mixer,
    attends: impl Iterator<Item = bool>,
) -> Vec<Mixers> {
    attends.map(|attends| alone(if attends { attention } else { other })).collect()
}

impl Import<'_> {
    /// The mixers of each layer; `None` if [`Architecture`] describes them without a stack.
    pub(super) fn mixers(
        &self,
        flat: &Architecture,
        attention: Mixer,
        parts: &PerLayer,
    ) -> Result<Option<Vec<Mixers>>, Problem> {
        self.check_layers()?;
        if flat.layers > MOST_LAYERS {
            return if parts.differ() || self.config.has("layer_types") {
                Err(too_many_layers())
            } else {
                Ok(None)
            };
        }
        match self.listed(flat, attention, parts)? {
            None if parts.differ() => Ok(Some(vec![alone(attention); flat.layers as usize])),
            mixers => Ok(mixers),
        }
    }

    /// The mixers of each layer, from the first of the model's keys that gives them.
    fn listed(
        &self,
        flat: &Architecture,
        attention: Mixer,
        parts: &PerLayer,
    ) -> Result<Option<Vec<Mixers>>, Problem> {
        let config = self.config;
        let layers = flat.layers;
        if let Some(kinds) = self.nemotron()? {
            let mamba = self.mamba2()?;
            let of = |kind: char| match kind {
                'M' => mamba,
                '*' => attention,
                _ => Mixer::None,
            };
            return Ok(Some(kinds.into_iter().map(of).map(alone).collect()));
        }
        if let Some(linear) = config.inside("linear_attn_config") {
            return self.kimi(&linear, layers, attention).map(Some);
        }
        if let Some(size) = config.positive(&["layer_group_size"]) {
            return self.grouped(flat, attention, size).map(Some);
        }
        if self.is(&["recurrent_gemma"]) {
            return self.griffin(flat, attention).map(Some);
        }
        if let Some(ratios) = config.numbers("compress_ratios") {
            return self.compressed(flat, ratios).map(Some);
        }
        if let Some(mixers) = self.of_type(flat, attention)? {
            return Ok(Some(vec![mixers; layers as usize]));
        }
        if let Some(period) = config.positive(&["attn_layer_period"]) {
            let offset = config.number(&["attn_layer_offset"]).unwrap_or(0);
            let attends = (0..layers).map(|layer| layer % period == offset);
            return Ok(Some(alternating(attention, self.mamba1(flat.hidden)?, attends)));
        }
        if let Some(places) = config.numbers("attn_layer_indices") {
            let attends = (0..layers).map(|layer| places.contains(&layer));
            return Ok(Some(alternating(attention, self.mamba2()?, attends)));
        }
        if let Some(flags) = config.numbers("hybrid_layer_pattern") {
            let flags = Config::each_layer("hybrid_layer_pattern", flags, layers)?;
            let attends = flags.into_iter().map(|flag| flag == 0);
            return Ok(Some(alternating(attention, self.swa_shape(attention), attends)));
        }
        if let Some(selected) = self.selected(layers, attention)? {
            return Ok(Some(selected.into_iter().map(alone).collect()));
        }
        if let Some(kinds) = config.numbers("attn_type_list") {
            let kinds = Config::each_layer("attn_type_list", kinds, layers)?;
            let attends = kinds.into_iter().map(|kind| kind == 1);
            return Ok(Some(alternating(attention, self.lightning(flat), attends)));
        }
        if self.is(&["llama4"]) {
            let Some(size) = config.positive(&["attention_chunk_size"]) else { return Ok(None) };
            let attends = (0..layers).map(|layer| (layer + 1).is_multiple_of(4));
            return Ok(Some(alternating(attention, seeing(attention, Seen::Chunk(size)), attends)));
        }
        if self.is(&["longcat_flash"]) {
            return Ok(Some(vec![alone(attention); layers as usize]));
        }
        self.typed(flat, attention, parts)
    }

    /// The mixers of a type whose layers all have the same; `None` for other types.
    fn of_type(&self, flat: &Architecture, attention: Mixer) -> Result<Option<Mixers>, Problem> {
        Ok(Some(match self.model_type {
            "falcon_h1" => (attention, self.mamba2()?),
            "rwkv7" => alone(self.rwkv7(flat)?),
            "falcon_mamba" | "mamba" => alone(self.mamba1(flat.hidden)?),
            "mamba2" => alone(self.mamba2()?),
            "xlstm" => alone(self.matrix_lstm(flat.hidden, flat.heads)),
            _ => return Ok(None),
        }))
    }
}
