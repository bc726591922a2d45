//! The prediction modules of a model: the layer that they repeat, and their parameters.

use super::architecture::Architecture;
use super::layers::{FeedForward, Layer, Mixer, Prediction};

/// Norms of a module without those of its layer: of the hidden state, of the embedding, and before the output head.
const NORMS: u64 = 3;

impl Prediction {
    /// The layer of the modules; its count is the number of modules.
    ///
    /// Where attention and feed-forward blocks are layers of their own (Nemotron), a module has the last of each.
    pub fn layer(&self, architecture: &Architecture) -> Layer {
        let last = |like: fn(&Layer) -> bool| architecture.layer_kinds().filter(like).last();
        let named = self.layer.and_then(|place| architecture.layer_kinds().nth(place as usize));
        let attending = named.or_else(|| last(|layer| layer.mixer.attends()));
        let mixing = attending.or_else(|| last(|layer| layer.mixer.is_some())).unwrap_or_default();
        let whole = Layer { count: self.modules, copies: None, ..mixing };
        match last(|layer| layer.ffn != FeedForward::None) {
            Some(transforming) if whole.ffn == FeedForward::None => {
                let alone = transforming.mixer == Mixer::None;
                let norms = if alone { whole.norms + transforming.norms } else { transforming.norms };
                Layer { ffn: transforming.ffn, norms, ..whole }
            }
            _ => whole,
        }
    }

    /// Parameters of all modules: those which are stored, and those that a token which passes all modules is multiplied
    /// with.
    ///
    /// Embedding and output head are not counted, though some checkpoints have copies of them for each module.
    pub fn parameters(&self, architecture: &Architecture) -> (u64, u64) {
        let layer = self.layer(architecture);
        let beside = Self::projection(architecture.hidden).elements() + Self::norms(architecture);
        let (total, active) = architecture.layer_parameters(&layer);
        let modules = u64::from(self.modules);
        (modules * (total + beside), modules * (active + beside))
    }

    /// Elements of the norms of one module, without those of its layer.
    pub fn norms(architecture: &Architecture) -> u64 {
        NORMS * architecture.norm_width()
    }
}
