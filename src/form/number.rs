//! Numbers as people type them.
//!
//! A browser's own number field lets `e`, fractions and anything huge through and hides what was typed when
//! it is wrong, so that this page reads the text itself.

use crate::units::format;

/// Below this a limit is as good as zero, and says nothing to anybody.
const TINY: f64 = 1e-3;

/// Which numbers a field takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Whether fractions are refused.
    pub whole: bool,
}

impl Range {
    /// Whether it begins right above zero.
    fn beginning(self) -> bool {
        self.min > 0.0 && self.min < TINY
    }

    /// `from 1 to 1,024`.
    pub fn words(self) -> String {
        if self.beginning() {
            format!("above 0, up to {}", words(self.max))
        } else {
            format!("from {} to {}", words(self.min), words(self.max))
        }
    }
}

/// Reads a number, or says in one sentence what is wrong with it and what would be right.
pub fn parse(text: &str, range: Range) -> Result<f64, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("Enter a number {}", range.words()));
    }
    let value = value(text).ok_or_else(|| {
        let kind = if range.whole { "whole number" } else { "number" };
        format!("“{}” is not a {kind}: use digits only", shortened(text))
    })?;
    if value < range.min && range.beginning() {
        Err("Must be above 0".to_owned())
    } else if value < range.min {
        Err(format!("Must be at least {}", words(range.min)))
    } else if value > range.max {
        Err(format!("Must be at most {}", words(range.max)))
    } else if range.whole && value.fract() != 0.0 {
        Err("Must be a whole number".to_owned())
    } else {
        Ok(value)
    }
}

/// The text that [`parse`] reads as this number.
pub fn show(value: f64) -> String {
    format!("{value}")
}

/// Digits with at most one point; commas, underscores and spaces between groups of three.
fn value(text: &str) -> Option<f64> {
    let (negative, digits) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut groups = whole.split([',', '_', ' ', '\u{a0}', '\u{202f}']);
    let mut plain = groups.next()?.to_owned();
    for group in groups {
        if group.len() != 3 || plain.is_empty() || !group.is_ascii() {
            return None;
        }
        plain.push_str(group);
    }
    let all = || plain.chars().chain(fraction.chars());
    if all().next().is_none() || !all().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let value: f64 = format!("{plain}.{fraction}").parse().ok()?;
    value.is_finite().then_some(if negative { -value } else { value })
}

fn words(value: f64) -> String {
    if value >= 1000.0 { format::grouped(value) } else { show(value) }
}

/// Enough of a text to recognise it by.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 20 {
        return text.to_owned();
    }
    text.chars().take(19).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Range = Range { min: 1.0, max: 65_536.0, whole: true };
    const ANY: Range = Range { min: 0.1, max: 100.0, whole: false };

    #[test]
    fn what_people_type_is_read() {
        assert_eq!(parse(" 1024 ", WHOLE), Ok(1024.0));
        assert_eq!(parse("1,024", WHOLE), Ok(1024.0));
        assert_eq!(parse("1 024", WHOLE), Ok(1024.0));
        assert_eq!(parse("8.0", WHOLE), Ok(8.0));
        assert_eq!(parse(".5", ANY), Ok(0.5));
    }

    #[test]
    fn everything_else_is_answered_with_what_is_wrong() {
        for text in ["NaN", "inf", "1e3", "0x10", "1.2.3", "1,02", "--1", ".", "+5", "一"] {
            assert!(parse(text, WHOLE).is_err_and(|why| why.contains("is not a whole number")), "{text}");
        }
        assert_eq!(parse("", WHOLE), Err("Enter a number from 1 to 65,536".to_owned()));
        assert_eq!(parse("0", WHOLE), Err("Must be at least 1".to_owned()));
        assert_eq!(parse("-8", WHOLE), Err("Must be at least 1".to_owned()));
        assert_eq!(parse("1.5", WHOLE), Err("Must be a whole number".to_owned()));
        assert!(parse(&"9".repeat(400), WHOLE).is_err());
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for value in [0.125, 1.0, 15.0, 16_384.0] {
            assert_eq!(parse(&show(value), Range { min: 0.0, max: 1e6, whole: false }), Ok(value));
        }
    }
}
