//! Comma-separated values that are read.

/// The records of comma-separated values as RFC 4180 has them.
pub(crate) struct Records<'a> {
    rest: &'a str,
    /// The line on which the rest begins, from 1.
    pub(crate) line: usize,
}

impl<'a> Records<'a> {
    /// The records of a text.
    pub(crate) const fn of(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }
}

impl Iterator for Records<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        self.rest = self.rest.trim_start_matches(['\r', '\n']);
        if self.rest.is_empty() {
            return None;
        }
        let mut fields = vec![String::new()];
        let mut quoted = false;
        let mut characters = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((at, character)) = characters.next() {
            let field = fields.last_mut()?;
            match character {
                '"' if quoted && characters.next_if(|(_, next)| *next == '"').is_some() => field.push('"'),
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                '\n' if !quoted => {
                    end = at + 1;
                    break;
                }
                '\r' if !quoted => {}
                other => field.push(other),
            }
        }
        self.line += self.rest[..end].matches('\n').count();
        self.rest = &self.rest[end..];
        Some(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::Records;

    #[test]
    fn quoted_fields_are_read() {
        let mut records = Records::of("a,\"b, \"\"c\"\"\nd\",\r\n\n1,,2");
        assert_eq!(records.next(), Some(vec!["a".to_owned(), "b, \"c\"\nd".to_owned(), String::new()]));
        assert_eq!(records.next(), Some(vec!["1".to_owned(), String::new(), "2".to_owned()]));
        assert_eq!(records.next(), None);
    }
}
