//! Keys of a `config.json` that affect neither time nor memory.

mod operators;
mod software;
mod uncounted;

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// All such keys.
const IRRELEVANT: [&[&str]; 12] = [
    software::FILE,
    software::LIBRARY,
    software::SAMPLING,
    software::TRAINING,
    operators::ELEMENTWISE,
    operators::POSITIONS,
    operators::ROUTING,
    operators::SELECTION,
    uncounted::FORMATS,
    uncounted::ENCODERS,
    uncounted::HEADS,
    uncounted::DERIVED,
];

/// Suffixes of such keys: special tokens, dropout rates and epsilons of norms.
const SUFFIXES: &[&str] =
    &["_token_id", "_token_ids", "_token_index", "_placeholder", "_dropout", "_pdrop", "_norm_eps"];

/// Returns true if a key of the language model affects neither time nor memory.
pub(super) fn irrelevant(key: &str) -> bool {
    static KEYS: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| IRRELEVANT.into_iter().flatten().copied().collect());
    KEYS.contains(key) || SUFFIXES.iter().any(|suffix| key.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_listed_twice() {
        let mut keys: Vec<&str> = IRRELEVANT.into_iter().flatten().copied().collect();
        let suffixed = keys.iter().filter(|key| SUFFIXES.iter().any(|suffix| key.ends_with(suffix)));
        assert_eq!(suffixed.collect::<Vec<_>>(), Vec::<&&str>::new());
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }
}
