//! Any text is read as a benchmark or a log, whose times and rates are finite.
#![no_main]

use foretoken::measured::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let points = match read(text) {
        Ok(points) => points,
        Err(fault) => return assert!(!fault.to_string().is_empty()),
    };
    assert!(!points.is_empty());
    for point in points {
        assert!(point.readings.iter().all(|reading| reading.value.is_finite() && reading.value > 0.0));
        assert!(point.spent.iter().all(|spent| spent.time.is_finite() && spent.time >= 0.0));
    }
});
