//! A figure's data as a table, and as CSV.

/// Rows of cells under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What each column holds.
    pub columns: Vec<Column>,
    /// One cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column's heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it holds.
    pub label: String,
    /// The unit of [`Cell::Number`]'s value, where it has one.
    pub unit: Option<&'static str>,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A quantity.
    Number {
        /// In the column's unit, in full precision.
        value: f64,
        /// As it is shown, prefix and unit included.
        text: String,
    },
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A quantity and how it is shown.
    pub fn number(value: f64, text: impl Into<String>) -> Self {
        Self::Number { value, text: text.into() }
    }

    /// Nothing: what does not exist or does not apply.
    pub fn none() -> Self {
        Self::Text(String::new())
    }

    /// As it is shown.
    pub fn shown(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number { text, .. } => text,
        }
    }
}

impl Table {
    /// A table without rows; `columns` are labels and units.
    pub fn new<const N: usize>(columns: [(&str, Option<&'static str>); N]) -> Self {
        let columns = columns.map(|(label, unit)| Column { label: label.to_owned(), unit });
        Self { columns: columns.into(), rows: Vec::new() }
    }

    /// Appends a row.
    pub fn push<const N: usize>(&mut self, row: [Cell; N]) {
        self.rows.push(row.into());
    }

    /// RFC 4180: lines end in CRLF, fields with a comma, a quote or a line break are quoted.
    ///
    /// Numbers are in full precision in the column's unit; what is not finite is empty. Text that a
    /// spreadsheet would run as a formula gets an apostrophe in front.
    ///
    /// ```
    /// use foretoken::figure::{Cell, Table};
    ///
    /// let mut table = Table::new([("Term", None), ("Time", Some("s"))]);
    /// table.push([Cell::text("=1+1"), Cell::number(0.25, "250 ms")]);
    /// assert_eq!(table.to_csv(), "Term,Time (s)\r\n'=1+1,0.25\r\n");
    /// ```
    pub fn to_csv(&self) -> String {
        let mut csv = String::new();
        let headings = self.columns.iter().map(|column| match column.unit {
            Some(unit) => field(&format!("{} ({unit})", column.label)),
            None => field(&column.label),
        });
        line(&mut csv, headings);
        for row in &self.rows {
            let fields = row.iter().map(|cell| match cell {
                Cell::Text(text) => field(text),
                Cell::Number { value, .. } => plain(*value),
            });
            line(&mut csv, fields);
        }
        csv
    }
}

fn line(csv: &mut String, fields: impl Iterator<Item = String>) {
    for (position, field) in fields.enumerate() {
        if position > 0 {
            csv.push(',');
        }
        csv.push_str(&field);
    }
    csv.push_str("\r\n");
}

/// A number that reads back as the same number.
fn plain(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        String::new()
    } else if value == 0.0 {
        "0".to_owned()
    } else if (1e-5..1e16).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

fn field(text: &str) -> String {
    // Spreadsheets skip white space in front of a formula, and some read full-width signs as plain ones.
    let formula = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        || text.starts_with(['\t', '\r', '\n']);
    let safe = if formula { format!("'{text}") } else { text.to_owned() };
    if safe.contains([',', '"', '\r', '\n']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_quoted_where_it_must_be() {
        let mut table = Table::new([("a,b", None), ("Time", Some("s"))]);
        table.push([Cell::text("say \"hi\"\r\n"), Cell::number(f64::NAN, "–")]);
        table.push([Cell::none(), Cell::number(1e-9, "1 ns")]);
        assert_eq!(table.to_csv(), "\"a,b\",Time (s)\r\n\"say \"\"hi\"\"\r\n\",\r\n,1e-9\r\n");
    }

    #[test]
    fn formulas_are_defused() {
        for hostile in ["=cmd", "+1", "-1", "@x", " =1", "\t=1", "\u{ff1d}1"] {
            assert!(field(hostile).trim_start_matches('"').starts_with('\''), "{hostile:?}");
        }
        assert_eq!(field("Pipeline bubble"), "Pipeline bubble");
        // A negative number is a number.
        assert_eq!(plain(-2.5), "-2.5");
        assert_eq!(plain(-0.0), "0");
        assert_eq!(plain(1e300), "1e300");
    }
}
