//! Numbers as people type them.
//!
//! A browser's own number field lets fractions and anything huge through, knows no suffixes, and hides what was typed when
//! it is wrong, so that this page reads the text itself.

use super::value::Value;
use super::written;
use crate::scenario::Scenario;
use crate::units::format;

/// Below this a limit is shown as zero.
const TINY: f64 = 1e-3;

/// Number of displayed digits of a fraction.
const DIGITS: i32 = 6;

/// Value of an omitted optional number: a number in the displayed unit, or a word.
pub type Otherwise = fn(&Scenario) -> Option<String>;

/// A number as a field.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// True if fractions are refused.
    pub whole: bool,
    /// The amount that one press of an arrow key adds, in the shown unit; without it, it doubles or halves.
    pub step: Option<f64>,
    /// The shown unit, in units of the document.
    pub scale: f64,
    /// The smallest and the largest value, in units of the document: what the model's equations hold for.
    pub range: (f64, f64),
    /// Value of an omitted optional field.
    pub otherwise: Option<Otherwise>,
}

impl Number {
    /// Any number between two bounds.
    pub(in crate::scenario) const fn between(low: f64, high: f64) -> Self {
        Self { whole: false, step: None, scale: 1.0, range: (low, high), otherwise: None }
    }

    /// The smallest and the largest value in the shown unit.
    pub fn limits(self) -> (f64, f64) {
        (self.range.0 / self.scale, self.range.1 / self.scale)
    }

    /// The range in words, in the shown unit: "from 1 to 1,024".
    pub fn range_text(self) -> String {
        range_text(self.limits())
    }

    /// What links and documents may hold: "a whole number from 1 to 1,024 GiB". If the page shows
    /// another unit than theirs, the range is in theirs, which is not named.
    pub(in crate::scenario) fn wanted(self, unit: &str) -> String {
        let kind = if self.whole { "a whole number" } else { "a number" };
        let same = !unit.is_empty() && self.limits() == self.range;
        let unit = if same { format!(" {unit}") } else { String::new() };
        format!("{kind} {}{unit}", range_text(self.range))
    }

    /// Allowed values as an error message, in the shown unit: "must be between 1 and 1,024 GiB". Links and documents have another
    /// unit than the page for some fields, so that the message then says what the value is in the shown one: "must be between 1
    /// and 100 %, not 6,000 %" for 60 instead of 0.6.
    pub(in crate::scenario) fn demand(self, unit: &str, value: f64) -> String {
        let (low, high) = self.limits();
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let range = format!("must be between {} and {}{unit}", words(low), words(high));
        let shown = words(value / self.scale);
        if shown == words(value) { range } else { format!("{range}, not {shown}{unit}") }
    }

    /// Parses a typed text. The error states the problem and the allowed values in one sentence.
    pub fn parse(self, text: &str) -> Result<Value<'static>, String> {
        if self.otherwise.is_some() && text.trim().is_empty() {
            return Ok(Value::Absent);
        }
        Ok(Value::of_number(self.shown(text)? * self.scale))
    }

    /// The text of a value, a fraction to six digits; empty for an absent one.
    pub fn text(self, value: Value<'_>) -> String {
        value.as_number().map_or_else(String::new, |value| show(value / self.scale))
    }

    /// Text of a control: the typed text if it is invalid or equals the value, otherwise the value.
    pub fn text_after(self, value: Value<'_>, typed: Option<&str>) -> String {
        let means = |meant: Value<'_>| {
            meant == value || meant.as_number().is_some_and(|n| Some(n) == value.as_number())
        };
        match typed {
            Some(typed) if self.parse(typed).map_or(true, means) => typed.to_owned(),
            _ => self.text(value),
        }
    }

    /// Text in place of an omitted value.
    pub fn placeholder(self, scenario: &Scenario) -> Option<String> {
        self.otherwise.and_then(|otherwise| otherwise(scenario))
    }

    /// Returns true for a number of things or of thousands and more of them, which people write with a suffix, e.g. 100M tokens.
    fn is_count(self) -> bool {
        self.whole || self.scale > 1.0
    }

    /// A typed number in the shown unit. A suffix of a count replaces the unit.
    fn typed(self, text: &str) -> Option<f64> {
        match written::suffixed(text).filter(|_| self.is_count()) {
            Some(number) => Some(number / self.scale),
            None => written::number(text),
        }
    }

    /// A typed number in the shown unit, if it is within the limits.
    pub(super) fn shown(self, text: &str) -> Result<f64, String> {
        let (low, high) = self.limits();
        let text = text.trim();
        if text.is_empty() {
            return Err(format!("Enter a number {}", self.range_text()));
        }
        let value = self.typed(text).ok_or_else(|| {
            let kind = if self.whole { "whole number" } else { "number" };
            let suffixed = if self.is_count() { ", 5e3 or 100M" } else { " or 5e3" };
            format!("“{}” is not a {kind}: write it as 1,024{suffixed}", shortened(text))
        })?;
        if value < low && begins_at_zero(low) {
            Err("Must be above 0".to_owned())
        } else if value < low {
            Err(format!("Must be at least {}", words(low)))
        } else if value > high {
            Err(format!("Must be at most {}", words(high)))
        } else if self.whole && value.fract() != 0.0 {
            Err("Must be a whole number".to_owned())
        } else {
            Ok(value)
        }
    }
}

/// A range in words: "from 1 to 1,024".
fn range_text((low, high): (f64, f64)) -> String {
    if begins_at_zero(low) {
        format!("above 0, up to {}", words(high))
    } else {
        format!("from {} to {}", words(low), words(high))
    }
}

