//! What an answer shows, for who wants to keep it.

use super::operators;
use crate::estimate::OperatorRow;
use crate::figure::{Figure, Table};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A drawing.
    Svg,
    /// A drawing, to be made into pixels by who has a canvas.
    Png,
    /// Data.
    Csv,
}

impl Format {
    /// Its name: the end of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Csv => "csv",
        }
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Svg, Self::Png, Self::Csv].into_iter().find(|format| format.name() == name)
    }
}

/// Figures and tables by their machine names.
#[derive(Debug, Default)]
pub struct Files {
    pub(crate) figures: Vec<Figure>,
    pub(crate) tables: Vec<(&'static str, Table)>,
    /// Operators become a table when it is saved: the page, which never does that, goes without the code.
    pub(crate) operators: Option<(&'static str, Vec<OperatorRow>)>,
}

impl Files {
    /// What is in the file of this name, if there is one; for pixels the drawing.
    pub fn text(&self, of: &str, format: Format) -> Option<String> {
        let figure = self.figures.iter().find(|figure| figure.id == of);
        if format != Format::Csv {
            return figure.map(Figure::standalone_svg);
        }
        let table = || self.tables.iter().find(|(id, _)| *id == of).map(|(_, table)| table.to_csv());
        let operators = || self.operators.as_ref().filter(|(id, _)| *id == of);
        figure
            .map(|figure| figure.table.to_csv())
            .or_else(table)
            .or_else(|| operators().map(|(_, rows)| operators::table(rows).to_csv()))
    }
}
