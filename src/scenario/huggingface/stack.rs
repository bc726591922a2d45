//! Layers by kind, for models whose layers differ in more than windows and experts.

use super::Import;
use super::mixers::{Mixers, alone};
use crate::catalog::architecture::Architecture;
use crate::catalog::layers::{FeedForward, Layer, Mixer, Moe};
use crate::scenario::Problem;

impl Import<'_> {
    /// Adds the stack of layers to an architecture, and fits its other fields to the most frequent layers. Without
    /// such differences the architecture stays unchanged.
    pub(super) fn stack(&self, architecture: &mut Architecture) -> Result<(), Problem> {
        if self.is(&["zamba2"]) {
            let stack = self.zamba2(architecture)?;
            describe(architecture, &stack);
            architecture.stack = stack;
            return Ok(());
        }
        let attention = self.attention(architecture);
        let parts = self.per_layer(architecture)?;
        let layers: Vec<(Mixers, FeedForward)> = match self.searched(architecture, attention)? {
            Some(blocks) => blocks.into_iter().map(|(mixer, ffn)| (alone(mixer), ffn)).collect(),
            None => match self.mixers(architecture, attention, &parts)? {
                Some(mixers) => mixers.into_iter().zip(self.blocks(architecture)?).collect(),
                None => return Ok(()),
            },
        };
        let mut stack: Vec<Layer> = Vec::new();
        for (place, (mut mixers, mut ffn)) in (0..).zip(layers) {
            let extra = parts.fit(place, &mut mixers.0, &mut ffn, architecture.hidden)
                + self.token_shift(architecture);
            let (mixer, beside) = mixers;
            let halves = u32::from(mixer.is_some()) + u32::from(ffn != FeedForward::None);
            let norms = if halves == 2 { architecture.norms_per_layer + parts.norms } else { halves };
            let layer = Layer { count: 1, copies: None, mixer, beside, ffn, norms, extra };
            match stack.iter_mut().find(|known| Layer { count: 1, ..**known } == layer) {
                Some(known) => known.count += 1,
                None => stack.push(layer),
            }
        }
        describe(architecture, &stack);
        architecture.extra = parts.outside;
        architecture.stack = stack;
        Ok(())
    }

    /// Parameters with which RWKV-7's feed-forward block mixes a token's input with that of the token before it.
    fn token_shift(&self, architecture: &Architecture) -> u64 {
        if self.is(&["rwkv7"]) { u64::from(architecture.hidden) } else { 0 }
    }
}

/// Sets the fields that describe the most frequent layers.
fn describe(architecture: &mut Architecture, stack: &[Layer]) {
    architecture.window = None;
    let attention = stack.iter().filter(|layer| matches!(layer.mixer, Mixer::Attention(_)));
    if let Some(Layer { mixer: Mixer::Attention(heads), .. }) = attention.max_by_key(|layer| layer.count) {
        architecture.heads = heads.heads;
        architecture.kv_heads = heads.kv_heads;
        architecture.head_dim = heads.head_dim;
    }
    let latent = stack.iter().any(|layer| matches!(layer.mixer, Mixer::Latent(_)));
    architecture.mla = architecture.mla.filter(|_| latent);
    let dense = stack.iter().filter_map(|layer| match layer.ffn {
        FeedForward::Dense(width) => Some(width),
        _ => None,
    });
    architecture.ffn = dense.max().unwrap_or(0);
    let experts = stack.iter().find_map(|layer| layer.experts().copied());
    let others = stack.iter().filter(|layer| layer.experts().is_none()).map(|layer| layer.count).sum();
    architecture.moe = experts.map(|moe| Moe { dense_layers: others, ..moe });
}