/// Returns true if a lower limit is as good as zero.
fn begins_at_zero(low: f64) -> bool {
    low > 0.0 && low < TINY
}

/// Digits of a number that [`Number::shown`] parses: all digits of the integer part, and fraction digits up to a total
/// of six.
pub(super) fn show(value: f64) -> String {
    if value.fract() == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let places = (DIGITS - 1 - libm::log10(value.abs()).floor() as i32).max(0).unsigned_abs() as usize;
    let text = format!("{value:.places$}");
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        Some(_) => text.trim_end_matches('0').to_owned(),
        None => text,
    }
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

    const WHOLE: Number = Number { whole: true, ..Number::between(1.0, 65_536.0) };
    const ANY: Number = Number::between(0.1, 100.0);

    #[test]
    fn typed_numbers_are_read() {
        assert_eq!(WHOLE.parse(" 1024 "), Ok(Value::Whole(1024)));
        assert_eq!(WHOLE.parse("1,024"), Ok(Value::Whole(1024)));
        assert_eq!(WHOLE.parse("1 024"), Ok(Value::Whole(1024)));
        assert_eq!(WHOLE.parse("8.0"), Ok(Value::Whole(8)));
        assert_eq!(ANY.parse(".5"), Ok(Value::Number(0.5)));
    }

    #[test]
    fn numbers_are_read_as_people_write_large_ones() {
        assert_eq!(WHOLE.parse("5e3"), Ok(Value::Whole(5000)));
        assert_eq!(WHOLE.parse("1.6E+4"), Ok(Value::Whole(16_000)));
        assert_eq!(WHOLE.parse("64k"), Ok(Value::Whole(64_000)));
        assert_eq!(WHOLE.parse("1.1 K"), Ok(Value::Whole(1100)));
        assert_eq!(ANY.parse("5e-1"), Ok(Value::Number(0.5)));
        assert_eq!(WHOLE.parse("1e30"), Err("Must be at most 65,536".to_owned()));
        assert_eq!(WHOLE.parse("1e999"), Err("Must be at most 65,536".to_owned()));
        assert!(ANY.parse("5k").is_err_and(|why| why == "“5k” is not a number: write it as 1,024 or 5e3"));
        let tokens = Number { scale: 1e12, ..Number::between(1.0, 1e18) };
        for (text, read) in [("15", 15e12), ("15T", 15e12), ("100M", 1e8), ("1.5 B", 1.5e9), ("2e1", 2e13)] {
            assert_eq!(tokens.parse(text), Ok(Value::of_number(read)), "{text}");
        }
        assert_eq!(tokens.parse("1e30"), Err("Must be at most 1,000,000".to_owned()));
    }

    #[test]
    fn other_text_is_refused_with_a_reason() {
        for text in [
            "NaN", "inf", "1e", "e3", "1e1e1", "1e1.5", "5kk", "k", "5m", "0x10", "1.2.3", "1,02", "--1",
            ".", "+5", "一",
        ] {
            assert!(WHOLE.parse(text).is_err_and(|why| why.contains("is not a whole number")), "{text}");
        }
        assert_eq!(WHOLE.parse(""), Err("Enter a number from 1 to 65,536".to_owned()));
        assert_eq!(WHOLE.parse("0"), Err("Must be at least 1".to_owned()));
        assert_eq!(WHOLE.parse("-8"), Err("Must be at least 1".to_owned()));
        assert_eq!(WHOLE.parse("1.5"), Err("Must be a whole number".to_owned()));
        assert!(WHOLE.parse(&"9".repeat(400)).is_err());
    }

    #[test]
    fn shown_numbers_are_read_back() {
        let number = Number { scale: 1e12, ..Number::between(1.0, 1e18) };
        for value in [0.125, 1.0, 15.0, 16_384.0].map(|shown| Value::of_number(shown * 1e12)) {
            assert_eq!(number.parse(&number.text(value)), Ok(value));
        }
        let optional = Number { otherwise: Some(|_| None), ..ANY };
        assert_eq!((optional.parse(" "), optional.text(Value::Absent)), (Ok(Value::Absent), String::new()));
    }

    #[test]
    fn fractions_are_shown_to_six_digits() {
        for (value, text) in [
            (50_677.002_386_634_84, "50677"),
            (1_234_567.89, "1234568"),
            (16_777_217.0, "16777217"),
            (99_999.96, "100000"),
            (1.0 / 3.0, "0.333333"),
            (0.001_234_567_89, "0.00123457"),
            (-2.500_000_01, "-2.5"),
            (0.1 + 0.2, "0.3"),
        ] {
            assert_eq!(show(value), text);
        }
    }

    #[test]
    fn typed_text_stays_until_the_value_means_something_else() {
        let exact = Value::Number(50.677_002_386_634_84);
        assert_eq!(ANY.text_after(exact, None), "50.677");
        assert_eq!(ANY.text_after(exact, Some("50.67700238663484")), "50.67700238663484");
        assert_eq!(ANY.text_after(exact, Some("50.677")), "50.677");
        assert_eq!(ANY.text_after(Value::Number(8.0), Some("8.00")), "8.00");
        assert_eq!(ANY.text_after(Value::Number(8.0), Some("9")), "8");
        assert_eq!(ANY.text_after(Value::Number(8.0), Some("9x")), "9x");
        assert_eq!(WHOLE.text_after(Value::Whole(1024), Some("1,024")), "1,024");
    }
}
