//! Numbers as text: significant digits, groups of three and exponents.

/// From this number on, numbers have an exponent.
pub(super) const HUGE: f64 = 1e15;

/// Three significant digits, without trailing noise: `1.23`, `12.3`, `123`, `1,234`, `1.23e45`.
pub fn digits(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if magnitude >= HUGE {
        return format!("{value:.2e}").replace('-', "−");
    }
    if magnitude >= 999.5 {
        return grouped(value);
    }
    let decimals = if magnitude == 0.0 || magnitude >= 99.95 {
        0
    } else if magnitude >= 9.995 {
        1
    } else if magnitude >= 0.9995 {
        2
    } else {
        3
    };
    decimal(value, decimals)
}

/// Three significant digits, of thousands and millions too: `463,000`.
pub fn rounded(value: f64) -> String {
    let mut step = 1.0;
    while value.is_finite() && value.abs() >= 1_000.0 * step {
        step *= 10.0;
    }
    digits(if step > 1.0 { (value / step).round() * step } else { value })
}

/// A count, e.g. `20`; averages have three significant digits, e.g. `15.3`.
pub fn number(value: f64) -> String {
    if value % 1.0 == 0.0 { grouped(value) } else { digits(value) }
}

/// A whole number with a comma between thousands.
pub fn grouped(value: f64) -> String {
    decimal(value, 0)
}

/// A number with a fixed number of decimals, commas between thousands and a minus sign instead of a hyphen, e.g. `−1,258.17`.
pub fn decimal(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let (whole, behind) = plain.split_once('.').unwrap_or((&plain, ""));
    // Rounding may have carried: the digits before the point are those of the text.
    let digits = whole.trim_start_matches('-');
    let negative = digits.len() < whole.len();
    let mut text = String::from(if negative { "−" } else { "" });
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) && value.is_finite() {
            text.push(',');
        }
        text.push(digit);
    }
    if behind.is_empty() { text } else { format!("{text}.{behind}") }
}

/// The shortest digits that represent a number exactly, with an exponent if the plain form is hard to read.
pub fn shortest(value: f64) -> String {
    let (plain, exponent) = (format!("{value}"), format!("{value:e}"));
    if plain.len() > 8 && exponent.len() < plain.len() { exponent } else { plain }
}

/// Four significant digits, as papers print results: `29.29`, `1,258`.
pub fn printed(value: f64) -> String {
    decimal(value, usize::from(decimals(value, PRINTED)))
}

/// Dimensions, e.g. `2,048 × 12,288 × 4,608`.
pub fn dimensions(sides: &[f64]) -> String {
    sides.iter().copied().map(grouped).collect::<Vec<String>>().join(" × ")
}

/// A number rounded to this many significant digits.
pub fn significant(value: f64, digits: usize) -> f64 {
    let behind = digits.saturating_sub(1);
    format!("{value:.behind$e}").parse().unwrap_or(value)
}

/// Significant digits of results in papers.
pub const PRINTED: i32 = 4;

/// Number of decimals that gives a value this number of significant digits.
pub fn decimals(value: f64, digits: i32) -> u8 {
    (digits - 1 - magnitude(value)).clamp(0, 9) as u8
}

/// Power of ten of a value's first significant digit. Zero counts as a number of [`PRINTED`] digits without decimals.
pub fn magnitude(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { PRINTED - 1 } else { libm::log10(value.abs()).floor() as i32 }
}

/// Two significant digits, without zeros at the end of a fraction: `3.1`, `34`, `1,200`.
pub fn short(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() || !(0.0995..HUGE).contains(&magnitude) {
        return digits(value);
    }
    if magnitude >= 9.95 {
        let mut step = 1.0;
        while magnitude >= 99.5 * step {
            step *= 10.0;
        }
        return grouped((value / step).round() * step);
    }
    let decimals = if magnitude >= 0.995 { 1 } else { 2 };
    format!("{value:.decimals$}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits() {
        assert_eq!(digits(0.1234), "0.123");
        assert_eq!(digits(9.996), "10.0");
        assert_eq!(digits(1234.6), "1,235");
        assert_eq!(digits(-1_234_567.0), "−1,234,567");
        assert_eq!([digits(1e15), digits(-1.2345e300)], ["1.00e15", "−1.23e300"]);
        assert_eq!([short(1.2345e300), rounded(1.2345e300)], ["1.23e300", "1.23e300"]);
        assert_eq!(digits(f64::NAN), "–");
        assert_eq!(rounded(462_641.0), "463,000");
        assert_eq!(rounded(999_600.0), "1,000,000");
        assert_eq!(rounded(1_234.0), "1,230");
        assert_eq!(rounded(35.71), "35.7");
        assert_eq!(rounded(f64::INFINITY), "–");
        assert_eq!([number(20.0), number(15.26)], ["20", "15.3"]);
        assert_eq!(dimensions(&[2048.0, 12_288.0, 64.0]), "2,048 × 12,288 × 64");
        let rounded = [significant(1_234_567.0, 4), significant(-0.012_345_6, 3)];
        assert_eq!(rounded.map(f64::to_bits), [1_235_000.0, -0.0123_f64].map(f64::to_bits));
    }
}
