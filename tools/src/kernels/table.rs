//! A table of measurements: a header and rows of text.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// One row, by column.
pub(super) struct Row<'a> {
    columns: &'a HashMap<String, usize>,
    fields: Vec<&'a str>,
}

impl Row<'_> {
    /// Text of a column; empty if the column is missing.
    pub(super) fn text(&self, column: &str) -> &str {
        self.columns.get(column).and_then(|&index| self.fields.get(index)).copied().unwrap_or_default()
    }

    /// The number in a column, or NaN.
    pub(super) fn number(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or(f64::NAN)
    }
}

/// Calls `visit` with each row of a file in order; does nothing where there is no such file.
pub(super) fn each_row(path: &Path, mut visit: impl FnMut(&Row<'_>)) {
    let Ok(text) = fs::read_to_string(path) else { return };
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let columns = header.split(',').enumerate().map(|(index, name)| (name.to_owned(), index)).collect();
    for line in lines.filter(|line| !line.is_empty()) {
        visit(&Row { columns: &columns, fields: line.split(',').collect() });
    }
}
