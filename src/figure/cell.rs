//! One entry of a table.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::units::{Amount, Unit};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_wrap_wherever_they_are() {
        let plan = "TP 8, PP 4, DP 16, microbatch 1, ZeRO 1";
        assert!(Cell::text(plan).is_prose());
        assert!(!Cell::text("512 × H100 SXM 80 GB").is_prose());
        assert!(!Cell::number(1.0, plan).is_prose());
    }
}
