//! Samples of measurements (`tests/fixtures/measurements`), for the tests of their readers.

use foretoken::measured::{Measurement, read};

/// The text of a sample.
pub(crate) fn sample(name: &str) -> String {
    let path = format!("{}/tests/fixtures/measurements/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a sample")
}

pub(crate) fn points(name: &str) -> Vec<Measurement> {
    read(&sample(name)).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

/// The only point of a text.
pub(crate) fn only(text: &str) -> Measurement {
    let mut points = read(text).expect("a measurement");
    assert_eq!(points.len(), 1);
    points.remove(0)
}

/// The number as it stands in the file, with as many digits.
pub(crate) fn printed(value: f64, scale: f64, as_printed: &str) -> bool {
    let plain = as_printed.replace(',', "");
    let places = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // More digits than a number of 64 bits has are compared as numbers.
    let same = plain.parse::<f64>().is_ok_and(|number| (value * scale / number - 1.0).abs() < 1e-12);
    same || format!("{:.places$}", value * scale) == plain
}

pub(crate) const MS: f64 = 1e3;
pub(crate) const NS: f64 = 1e9;
pub(crate) const TERA: f64 = 1e-12;
pub(crate) const GIB: f64 = 1.0 / 1_073_741_824.0;
