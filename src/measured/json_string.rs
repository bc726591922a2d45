//! Position of a byte in JSON text relative to the strings, for readers that take the text in chunks.

/// Position of the next byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Position {
    /// Outside strings.
    #[default]
    Outside,
    /// Inside a string.
    Inside,
    /// Inside a string, after a backslash.
    Escaped,
}

impl Position {
    /// The position after this byte.
    pub(super) const fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::Escaped, _) => Self::Inside,
            (Self::Inside, b'\\') => Self::Escaped,
            (Self::Inside, b'"') => Self::Outside,
            (position, _) => position,
        }
    }
}
