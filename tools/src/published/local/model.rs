//! The model of a row of local inference, by its name in files and registries of weights.

use std::sync::OnceLock;

use foretoken::catalog::{self, Architecture};
use foretoken::scenario::Choice;
use foretoken::validation::Skip;

/// Models of the rows that the catalogue lacks. Their parameter counts agree with those of the published checkpoints.
const SHAPES: &str = include_str!("models.json");

/// Models that were trained further from another one, whose shape they keep, and names with their words in another order. A name
/// has the words of the first entry that it contains in sequence.
const SAME_SHAPE: [(&str, &str); 41] = [
    ("deepseek r1 0528 qwen3 8b", "qwen3-8b"),
    ("deepseek r1 distill qwen 1.5b", "qwen2.5-1.5b"),
    ("deepseek r1 distill qwen 7b", "qwen2.5-7b"),
    ("deepseek r1 distill 7b", "qwen2.5-7b"),
    ("deepseek r1 7b", "qwen2.5-7b"),
    ("deepseek r1 distill qwen 14b", "qwen2.5-14b"),
    ("deepseek r1 14b", "qwen2.5-14b"),
    ("deepseek r1 distill qwen 32b", "qwen2.5-32b"),
    ("deepseek r1 32b", "qwen2.5-32b"),
    ("deepseek r1 distill llama 8b", "llama-3.1-8b"),
    ("deepseek r1 distill llama 70b", "llama-3.1-70b"),
    ("deepseek r1 70b", "llama-3.1-70b"),
    ("deepseek coder v2 lite", "deepseek-v2-lite"),
    ("deepseek coder 7b", "deepseek-coder-6.7b"),
    ("qwen2.5 coder 0.5b", "qwen2.5-0.5b"),
    ("qwen2.5 coder 1.5b", "qwen2.5-1.5b"),
    ("qwen2.5 coder 3b", "qwen2.5-3b"),
    ("qwen2.5 coder 7b", "qwen2.5-7b"),
    ("qwen2.5.1 coder 7b", "qwen2.5-7b"),
    ("qwen2.5 coder 14b", "qwen2.5-14b"),
    ("qwen2.5 coder 32b", "qwen2.5-32b"),
    ("qwen3 coder 30b a3b", "qwen3-30b-a3b"),
    ("qwen3 coder next", "qwen3-coder-next-80b-a3b"),
    ("mistral 7b instruct v0.3", "mistral-7b-v0.3"),
    ("mistral nemo", "mistral-nemo-12b"),
    ("mistral small 24b", "mistral-small-3.2-24b"),
    ("mistral small 3.1 24b", "mistral-small-3.2-24b"),
    ("devstral 24b", "mistral-small-3.2-24b"),
    ("ministral 8b instruct 2410", "ministral-8b-2410"),
    ("llama 3.1 tulu 3 8b", "llama-3.1-8b"),
    ("llama 3.1 nemotron nano 8b", "llama-3.1-8b"),
    ("phi 3.5 mini", "phi-3-mini-4k"),
    ("phi 3 mini 128k", "phi-3-mini-4k"),
    ("olmo 2 1124 7b", "olmo-2-7b"),
    ("olmo 2 1124 13b", "olmo-2-13b"),
    ("nemotron 3 nano 30b", "nemotron-3-nano-30b-a3b"),
    ("granite 3.1 8b", "granite-3-8b"),
    ("granite 3.2 8b", "granite-3-8b"),
    ("granite 3.3 8b", "granite-3-8b"),
    ("exaone deep 2.4b", "exaone-3.5-2.4b"),
    ("internlm2 5 20b", "internlm2.5-20b"),
];

/// Families whose version some names write as a word of its own, e.g. `Qwen 3 8B`.
const FAMILIES: [(&str, &str); 3] =
    [("qwen 2.5 ", "qwen2.5 "), ("qwen 3 ", "qwen3 "), ("qwen 3.5 ", "qwen3.5 ")];

