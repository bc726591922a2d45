//! A figure's data as a table, and as CSV.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::units::{Amount, Unit};

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

/// One entry of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Displayed text, with prefix and unit.
    pub text: String,
    /// Value in the column's unit, in full precision; `None` for text.
    #[serde(with = "crate::units::exact::option")]
    pub value: Option<f64>,
    /// A second, smaller line below the text, e.g. the reason for a missing value; empty if there is none. The
    /// downloaded file omits it.
    pub note: String,
    /// Resource that limits an operator, by the name of [`crate::system::Bound`], e.g. `DRAM`. It sets the colour of
    /// the cell.
    pub bound: Option<Cow<'static, str>>,
    /// The question that the cell opens, as a link without `#`.
    pub link: Option<String>,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A quantity in the column's unit with its displayed text; a dash if it is not finite.
    pub fn number(value: f64, text: impl Into<String>) -> Self {
        if value.is_finite() {
            Self { text: text.into(), value: Some(value), ..Self::default() }
        } else {
            Self::text("–")
        }
    }

    /// A quantity whose column has the base unit of the amount.
    pub fn amount(amount: Amount) -> Self {
        Self::number(amount.value, amount.to_string())
    }

    /// A quantity that may be unknown; an unknown one is shown as a dash.
    pub fn known(amount: Option<Amount>) -> Self {
        amount.map_or_else(|| Self::text("–"), Self::amount)
    }

    /// A fraction of 1 in a column of percent.
    pub fn percent(fraction: f64) -> Self {
        Self::number(100.0 * fraction, Amount::percent(fraction).to_string())
    }

    /// A difference as a fraction of 1, with its sign, in a column of percent.
    pub fn signed_percent(fraction: f64) -> Self {
        Self::number(100.0 * fraction, Amount::new(fraction, Unit::SignedPercent).to_string())
    }

    /// An empty cell, for values that do not exist or do not apply.
    pub fn none() -> Self {
        Self::default()
    }

    /// The cell with a link to a question.
    #[must_use]
    pub fn opening(self, link: impl Into<String>) -> Self {
        Self { link: Some(link.into()), ..self }
    }

    /// The cell with a second line.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Displayed text.
    pub fn shown(&self) -> &str {
        &self.text
    }

    /// Returns true for words that are too long for one line: a sentence, a plan or a list.
    pub fn is_prose(&self) -> bool {
        self.value.is_none() && self.text.chars().count() > LONGEST_NAME
    }
}

/// Maximum number of characters of a cell of words that is shown on one line.
const LONGEST_NAME: usize = 28;

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
    fn long_words_wrap_wherever_they_are() {
        let plan = "TP 8, PP 4, DP 16, microbatch 1, ZeRO 1";
        assert!(Cell::text(plan).is_prose());
        assert!(!Cell::text("512 × H100 SXM 80 GB").is_prose());
        assert!(!Cell::number(1.0, plan).is_prose());
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
