//! Splits a Chrome trace, which arrives in pieces, into its events.
//!
//! Only brackets and strings are followed here; each event is then parsed on its own. So a trace may be longer than
//! memory, and one that was cut short loses its last event only.

/// Maximum length of an event or field that is kept, bytes. Longer ones are counted and skipped.
const LONGEST: usize = 1 << 20;

/// The key of the events in the object form, as it stands before the list.
const EVENTS: &[u8] = b"\"traceEvents\":";

/// A part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// The JSON text of an event.
    Event(&'a [u8]),
    /// A key of the outer object with its value, as it stands between the commas.
    Field(&'a [u8]),
    /// An event or field longer than [`LONGEST`].
    Long,
}

/// Where a byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    /// Outside of strings.
    #[default]
    Outside,
    /// Within a string.
    Inside,
    /// Within a string, after a backslash.
    Escaped,
}

/// The state between two chunks.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// Open brackets.
    depth: usize,
    /// Depth at which a comma separates items: 1, or 2 within the events of an object; 0 before the first bracket.
    base: usize,
    /// True if the outermost bracket is that of an object.
    object: bool,
    text: Text,
    /// True after the outermost bracket was closed.
    ended: bool,
    /// The beginning of the present item, from earlier chunks.
    begun: Vec<u8>,
    /// True if the present item is too long to keep.
    long: bool,
}

impl Splitter {
    /// Takes the next chunk and hands over what it completes.
    pub(super) fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(Piece<'_>)) {
        let mut from = 0;
        for (at, &byte) in chunk.iter().enumerate() {
            if self.text != Text::Outside {
                self.text = match byte {
                    _ if self.text == Text::Escaped => Text::Inside,
                    b'\\' => Text::Escaped,
                    b'"' => Text::Outside,
                    _ => Text::Inside,
                };
                continue;
            }
            match byte {
                b'"' => self.text = Text::Inside,
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

    /// Returns true if the trace ended with its last bracket.
    pub(super) const fn complete(&self) -> bool {
        self.ended
    }

    /// Returns true if a second opening bracket begins the events of an object.
    fn opens_events(&self, byte: u8, rest: &[u8]) -> bool {
        let before = self.begun.iter().chain(rest).filter(|byte| !byte.is_ascii_whitespace());
        self.object && self.base == 1 && byte == b'[' && !self.long && before.eq(EVENTS)
    }

    /// Ends an item, of which `rest` is the end.
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

    /// Events and fields of a text that arrives in chunks of this length, and whether it is complete.
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