/// The model with a row's name.
pub(super) fn model(name: &str) -> Result<Choice<Architecture>, Skip> {
    let words = normalised(name);
    let contains = |part: &str| format!(" {words} ").contains(&format!(" {part} "));
    let same = SAME_SHAPE.iter().find(|(part, _)| contains(part)).map(|(_, id)| *id);
    let listed = || shapes().iter().find(|shape| contains(&normalised(&shape.id))).map(|it| it.id.as_str());
    if let Some(shape) = same.or_else(listed).and_then(|id| shapes().iter().find(|shape| shape.id == id)) {
        return Ok(Choice::Explicit(Box::new(shape.clone())));
    }
    let known = same.and_then(catalog::architecture).or_else(|| catalog::model_named(&words));
    known.map(|known| Choice::Named(known.id.clone())).ok_or(Skip::Missing("the model's shape"))
}

/// Returns true if a row's model has experts.
pub(super) fn is_mixture(name: &str) -> bool {
    match model(name) {
        Ok(Choice::Explicit(shape)) => shape.moe.is_some(),
        Ok(Choice::Named(id)) => catalog::architecture(&id).is_some_and(|known| known.moe.is_some()),
        Err(_) => catalog::model_named(name).is_some_and(|known| known.moe.is_some()),
    }
}

/// Lower-case words, separated by single spaces, as catalogue ids have them. A dot between digits belongs to a version number, any
/// other separates words.
fn normalised(name: &str) -> String {
    let lower = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let letters: Vec<char> = lower.chars().collect();
    let digit = |place: usize| letters.get(place).is_some_and(char::is_ascii_digit);
    let kept = letters.iter().enumerate().map(|(place, letter)| match letter {
        '.' if place > 0 && digit(place - 1) && digit(place + 1) => '.',
        letter if letter.is_ascii_alphanumeric() => *letter,
        _ => ' ',
    });
    let text: String = kept.collect();
    let words = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    FAMILIES.iter().fold(words, |words, (written, known)| words.replace(written, known))
}

fn shapes() -> &'static [Architecture] {
    static SHAPES_READ: OnceLock<Vec<Architecture>> = OnceLock::new();
    // A test reads the file, so that it has no faults.
    SHAPES_READ.get_or_init(|| serde_json::from_str(SHAPES).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> String {
        match model(name) {
            Ok(Choice::Named(id)) => id,
            Ok(Choice::Explicit(shape)) => shape.id,
            Err(skip) => skip.to_string(),
        }
    }

    #[test]
    fn shapes_have_the_published_numbers_of_parameters() {
        assert!(shapes().len() > 15);
        for shape in shapes() {
            let (counted, published) =
                (shape.parameters().total as f64, shape.parameters_published.expect("a count"));
            assert!((counted / published - 1.0).abs() < 0.001, "{}: {counted} for {published}", shape.id);
        }
    }

    #[test]
    fn every_shape_that_is_kept_is_known() {
        for (_, id) in SAME_SHAPE {
            let own = shapes().iter().any(|shape| shape.id == id);
            assert!(own || catalog::architecture(id).is_some(), "{id}");
        }
    }

    #[test]
    fn names_of_files_and_registries_are_read() {
        for (name, known) in [
            ("DeepSeek-R1-Distill-Qwen-14B-Q4_K_M", "qwen2.5-14b"),
            ("deepseek-ai_DeepSeek-R1-0528-Qwen3-8B-Q4_K_M", "qwen3-8b"),
            ("Qwen3-Coder-30B-A3B-Instruct-GGUF", "qwen3-30b-a3b"),
            ("llama3.2:1b", "llama-3.2-1b"),
            ("Qwen 3.5 4B", "qwen3.5-4b"),
            ("qwen3-coder-next:Q4_K_M", "qwen3-coder-next-80b-a3b"),
            ("Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"),
            ("internlm2_5-20b-chat-Q4_K_M", "internlm2.5-20b"),
            ("Falcon3-7B-Instruct-4bit", "falcon3-7b"),
            ("Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("llama-2-7b.Q4_0", "llama-2-7b"),
            ("ornith-1.0-9b-Q4_K_M", "missing: the model's shape"),
        ] {
            assert_eq!(id(name), known, "{name}");
        }
    }
}
