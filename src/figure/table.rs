//! A figure's data as a table, and as CSV.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::cell::Cell;

/// Rows of cells under named columns: what the page shows, and what the CSV file holds in full precision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Columns of the table.
    pub columns: Vec<Column>,
    /// The rows, in order.
    pub rows: Vec<Row>,
}

/// A column's heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Heading.
    pub label: String,
    /// Unit of [`Cell::value`], if it has one.
    pub unit: Option<Cow<'static, str>>,
    /// True if only the file has it: the page leaves it out.
    pub file_only: bool,
}

impl Column {
    /// A column of words, or of numbers without a unit.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A column whose values have this unit.
    pub fn of(label: impl Into<String>, unit: &'static str) -> Self {
        Self { unit: Some(Cow::Borrowed(unit)), ..Self::new(label) }
    }

    /// The column, restricted to the downloaded file.
    #[must_use]
    pub fn file_only(self) -> Self {
        Self { file_only: true, ..self }
    }
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The heading of the group that begins with this row, e.g. `Forward: 6.21 ms`. The page draws it as a row of its
    /// own above this one; the file leaves it out and has a column instead.
    pub group: Option<String>,
    /// True if it is the one that the question asked for.
    pub current: bool,
    /// One cell per column, those of [`Column::file_only`] columns too.
    pub cells: Vec<Cell>,
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Self {
        Self { cells, ..Self::default() }
    }
}

impl<const N: usize> From<[Cell; N]> for Row {
    fn from(cells: [Cell; N]) -> Self {
        Self::from(cells.to_vec())
    }
}

impl Table {
    /// A table without rows; `columns` are labels and units.
    pub fn new<const N: usize>(columns: [(&str, Option<&'static str>); N]) -> Self {
        let columns = columns.map(|(label, unit)| Column {
            label: label.to_owned(),
            unit: unit.map(Cow::Borrowed),
            file_only: false,
        });
        Self { columns: columns.into(), rows: Vec::new() }
    }

    /// A table without rows under these columns.
    pub fn under(columns: impl Into<Vec<Column>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new() }
    }

    /// Returns true if a column holds words and no numbers, so that it is aligned as text.
    pub fn is_text(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.cells.get(column)).peekable();
        cells.peek().is_some() && cells.all(|cell| cell.value.is_none())
    }

    /// Appends a row.
    pub fn push<const N: usize>(&mut self, row: [Cell; N]) {
        self.rows.push(row.into());
    }

    /// This table, followed by the rows of tables of other questions with the same columns. A first column names the
    /// question of each row. Without other tables, the table is unchanged.
    #[must_use]
    pub fn beside(mut self, others: impl IntoIterator<Item = (String, Self)>) -> Self {
        let mut others = others.into_iter().peekable();
        if others.peek().is_none() {
            return self;
        }
        self.columns.insert(0, Column::new("Question"));
        for row in &mut self.rows {
            row.cells.insert(0, Cell::text("this question"));
        }
        for (name, other) in others {
            self.rows.extend(other.rows.into_iter().map(|mut row| {
                row.cells.insert(0, Cell::text(&name));
                row
            }));
        }
        self
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
        let headings = self.columns.iter().map(|column| match &column.unit {
            Some(unit) => field(&format!("{} ({unit})", column.label)),
            None => field(&column.label),
        });
        line(&mut csv, headings);
        for row in &self.rows {
            let fields = row.cells.iter().map(|cell| match cell.value {
                Some(value) => plain(value),
                None if cell.text == "–" => String::new(),
                None => field(&cell.text),
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
    fn tables_beside_each_other_name_their_questions() {
        let of = |value: f64| {
            let mut table = Table::new([("Time", Some("s"))]);
            table.push([Cell::number(value, format!("{value} s"))]);
            table
        };
        assert_eq!(of(1.0).beside([]), of(1.0));
        let both = of(1.0).beside([("pinned: TP 2".to_owned(), of(2.0))]);
        assert_eq!(both.to_csv(), "Question,Time (s)\r\nthis question,1\r\npinned: TP 2,2\r\n");
    }

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
