//! Shared parts of charts: axes, labels, legends, rows of bars, and the canvas.

pub(super) mod axis;
pub(super) mod beside;
pub(super) mod canvas;
pub(super) mod cascade;
pub(super) mod clusters;
mod drawing;
mod elements;
pub(super) mod groups;
pub(super) mod labels;
pub(super) mod legend;
pub(super) mod lines;
pub(super) mod places;
pub(super) mod plot;
pub(super) mod rows;
pub(super) mod rules;
pub(super) mod stacks;
pub(super) mod tick_labels;
pub(super) mod ticks;
pub(super) mod typography;

use serde::{Deserialize, Serialize};

use super::backend::Ink;
use crate::units::format;
use canvas::{Drawing, draw};
use typography::{Align, Type};

/// The shape of the space a figure is drawn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// About 800 by 420 CSS pixels, for containers of that width.
    #[default]
    Wide,
    /// About 560 by 400 CSS pixels, for containers of that width: labels above bars.
    Medium,
    /// 320 by about 400 CSS pixels, so that text of 12 pixels has 12 pixels on the smallest telephones: fewer ticks,
    /// labels above bars.
    Narrow,
}

impl Size {
    /// Width of the drawing's view box.
    pub const fn width(self) -> f64 {
        match self {
            Self::Wide => 800.0,
            Self::Medium => 560.0,
            Self::Narrow => 320.0,
        }
    }

    /// Height of the view box of charts with two axes. Charts of bars are as high as their rows need.
    pub const fn height(self) -> f64 {
        match self {
            Self::Wide => 420.0,
            Self::Medium | Self::Narrow => 400.0,
        }
    }
}

/// A drawing with the message that there is nothing to draw.
pub(super) fn blank(size: Size, label: &str) -> Drawing {
    const HEIGHT: f64 = 120.0;
    draw((size.width(), HEIGHT), label, |canvas| {
        let style = Type::label().align(Align::Centre);
        canvas.text(
            (size.width() / 2.0, HEIGHT / 2.0),
            "No values to show",
            Type { ink: Ink::Muted, ..style },
        );
    })
}

/// Returns true if a number can be drawn as a positive length.
pub(super) fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// A text as the beginning of a sentence: `Published` for `published`.
pub(crate) fn sentence_case(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// A label inside a sentence: `pipeline bubble` for `Pipeline bubble`, but `KV cache` unchanged.
pub(crate) fn within(label: &str) -> String {
    let mut characters = label.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            [first.to_ascii_lowercase(), second].into_iter().chain(characters).collect()
        }
        _ => label.to_owned(),
    }
}

/// A share beside a bar or an area: `7.3 %` for 0.0733. All shares of a drawing have one digit behind the point, so that they
/// compare at a glance; the table has more.
pub(super) fn part_of(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        return "–".to_owned();
    }
    match percent.abs() {
        0.0 => "0 %".to_owned(),
        ..0.05 => "<0.1 %".to_owned(),
        0.05..99.95 => format!("{percent:.1} %"),
        _ => format::percent(share),
    }
}

/// A formatted quantity without zeros behind the point, as ticks are labelled: `5 ms` for `5.00 ms`.
pub(super) fn brief(text: &str) -> String {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    if number == "0" || unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_fit_into_sentences() {
        assert_eq!(within("Pipeline bubble"), "pipeline bubble");
        assert_eq!(within("KV cache"), "KV cache");
        assert_eq!(within(""), "");
    }

    #[test]
    fn shares_have_one_digit_behind_the_point() {
        assert_eq!(part_of(0.598), "59.8 %");
        assert_eq!(part_of(0.073_3), "7.3 %");
        assert_eq!(part_of(0.000_1), "<0.1 %");
        assert_eq!(part_of(1.0), "100 %");
        assert_eq!(part_of(0.0), "0 %");
        assert_eq!(part_of(f64::NAN), "–");
        assert!(part_of(f64::MAX).len() < 20);
    }

    #[test]
    fn ticks_have_no_trailing_zeros() {
        assert_eq!(brief("5.00 ms"), "5 ms");
        assert_eq!(brief("0.250"), "0.25");
        assert_eq!(brief("100 s"), "100 s");
        assert_eq!(brief("0.000 ns"), "0");
        assert_eq!(brief("–"), "–");
    }
}
