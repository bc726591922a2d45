//! Modules that a quantised checkpoint stores in 16 bits.

use crate::scenario::huggingface::config::Config;

/// Lists of such modules.
const LISTS: [&str; 6] = [
    "modules_to_not_convert",
    "ignore",
    "exclude_modules",
    "ignored_layers",
    "llm_int8_skip_modules",
    "exclude",
];

/// Parts of names of modules whose format has no effect on the answer: norms, routers and convolutions are small,
/// encoders and prediction modules (MTP) are not counted, embedding and output head have 16 bits in every format.
const WITHOUT_EFFECT: [&str; 12] = [
    "norm", "router", "indexer", "bias", "vision", "visual", "mtp", "nextn", "embed", "lm_head", "conv1d",
    "eh_proj",
];

/// Parts of a layer, with parts of the names of their modules. The first match decides.
const PARTS: [(&str, &[&str]); 3] = [
    ("attention", &["attn", "attention", "mixer"]),
    ("shared experts", &["shared_expert"]),
    ("feed-forward blocks", &["mlp", "ffn", "feed_forward"]),
];

/// The parts of a layer that the checkpoint stores in 16 bits in at least one layer.
pub(super) fn parts(config: &Config<'_>) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    let names = LISTS.iter().filter_map(|list| config.words(list)).flatten();
    let counted = names
        .filter(|name| !WITHOUT_EFFECT.iter().any(|part| name.contains(part)) && !name.ends_with("gate"));
    for name in counted {
        let part = PARTS.iter().find(|(_, words)| words.iter().any(|word| name.contains(word)));
        if let Some((part, _)) = part
            && !found.contains(part)
        {
            found.push(part);
        }
    }
    found
}
