//! Published values with their printed precision, and formatting of our values to match.

use crate::units::format;

/// A published value with its printed precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The value, in the unit of its chart.
    pub value: f64,
    /// Number of decimals, including trailing zeros.
    pub decimals: u8,
}

impl Printed {
    /// A value printed with this number of decimals.
    pub const fn new(value: f64, decimals: u8) -> Self {
        Self { value, decimals }
    }

    /// Parses a printed value, e.g. `4.40`.
    pub fn read(text: &str) -> Option<Self> {
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
        let decimals = text.split_once('.').map_or(0, |(_, behind)| behind.len());
        Some(Self { value, decimals: u8::try_from(decimals).ok()? })
    }

    /// A value derived from two published ones. It has as many significant digits as the less precise of the two.
    #[must_use]
    pub fn derived(value: f64, from: [Self; 2]) -> Self {
        let digits =
            from.iter().map(Self::significant).min().unwrap_or(format::PRINTED).clamp(1, format::PRINTED);
        Self { value, decimals: format::decimals(value, digits) }
    }

    /// The value as text, without unit.
    pub fn text(&self) -> String {
        format::decimal(self.value, usize::from(self.decimals))
    }

    fn significant(&self) -> i32 {
        i32::from(self.decimals) + format::magnitude(self.value) + 1
    }
}

/// A value printed without trailing zeros.
impl From<f64> for Printed {
    fn from(value: f64) -> Self {
        let text = value.to_string();
        let decimals = text.split_once('.').map_or(0, |(_, behind)| behind.len());
        Self { value, decimals: u8::try_from(decimals).unwrap_or(u8::MAX) }
    }
}

/// Formats our value with as many decimals as the published one, and at least four significant digits.
pub fn beside(ours: f64, published: Option<Printed>) -> String {
    let printed = published.map_or(0, |published| published.decimals);
    if printed == 0 && ours.fract() == 0.0 {
        return format::grouped(ours);
    }
    format::decimal(ours, usize::from(format::decimals(ours, format::PRINTED).max(printed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_keep_their_digits() {
        for text in ["78.35", "4.40", "12.50", "264.895", "561", "0.000"] {
            assert_eq!(Printed::read(text).expect("a value").text(), text);
        }
        assert_eq!(Printed::read("1258.17").expect("a value").text(), "1,258.17");
        assert_eq!(Printed::read("infeasible"), None);
        assert_eq!(Printed::from(59.25).text(), "59.25");
    }

    #[test]
    fn ours_has_as_many_decimals_and_four_digits() {
        let of = |ours, text| beside(ours, Printed::read(text));
        assert_eq!(of(78.3481, "78.35"), "78.35");
        assert_eq!(of(264.895_12, "264.895"), "264.895");
        assert_eq!(of(1.046_2, "1.10"), "1.046");
        assert_eq!(of(36.46, "35"), "36.46");
        assert_eq!((beside(0.000_412_34, None), beside(0.0, None)), ("0.0004123".to_owned(), "0".to_owned()));
        assert_eq!((beside(12_345.6, None), of(512.0, "512")), ("12,346".to_owned(), "512".to_owned()));
    }

    #[test]
    fn a_ratio_has_the_digits_of_the_less_exact_value() {
        let value = |text| Printed::read(text).expect("a value");
        assert_eq!(Printed::derived(5.24 / 3.99, [value("5.24"), value("3.99")]).text(), "1.31");
        assert_eq!(Printed::derived(1.312_3, [value("33.0100"), value("25.527")]).text(), "1.312");
    }
}
