//! `Infinity` and `NaN`, which Python's `json` module writes although JSON has no such numbers.

use std::borrow::Cow;

/// The words, longest first, so that the sign of `-Infinity` is replaced too.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// The text with `null` in place of these numbers. Strings are kept unchanged.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    if !WORDS.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len());
    let mut in_string = false;
    for (place, part) in text.split('"').enumerate() {
        if place > 0 {
            // A quote after an odd number of backslashes does not end a string.
            let escaped = replaced.chars().rev().take_while(|mark| *mark == '\\').count() % 2 == 1;
            in_string = !in_string || escaped;
            replaced.push('"');
        }
        if in_string {
            replaced.push_str(part);
        } else {
            let part = WORDS.iter().fold(part.to_owned(), |part, word| part.replace(word, "null"));
            replaced.push_str(&part);
        }
    }
    Cow::Owned(replaced)
}
