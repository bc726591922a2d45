//! Parsing of numbers in log lines.

/// The number that a text begins with: digits with commas between groups, a fraction, an exponent.
pub(super) fn leading(text: &str) -> Option<f64> {
    let text = text.trim_start().trim_start_matches('\'').trim_start();
    let marks = text.char_indices().scan(' ', |last, (at, mark)| {
        let sign = matches!(mark, '+' | '-') && (at == 0 || matches!(*last, 'e' | 'E'));
        let exponent = matches!(mark, 'e' | 'E') && last.is_ascii_digit();
        let inside = mark.is_ascii_digit() || sign || exponent || (mark == '.') || (mark == ',' && at > 0);
        *last = mark;
        inside.then_some(at + mark.len_utf8())
    });
    let end = marks.last()?;
    let digits: String = text.get(..end)?.chars().filter(|mark| *mark != ',').collect();
    let digits = digits.trim_end_matches(['e', 'E', '+', '-', '.']);
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number after the first occurrence of a label in a line.
pub(super) fn after(line: &str, label: &str) -> Option<f64> {
    let (_, rest) = line.split_once(label)?;
    leading(rest.trim_start_matches([' ', ':', '=', '\t']))
}

/// The number after a label, with a suffix K, M, B (or G) or T for powers of a thousand.
pub(super) fn rounded(line: &str, label: &str) -> Option<f64> {
    let (_, rest) = line.split_once(label)?;
    let rest = rest.trim_start_matches([' ', ':', '=']);
    let number = leading(rest)?;
    let suffix = rest.trim_start_matches(|mark: char| mark.is_ascii_digit() || "+-.,e".contains(mark));
    Some(match suffix.chars().next() {
        Some('K') => number * 1e3,
        Some('M') => number * 1e6,
        Some('B' | 'G') => number * 1e9,
        Some('T') => number * 1e12,
        _ => number,
    })
}

/// The whole number nearest to a quotient of rounded numbers, if it is at least 1 and within a relative `tolerance`.
pub(super) fn nearly_whole(value: f64, tolerance: f64) -> Option<f64> {
    let whole = libm::round(value);
    (whole >= 1.0 && (value - whole).abs() <= tolerance * whole).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_logs_write_them() {
        for (text, number) in [
            ("4,376  tflops", Some(4376.0)),
            ("25.62%", Some(25.62)),
            ("1.87e-05 |", Some(1.87e-5)),
            ("'26.2', ", Some(26.2)),
            ("-3 x", Some(-3.0)),
            ("2.5078E+14", Some(2.5078e14)),
            ("48.87GiB", Some(48.87)),
            ("8eggs", Some(8.0)),
            ("none", None),
            ("", None),
            ("1e999", None),
        ] {
            assert_eq!(leading(text), number, "{text}");
        }
        assert_eq!(rounded("time_per_iteration_ms: 8.79K |", "time_per_iteration_ms"), Some(8790.0));
        assert_eq!(rounded("consumed_tokens: 480B |", "consumed_tokens"), Some(480e9));
        assert_eq!(nearly_whole(260.4, 0.01), Some(260.0));
        assert_eq!(nearly_whole(0.2, 0.5), None);
    }
}
