//! An answer as data: a sentence, cards of numbers, then figures, tables and notices in reading order.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::notice::Notice;
use crate::figure::{Figure, Table};
use crate::launch::Command;
use crate::scenario::Problem;
use crate::units::{Amount, Bytes, Seconds, Unit, format};

/// Everything that a view shows about one question. The library never writes HTML: the page draws this.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The answer in one sentence without a full stop, with its number and range; empty where a view has none.
    pub lead: String,
    /// Questions with better results than the one asked, or with an answer if it has none.
    pub offers: Vec<Notice>,
    /// Problems that prevent an answer; empty if there are none.
    pub problems: Vec<Problem>,
    /// The numbers of the headline, most important first.
    pub cards: Vec<Card>,
    /// Figures, tables and notices, in reading order.
    pub parts: Vec<Part>,
}

/// News of an answer that is computed in steps. Parts that were sent are not sent again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// The answer so far. It replaces what was known; the first news of a question are of this kind.
    Whole(Answer),
    /// Parts that follow those known.
    More(Vec<Part>),
    /// Offers in place of those known.
    Offers(Vec<Notice>),
}

/// One number of the headline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Machine name, unique within an answer, e.g. `step`.
    pub id: String,
    /// Quantity, e.g. `Step time`.
    pub label: String,
    /// The predicted value; `None` if there is none or if it is not finite.
    pub amount: Option<Amount>,
    /// Text in place of the amount, e.g. `does not fit`, the name of the limiting resource or `at least 95.0 %`; empty if the
    /// amount is shown.
    pub words: String,
    /// One short line below the value.
    pub note: String,
    /// Range expected to hold 80 % of measured values; `None` without similar measurements.
    pub range: Option<Range>,
    /// Equation of the value with its numbers put in; empty if none is stated.
    pub equation: String,
}

impl Card {
    /// A card of an amount.
    pub fn new(id: &str, label: impl Into<String>, amount: Amount) -> Self {
        Self::known(id, label, Some(amount))
    }

    /// A card of an amount that may not be known.
    pub fn known(id: &str, label: impl Into<String>, amount: Option<Amount>) -> Self {
        Self { id: id.to_owned(), label: label.into(), amount, ..Self::default() }
    }

    /// A card of words.
    pub fn words(id: &str, label: impl Into<String>, words: impl Into<String>) -> Self {
        Self { id: id.to_owned(), label: label.into(), words: words.into(), ..Self::default() }
    }

    /// The card with a line below the value.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Displayed value: the words, otherwise the amount, otherwise a dash.
    pub fn shown(&self) -> String {
        match self.amount {
            _ if !self.words.is_empty() => self.words.clone(),
            Some(amount) => amount.to_string(),
            None => "–".to_owned(),
        }
    }
}

/// The interval that holds eight of ten measured values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The predicted value, in whose unit the ends of a time are written.
    pub value: Amount,
    /// Lower end.
    pub low: Amount,
    /// Upper end.
    pub high: Amount,
    /// Basis of the range, in one sentence.
    pub why: String,
    /// The question, as a link without `#`, that shows those measurements.
    pub link: String,
}

/// Both ends; of a time in the unit that the prediction has beside them: "15.5 to 25.7 s", "33.9 to 41.2 GiB", "$0.31 to $0.42".
impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, low, high] = [self.value, self.low, self.high].map(|amount| amount.value);
        let text = match self.value.unit {
            Unit::Seconds => {
                let [time, low, high] = [value, low, high].map(Seconds::new);
                format::time_range_precise(time, low, high)
            }
            Unit::Memory => format::memory_range(Bytes::new(low), Bytes::new(high)),
            Unit::Rate => format!("{} to {}", format::short(low), format::short(high)),
            _ => format!("{} to {}", self.low, self.high),
        };
        formatter.write_str(&text)
    }
}

/// A part of an answer below its cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A drawing with its finding, assumptions and data.
    Figure(Figure),
    /// A table with a heading of its own.
    Table(TablePart),
    /// A statement that introduces the parts below it, or a row of links.
    Notice(Notice),
    /// Commands to copy.
    Commands(Commands),
}

impl From<Figure> for Part {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

impl From<TablePart> for Part {
    fn from(table: TablePart) -> Self {
        Self::Table(table)
    }
}

impl From<Notice> for Part {
    fn from(notice: Notice) -> Self {
        Self::Notice(notice)
    }
}

impl From<Commands> for Part {
    fn from(commands: Commands) -> Self {
        Self::Commands(commands)
    }
}

impl Answer {
    /// Takes news in.
    pub fn take(&mut self, news: News) {
        match news {
            News::Whole(answer) => *self = answer,
            News::More(parts) => self.parts.extend(parts),
            News::Offers(offers) => self.offers = offers,
        }
    }

    /// The part of this machine name.
    pub fn part(&self, id: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.id() == id)
    }

    /// The card of this machine name.
    pub fn card(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|card| card.id == id)
    }

    /// The figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            Part::Table(_) | Part::Notice(_) | Part::Commands(_) => None,
        })
    }
}

impl Part {
    /// The data that the part's CSV file holds.
    pub fn table(&self) -> Option<&Table> {
        match self {
            Self::Figure(figure) => Some(&figure.table),
            Self::Table(part) => Some(&part.table),
            Self::Notice(_) | Self::Commands(_) => None,
        }
    }

    /// Machine name, unique within an answer: the anchor of the part's link and the name of its files.
    pub fn id(&self) -> &str {
        match self {
            Self::Figure(figure) => &figure.id,
            Self::Table(table) => &table.id,
            Self::Notice(notice) => &notice.id,
            Self::Commands(commands) => &commands.id,
        }
    }
}

/// A table under a heading. Its CSV file has every row and column in full precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TablePart {
    /// Machine name, e.g. `operators`.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Statement of the table, or instructions for reading it, in one or two sentences.
    pub finding: String,
    /// Rows and columns.
    pub table: Table,
    /// Rows that are shown on the page; all where absent.
    pub shown_rows: Option<u32>,
    /// True if the table can be saved as CSV.
    pub saved: bool,
    /// Links to the table's other pages.
    pub pager: Option<Pager>,
}

impl TablePart {
    /// A table that is shown whole and can be saved.
    pub fn new(id: &str, title: impl Into<String>, finding: impl Into<String>, table: Table) -> Self {
        let (id, title, finding) = (id.to_owned(), title.into(), finding.into());
        Self { id, title, finding, table, shown_rows: None, saved: true, pager: None }
    }
}

/// Launch commands under a heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// Machine name, e.g. `launch`.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Purpose of the commands, in one or two sentences.
    pub finding: String,
    /// The commands, the question's own software first.
    pub commands: Vec<Command>,
}

/// Position of a page of rows among the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pager {
    /// This page, from 1.
    pub page: u32,
    /// Pages in all.
    pub pages: u32,
    /// Link to the page before, without `#`.
    pub previous: Option<String>,
    /// Link to the page after, without `#`.
    pub next: Option<String>,
}
