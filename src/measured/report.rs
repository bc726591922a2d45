//! Benchmark reports that are longer than [`MAX_BYTES`], because they list every request.
//!
//! GuideLLM stores the prompt and the answer of each request, `vllm bench serve --save-detailed` the times of each token. No
//! measured value is read from these lists, so they are skipped while the report arrives in chunks.

use super::Fault;
use super::json_string::Position;
use super::limits::MAX_BYTES;

/// Members whose arrays list requests, tokens or points of a density. GuideLLM lists requests by their outcome.
const LISTS: [&[u8]; 14] = [
    b"requests",
    b"successful",
    b"errored",
    b"incomplete",
    b"generated_texts",
    b"ttfts",
    b"itls",
    b"input_lens",
    b"output_lens",
    b"errors",
    b"latencies",
    b"start_times",
    b"end_times",
    b"pdf",
];

/// Returns true if a file may be a report, judged by its first bytes: a JSON object or a list.
pub fn is_report(head: &[u8]) -> bool {
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    matches!(text.first(), Some(b'{' | b'['))
}

/// A report that arrives in chunks, without its lists of requests.
#[derive(Debug, Default)]
pub struct LongReport {
    /// The report without the lists.
    kept: Vec<u8>,
    text: Position,
    /// Place in `kept` after the quote that begins the last string.
    string: usize,
    /// True after the key of a list and its colon, until the value begins.
    key: bool,
    /// Number of open brackets of a list that is being skipped.
    skipped: usize,
    /// Size of the skipped lists, bytes.
    left_out: u64,
}

impl LongReport {
    /// Takes the next bytes of the report.
    ///
    /// # Errors
    ///
    /// The report has more than [`MAX_BYTES`] without its lists.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        for &byte in chunk {
            self.take(byte);
        }
        if self.kept.len() > MAX_BYTES {
            return Err(Fault::TooLong { bytes: self.kept.len() as u64 + self.left_out });
        }
        Ok(())
    }

    fn take(&mut self, byte: u8) {
        let outside = self.text == Position::Outside;
        self.text = self.text.after(byte);
        if self.skipped > 0 {
            self.left_out += 1;
            match byte {
                b'{' | b'[' if outside => self.skipped += 1,
                b'}' | b']' if outside => self.skipped -= 1,
                _ => {}
            }
            return;
        }
        match byte {
            b'[' if outside && self.key => {
                self.kept.extend_from_slice(b"null");
                (self.skipped, self.left_out) = (1, self.left_out + 1);
            }
            _ => self.kept.push(byte),
        }
        if outside && !byte.is_ascii_whitespace() {
            self.key = byte == b':' && self.ends_with_key();
        }
        if outside && byte == b'"' {
            self.string = self.kept.len();
        }
    }

    /// Returns true if the last string, which a colon follows, is the key of a list.
    fn ends_with_key(&self) -> bool {
        let rest = self.kept.get(self.string..).unwrap_or_default();
        LISTS.iter().any(|name| rest.strip_prefix(*name).is_some_and(|end| end.first() == Some(&b'"')))
    }

    /// The text without the lists, and the size of the lists in bytes.
    pub(super) fn into_parts(self) -> (String, u64) {
        (String::from_utf8_lossy(&self.kept).into_owned(), self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report without its lists, read in chunks of `length` bytes, and the number of bytes left out.
    fn without(report: &str, length: usize) -> (String, u64) {
        let mut long = LongReport::default();
        for chunk in report.as_bytes().chunks(length) {
            long.feed(chunk).expect("is short");
        }
        long.into_parts()
    }

    #[test]
    fn lists_of_requests_are_skipped_wherever_chunks_end() {
        let list = r#"[{"text": "]}\"[ \\"}, [1, 2]]"#;
        let report = format!(
            r#"{{"requests" : {list}, "a": "requests", "b": {{"itls":{list}, "errors": 3, "c\"pdf": [1]}}, "successful": {{"mean": 2}}}}"#
        );
        let expected = r#"{"requests" : null, "a": "requests", "b": {"itls":null, "errors": 3, "c\"pdf": [1]}, "successful": {"mean": 2}}"#;
        for length in [1, 2, 3, 7, 1000] {
            assert_eq!(without(&report, length), (expected.to_owned(), 2 * list.len() as u64), "{length}");
        }
    }

    #[test]
    fn nothing_else_is_changed() {
        for report in
            ["", "[1, {\"a\": []}]", "{\"requests\": 5, \"errors\": \"none\"", "}]\"", "{\"pdf\"", "\"\\"]
        {
            assert_eq!(without(report, 2), (report.to_owned(), 0), "{report}");
        }
    }
}
