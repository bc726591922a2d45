//! Models by their shape, for software that does not name one.

use super::{Architecture, catalog};

/// What a training log or command says of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Layers.
    pub layers: f64,
    /// Hidden size.
    pub hidden: f64,
    /// Query heads.
    pub heads: f64,
    /// Width of the MLP, if it is given.
    pub ffn: Option<f64>,
    /// Heads of keys and values, if they are given. Megatron-LM prints 1 where queries are not grouped too.
    pub groups: Option<f64>,
    /// True if it has experts.
    pub experts: bool,
    /// Vocabulary, if it is given, which decides between models that are alike in all else.
    pub vocab: Option<f64>,
    /// Longest sequence, if it is given, which decides between models that are alike in all else.
    pub positions: Option<f64>,
}

impl Shape {
    /// The shape that Megatron-LM's arguments give, by their names with underscores.
    pub fn of(number: impl Fn(&str) -> Option<f64>) -> Option<Self> {
        Some(Self {
            layers: number("num_layers")?,
            hidden: number("hidden_size")?,
            heads: number("num_attention_heads")?,
            ffn: number("ffn_hidden_size"),
            groups: number("num_query_groups"),
            experts: number("num_experts").is_some_and(|experts| experts > 1.0),
            vocab: number("vocab_size"),
            positions: number("max_position_embeddings"),
        })
    }

    /// The catalogue's only model of this shape; else why there is no such one, as a sentence without a full stop.
    pub fn model(&self) -> Result<&'static Architecture, String> {
        let Self { layers, hidden, heads, .. } = *self;
        let shape = format!("The model has {layers} layers, hidden size {hidden} and {heads} heads");
        let mut alike: Vec<&Architecture> =
            catalog().architectures.iter().filter(|known| self.is(known)).collect();
        let vocab = |known: &&Architecture| f64::from(known.vocab);
        let positions = |known: &&Architecture| f64::from(known.max_sequence);
        narrow(&mut alike, self.vocab, vocab);
        narrow(&mut alike, self.positions, positions);
        match alike[..] {
            [only] => Ok(only),
            [] => Err(format!("{shape}: the catalogue has none like it")),
            [first, second, ..] => {
                Err(format!("{shape}, like {} and {}: choose one", first.name, second.name))
            }
        }
    }

    fn is(&self, known: &Architecture) -> bool {
        let same =
            |given: Option<f64>, known: u32| given.is_none_or(|given| (given - f64::from(known)).abs() < 0.5);
        (f64::from(known.layers), f64::from(known.hidden), f64::from(known.heads))
            == (self.layers, self.hidden, self.heads)
            && (known.ffn == 0 || same(self.ffn, known.ffn))
            && (same(self.groups, 1) || same(self.groups, known.kv_heads))
            && known.moe.is_some() == self.experts
    }
}

/// Keeps the models with the given number, if there are any.
fn narrow(alike: &mut Vec<&Architecture>, given: Option<f64>, number: impl Fn(&&Architecture) -> f64) {
    let has = |known: &&Architecture| given.is_some_and(|given| (given - number(known)).abs() < 0.5);
    if alike.iter().any(has) {
        alike.retain(has);
    }
}
