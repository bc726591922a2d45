//! Scenarios on standard input: one a line, or documents on several lines, as the page saves them.

use std::io::{self, BufRead};

use serde::de::IgnoredAny;

/// The scenarios of an input, each as soon as it is complete. A document that is cut off ends where the next one begins.
pub(crate) fn documents(input: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    let mut lines = input.split(b'\n').peekable();
    std::iter::from_fn(move || {
        let mut text = match lines.next()? {
            Ok(line) => String::from_utf8_lossy(&line).into_owned(),
            Err(error) => return Some(Err(error)),
        };
        while is_cut(&text) {
            // The lines within a document begin with spaces or a closing bracket.
            let inner = |line: &io::Result<Vec<u8>>| line.as_ref().is_ok_and(|line| !line.starts_with(b"{"));
            let Some(Ok(line)) = lines.next_if(inner) else { break };
            text.push('\n');
            text.push_str(&String::from_utf8_lossy(&line));
        }
        Some(Ok(text))
    })
}

/// Returns true if a text begins a JSON document and ends before the document does.
fn is_cut(text: &str) -> bool {
    let document = serde_json::from_str::<IgnoredAny>(text);
    text.trim_start().starts_with(['{', '[']) && document.is_err_and(|error| error.is_eof())
}
