//! Reads numbers as people write them: with separators, in scientific notation, with a suffix.

/// Suffixes of counts, with their powers of ten.
const SUFFIXES: [(char, i32); 6] = [('k', 3), ('K', 3), ('M', 6), ('B', 9), ('G', 9), ('T', 12)];

/// A plain number, or one in scientific notation such as `5e3`.
pub(super) fn number(text: &str) -> Option<f64> {
    match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => value(mantissa, exponent(power)?),
        None => value(text, 0),
    }
}

/// A plain number with a suffix, such as `100M`.
pub(super) fn suffixed(text: &str) -> Option<f64> {
    let (number, power) =
        SUFFIXES.into_iter().find_map(|(suffix, power)| Some((text.strip_suffix(suffix)?, power)))?;
    value(number.trim_end(), power)
}

/// Digits with at most one point; commas, underscores and spaces between groups of three; times a power of ten. A number that
/// is too large is infinite.
fn value(text: &str, power: i32) -> Option<f64> {
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
    // Read as one number, so that 1.1M is exact.
    let value: f64 = format!("{plain}.{fraction}e{power}").parse().ok()?;
    Some(if negative { -value } else { value })
}

/// The exponent of scientific notation: at most three digits with a sign.
fn exponent(text: &str) -> Option<i32> {
    let (sign, digits) = match text.strip_prefix(['-', '−']) {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let valid = (1..=3).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse::<i32>().ok().filter(|_| valid).map(|power| sign * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_writing_is_read_exactly() {
        for (text, read) in
            [("1,024", 1024.0), (".5", 0.5), ("−2", -2.0), ("5e3", 5000.0), ("1.6E+4", 16e3), ("5e−1", 0.5)]
        {
            assert_eq!(number(text), Some(read), "{text}");
        }
        for (text, read) in [("100M", 1e8), ("1.1 k", 1100.0), ("15T", 15e12), ("2B", 2e9), ("2G", 2e9)] {
            assert_eq!(suffixed(text), Some(read), "{text}");
        }
        assert_eq!(number("1e999"), Some(f64::INFINITY));
        for text in ["1e", "e3", "1e1e1", "1e1.5", "1e+", "1,02", "inf", "5kk", "k", "5m"] {
            assert_eq!((number(text), suffixed(text)), (None, None), "{text}");
        }
    }
}
