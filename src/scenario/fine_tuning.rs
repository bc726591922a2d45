//! Tokens and software of a run when adapters are switched on or off.

use super::Scenario;
use crate::training::{Framework, TrainingRecipe};

/// Tokens of a fine-tuning run, as in the preset `llama-3.1-8b-qlora`.
const TOKENS: f64 = 1e8;

impl Scenario {
    /// After adapters were switched on or off: trains on the tokens of a fine-tuning run in place of those of
    /// pre-training, with Transformers in place of typical software, or the other way round, unless the visitor had chosen
    /// others.
    pub fn train_usual(&mut self, was_frozen: bool) {
        let whole = TrainingRecipe::default().tokens;
        let (usual, other) = if self.recipe.frozen { (TOKENS, whole) } else { (whole, TOKENS) };
        if self.recipe.frozen != was_frozen && self.recipe.tokens.total_cmp(&other).is_eq() {
            self.recipe.tokens = usual;
        }
        let software = |adapters| if adapters { Framework::Transformers } else { Framework::Typical };
        if self.recipe.frozen != was_frozen && self.recipe.framework == software(was_frozen) {
            self.recipe.framework = software(self.recipe.frozen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_are_trained_on_fewer_tokens() {
        let mut scenario = Scenario::default();
        scenario.recipe.frozen = true;
        scenario.train_usual(false);
        assert!((scenario.recipe.tokens - 1e8).abs() < 1.0);
        assert_eq!(scenario.recipe.framework, Framework::Transformers);
        scenario.recipe.frozen = false;
        scenario.train_usual(true);
        assert_eq!(scenario, Scenario::default());
        scenario.recipe.tokens = 3e11;
        scenario.recipe.frozen = true;
        scenario.train_usual(false);
        assert!((scenario.recipe.tokens - 3e11).abs() < 1.0, "a chosen number stays");
        scenario.recipe.tokens = 1e8;
        scenario.train_usual(true);
        assert!((scenario.recipe.tokens - 1e8).abs() < 1.0, "nothing was switched");
    }
}
