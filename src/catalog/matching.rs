//! Finding an entry of a long list by words of its name.
//!
//! A name is a sequence of words and numbers: `Llama-3.3-70B` is `llama`, `3.3`, `70`, `b`. A number is one unit with
//! its decimals, so that `3.3` finds neither `33B` nor `3.1`. The words of a query may stand in any order; what is
//! written together in a query must follow each other in the name: `gpt3` finds `GPT-3`, and `b200` not `GB200`.

use super::{accelerator, aliases, architecture};

/// Quality of the match between a name and a query; a better match is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Some word of the query is inside a word of the name.
    Within,
    /// Some number of the query begins a longer one of the name: `40` and `405B`.
    Begun,
    /// Words of the query begin words of the name, and numbers are the same: `3` and `3`, or its version `3.1`.
    Whole,
}

/// Matches a name, given in parts such as its label, id and maker, with a query; `None` if it does not match. The empty
/// query matches every name.
///
/// ```
/// use foretoken::catalog::{Fit, fit};
///
/// assert_eq!(fit("70 llama 3.3", &["Llama-3.3-70B"]), Some(Fit::Whole));
/// assert_eq!(fit("llama 3.3", &["LLaMA-1 33B"]), None);
/// ```
pub fn fit(query: &str, parts: &[&str]) -> Option<Fit> {
    let names: Vec<Vec<String>> = parts.iter().map(|part| tokens(part)).collect();
    let words = query.split(|mark: char| mark.is_whitespace() || "-_/(),".contains(mark));
    let words = words.map(tokens).filter(|word| !word.is_empty());
    words
        .map(|word| names.iter().filter_map(|name| fit_word(&word, name)).max())
        .try_fold(Fit::Whole, |worst, word| Some(worst.min(word?)))
}

/// Length of the longest text that is matched with the catalogue, bytes: no name is longer.
const LONGEST: usize = 64;

/// The first of the catalogue's entries with these ids whose id, name and aliases have all words of a text: `strix-halo` gives
/// `ryzen-ai-max-395`.
pub fn named(text: &str, ids: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    if text.len() > LONGEST || tokens(text).is_empty() {
        return None;
    }
    let mut ids = ids.into_iter();
    ids.find(|id| {
        let name = accelerator(id).map(|device| device.name.as_str());
        let name = name.or_else(|| architecture(id).map(|model| model.name.as_str()));
        let names: Vec<&str> = [*id].into_iter().chain(name).chain(aliases(id)).collect();
        fit(text, &names) == Some(Fit::Whole)
    })
}

/// Runs of letters and numbers, in lower case. Every other mark separates.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = ' ';
    let mut marks = text.chars().flat_map(char::to_lowercase).peekable();
    while let Some(mark) = marks.next() {
        let decimal = mark == '.' && last.is_ascii_digit() && marks.peek().is_some_and(char::is_ascii_digit);
        let part = mark.is_alphanumeric() || decimal;
        if part {
            let continues =
                mark.is_alphabetic() == last.is_alphabetic() && (last.is_alphanumeric() || last == '.');
            match tokens.last_mut().filter(|_| continues) {
                Some(token) => token.push(mark),
                None => tokens.push(mark.to_string()),
            }
        }
        last = if part { mark } else { ' ' };
    }
    tokens
}

/// Matches one word of a query with a name: its tokens must be adjacent in the name.
fn fit_word(word: &[String], name: &[String]) -> Option<Fit> {
    let places = (0..name.len()).filter_map(|start| {
        let pairs = word.iter().enumerate();
        pairs
            .map(|(offset, token)| fit_token(token, name.get(start + offset)?, offset + 1 == word.len()))
            .try_fold(Fit::Whole, |worst, fit| Some(worst.min(fit?)))
    });
    places.max()
}

/// Matches one token with another. Only the last token of a word may be incomplete.
fn fit_token(token: &str, name: &str, last: bool) -> Option<Fit> {
    if token == name {
        return Some(Fit::Whole);
    }
    let rest = name.strip_prefix(token);
    if !token.starts_with(|first: char| first.is_ascii_digit()) {
        let within = || name.contains(token).then_some(Fit::Within);
        return if last && rest.is_some() { Some(Fit::Whole) } else { within().filter(|_| last) };
    }
    rest.filter(|_| last).map(|rest| if rest.starts_with('.') { Fit::Whole } else { Fit::Begun })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::catalog;

    /// The models that a list shows for a query: those that fit best.
    fn best<'a>(query: &str, names: impl Iterator<Item = [&'a str; 3]>) -> Vec<&'a str> {
        let fits: Vec<_> = names.filter_map(|parts| Some((fit(query, &parts)?, parts[0]))).collect();
        let best = fits.iter().map(|(fit, _)| *fit).max();
        fits.into_iter().filter(|(fit, _)| Some(*fit) == best).map(|(_, name)| name).collect()
    }

    fn models(query: &str) -> Vec<&'static str> {
        best(query, catalog().architectures.iter().map(|model| [&*model.name, &*model.id, &*model.family]))
    }

    fn devices(query: &str) -> Vec<&'static str> {
        best(query, catalog().accelerators.iter().map(|device| [&*device.name, &*device.id, &*device.vendor]))
    }

    #[test]
    fn numbers_are_one_unit() {
        assert_eq!(tokens("Llama-3.3-70B"), ["llama", "3.3", "70", "b"]);
        assert_eq!(tokens("8x7b, v0.1."), ["8", "x", "7", "b", "v", "0.1"]);
        assert_eq!(models("llama 3.3"), ["Llama-3.3-70B", "Llama-3.3-Nemotron-Super-49B-v1"]);
        assert_eq!(models("405"), ["Llama-3.1-405B"]);
        let third = models("llama 3");
        assert!(third.contains(&"Llama-3-70B") && third.contains(&"Llama-3.3-70B"), "{third:?}");
        assert!(third.iter().all(|name| name.contains("ama-3")), "{third:?}");
    }

    #[test]
    fn words_come_in_any_order() {
        for query in ["llama 70", "70 LLAMA"] {
            let found = models(query);
            assert!(found.contains(&"Llama-3.1-70B") && found.len() <= 6, "{query}: {found:?}");
        }
        let found = models("gpt3 175");
        assert!(found.contains(&"GPT-3 175B") && found.len() <= 2, "{found:?}");
        for (query, one) in [
            ("3090", "RTX 3090"),
            ("m3 max", "M3 Max"),
            ("spark", "GB10"),
            ("H100", "H100 SXM"),
            ("mi300", "MI300X"),
            ("amd 300", "MI300X"),
            ("b200 nvidia", "B200 SXM"),
        ] {
            let found = devices(query);
            assert!(found.iter().any(|name| name.starts_with(one)), "{query}: {found:?}");
        }
        assert!(devices("b200").iter().all(|name| !name.contains("GB200")));
    }

    #[test]
    fn a_number_may_be_incomplete_and_a_word_inside_another() {
        assert_eq!(fit("40", &["Llama-3.1-405B"]), Some(Fit::Begun));
        assert_eq!(fit("force", &["GeForce RTX 4090"]), Some(Fit::Within));
        assert_eq!(fit("", &["anything"]), Some(Fit::Whole));
        assert_eq!(fit("no such model", &["Llama-3.1-405B"]), None);
    }
}
