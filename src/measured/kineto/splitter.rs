//! Splits a Chrome trace, which arrives in chunks, into events.
//!
//! The splitter tracks only brackets and strings; the reader parses each event on its own. A trace may therefore be
//! larger than memory, and a truncated trace loses only its last event.

use crate::measured::json_string::Position;

/// Maximum length of an event or field that is kept, bytes. Longer ones are counted and skipped.
const LONGEST: usize = 1 << 20;

/// Key of the list of events in the object form of a trace, without whitespace.
const EVENTS: &[u8] = b"\"traceEvents\":";

/// A part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// The JSON text of an event.
    Event(&'a [u8]),
    /// The JSON text of a member of the outer object: key, colon and value.
    Field(&'a [u8]),
    /// An event or field longer than [`LONGEST`].
    Long,
}

/// Parser state that carries over from one chunk to the next.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// Number of open brackets.
    depth: usize,
    /// Depth at which a comma separates items: 1, or 2 inside the object form's list of events; 0 before the first
    /// bracket and after the last.
    base: usize,
    /// True for the object form, false for the list form.
    object: bool,
    text: Position,
    /// True after the outermost bracket has closed.
    ended: bool,
    /// Start of the current item, from earlier chunks.
    begun: Vec<u8>,
    /// True if the current item exceeds [`LONGEST`].
    long: bool,
}

impl Splitter {
    /// Reads the next chunk and passes every event and field that it completes to `take`.
    pub(super) fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(Piece<'_>)) {
        let mut from = 0;
        for (at, &byte) in chunk.iter().enumerate() {
            let outside = self.text == Position::Outside;
            self.text = self.text.after(byte);
            if !outside {
                continue;
            }
            match byte {
                b'{' | b'[' => {
                    self.depth += 1;
                    if self.depth == 1 && !self.ended {
                        (self.base, self.object, from) = (1, byte == b'{', at + 1);
                    } else if self.depth == 2 && self.opens_events(byte, &chunk[from..at]) {
                        self.base = 2;
                        self.begun.clear();
                        from = at + 1;
                    }
                }
                b',' if self.depth == self.base && self.base > 0 => {
                    self.end(&chunk[from..at], &mut take);
                    from = at + 1;
                }
                b'}' | b']' => {
                    if self.depth == self.base && self.base > 0 {
                        self.end(&chunk[from..at], &mut take);
                        from = at + 1;
                        self.base -= 1;
                        self.ended |= self.base == 0;
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
                _ => {}
            }
        }
        if self.base > 0 && !self.long {
            self.long = self.begun.len() + (chunk.len() - from) > LONGEST;
            if self.long {
                self.begun.clear();
            } else {
                self.begun.extend_from_slice(&chunk[from..]);
            }
        }
    }

    /// Returns true if the trace's outermost bracket has closed, so the trace is not truncated.
    pub(super) const fn complete(&self) -> bool {
        self.ended
    }

    /// Returns true if an opening bracket at depth 2 begins the list of events of the object form. `rest` is the text
    /// of the current item in this chunk, before the bracket.
    fn opens_events(&self, byte: u8, rest: &[u8]) -> bool {
        let before = self.begun.iter().chain(rest).filter(|byte| !byte.is_ascii_whitespace());
        self.object && self.base == 1 && byte == b'[' && !self.long && before.eq(EVENTS)
    }

    /// Completes the current item with `rest`, its end in this chunk, and passes it to `take`.
    fn end(&mut self, rest: &[u8], take: &mut impl FnMut(Piece<'_>)) {
        let long = self.long || self.begun.len() + rest.len() > LONGEST;
        let whole = if self.begun.is_empty() {
            rest
        } else {
            self.begun.extend_from_slice(if long { &[] } else { rest });
            &self.begun
        };
        let whole = whole.trim_ascii();
        if long {
            take(Piece::Long);
        } else if !whole.is_empty() {
            let event = self.base == 2 || !self.object;
            take(if event { Piece::Event(whole) } else { Piece::Field(whole) });
        }
        self.begun.clear();
        self.long = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events and fields of a text that is read in chunks of `length` bytes; true if the text is complete.
    fn split(text: &str, length: usize) -> (Vec<String>, Vec<String>, bool) {
        let (mut events, mut fields) = (Vec::new(), Vec::new());
        let mut splitter = Splitter::default();
        for chunk in text.as_bytes().chunks(length) {
            splitter.feed(chunk, |piece| match piece {
                Piece::Event(text) => events.push(String::from_utf8_lossy(text).into_owned()),
                Piece::Field(text) => fields.push(String::from_utf8_lossy(text).into_owned()),
                Piece::Long => events.push("long".to_owned()),
            });
        }
        (events, fields, splitter.complete())
    }

    #[test]
    fn both_forms_are_split_wherever_chunks_end() {
        let events = [r#"{"name":"a,]}\"[{","args":{"x":[1,{"y":2}]}}"#, r#"{"name":"b\\"}"#];
        let list = events.join(" ,\n ");
        let object = format!(
            "\u{feff}{{\"a\": {{\"traceEvents\": [1, 2]}}, \"traceEvents\" : [{list}] , \"z\": \"]\"}} "
        );
        for length in [1, 2, 3, 7, 1000] {
            let (found, fields, complete) = split(&object, length);
            assert_eq!((found, complete), (events.map(str::to_owned).to_vec(), true), "{length}");
            assert_eq!(fields, ["\"a\": {\"traceEvents\": [1, 2]}", "\"z\": \"]\""], "{length}");
            assert_eq!(split(&format!("[{list}]"), length).0, events, "{length}");
        }
    }

    #[test]
    fn a_truncated_list_keeps_its_whole_events() {
        for tail in ["", ",", ",{\"name\":\"half", ",{\"name\":\"half\\"] {
            let (events, _, complete) = split(&format!("[{{\"a\":1}},{{\"b\":2}}{tail}"), 5);
            assert!(!complete && events.len() <= 2 && events[0] == "{\"a\":1}", "{tail}: {events:?}");
        }
        assert_eq!(split("", 3), (Vec::new(), Vec::new(), false));
        assert_eq!(split("]}]", 3).0.len(), 0);
    }

    #[test]
    fn a_long_event_is_counted_and_not_kept() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(2 * LONGEST));
        for length in [4096, 1 << 30] {
            let (events, _, complete) = split(&format!("[{long},{{}}]"), length);
            assert_eq!((events, complete), (vec!["long".to_owned(), "{}".to_owned()], true));
        }
    }
}
