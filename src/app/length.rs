//! Lengths as style sheets write them.

/// A length in pixels.
pub(crate) fn pixels(length: f64) -> String {
    format!("{length}px")
}

/// A part of a length, in percent.
pub(crate) fn percent(part: f64, whole: f64) -> String {
    format!("{:.2}%", 100.0 * part / whole)
}
