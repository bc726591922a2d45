//! Lookup of a model by its shape, for software that does not give its name.

use super::{Architecture, catalog};

/// Dimensions of a model, as given by a training log or command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Number of layers.
    pub layers: f64,
    /// Hidden size.
    pub hidden: f64,
    /// Number of query heads.
    pub heads: f64,
    /// Intermediate size of the MLP, if given.
    pub ffn: Option<f64>,
    /// Number of key-value heads (query groups), if given. Megatron-LM prints 1 without grouped-query attention too.
    pub groups: Option<f64>,
    /// True for a mixture of experts.
    pub experts: bool,
    /// Vocabulary size, if given. It distinguishes models that are otherwise alike.
    pub vocab: Option<f64>,
    /// Maximum sequence length, tokens, if given. It distinguishes models that are otherwise alike.
    pub positions: Option<f64>,
}

impl Shape {
    /// The shape from Megatron-LM's arguments. `number` returns the value of an argument by its name with underscores.
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

    /// The only catalogue model of this shape. If there is none or several, the error is a sentence without a full
    /// stop.
    pub fn model(&self) -> Result<&'static Architecture, String> {
        let Self { layers, hidden, heads, .. } = *self;
        let shape = format!("The model has {layers} layers, hidden size {hidden} and {heads} heads");
        let mut alike: Vec<&Architecture> =
            catalog().architectures.iter().filter(|known| self.matches(known)).collect();
        let vocab = |known: &&Architecture| f64::from(known.vocab);
        let positions = |known: &&Architecture| f64::from(known.max_sequence);
        narrow(&mut alike, self.vocab, vocab);
        narrow(&mut alike, self.positions, positions);
        match alike[..] {
            [only] => Ok(only),
            [] => Err(format!("{shape}: no model in the catalogue matches")),
            [first, second, ..] => {
                Err(format!("{shape}, which matches {} and {}: choose one", first.name, second.name))
            }
        }
    }

    fn matches(&self, known: &Architecture) -> bool {
        let same =
            |given: Option<f64>, known: u32| given.is_none_or(|given| (given - f64::from(known)).abs() < 0.5);
        (f64::from(known.layers), f64::from(known.hidden), f64::from(known.heads))
            == (self.layers, self.hidden, self.heads)
            && (known.ffn == 0 || same(self.ffn, known.ffn))
            && (same(self.groups, 1) || same(self.groups, known.kv_heads))
            && known.moe.is_some() == self.experts
    }
}

/// Keeps the models whose number equals the given one; keeps all if none does.
fn narrow(alike: &mut Vec<&Architecture>, given: Option<f64>, number: impl Fn(&&Architecture) -> f64) {
    let has = |known: &&Architecture| given.is_some_and(|given| (given - number(known)).abs() < 0.5);
    if alike.iter().any(has) {
        alike.retain(has);
    }
}
