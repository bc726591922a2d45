//! `calibration.json`, as the library reads it: sources, names of constants, and one line per device and group.
//!
//! `make kernels` writes it, from the tables in `tests/measured`.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::assumptions::Assumptions;
use crate::json::Json;

/// Constants fitted on one measured device.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The catalogue id of the device that was measured.
    pub device: String,
    /// Groups of constants.
    pub groups: Vec<Fitted>,
}

/// A group of constants as fitted on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The group's key, e.g. `matmul.bf16`.
    pub group: String,
    /// Key of the kernels' library, empty for the usual one.
    pub library: String,
    /// Publication of the measurements.
    pub source: String,
    /// Measurements that it was fitted on; 0 where a published figure is used.
    pub rows_fitted: u32,
    /// Other measurements, which give the error.
    pub rows_scored: u32,
    /// Mean error on those, as a fraction.
    pub error: Option<f64>,
    /// The constants in their declared order.
    pub(super) values: Vec<f64>,
}

/// Increase of a group's mean error when its constants are carried over, as fractions.
pub(super) struct Carry {
    /// The group's key.
    pub(super) group: String,
    /// To another device of the architecture.
    pub(super) same_architecture: Option<f64>,
    /// To a neighbouring architecture.
    pub(super) other_architecture: Option<f64>,
}

/// Content of the file.
pub(super) struct File {
    /// Calibrations by device, in the file's order.
    pub(super) calibrations: Vec<Calibration>,
    /// Carry-over errors by group.
    pub(super) carry: Vec<Carry>,
}

/// Prefix shared by the groups of one kind of kernel, which have the same constants.
pub fn kind(group: &str) -> &str {
    if group.starts_with("links") { group } else { group.split('.').next().unwrap_or(group) }
}

/// The file, read once.
pub(super) fn file() -> &'static File {
    static PARSED: OnceLock<File> = OnceLock::new();
    PARSED.get_or_init(|| {
        // Broken data is caught by the tests; in that case the page uses the ideal set's constants.
        let json = Json::parse(include_str!("calibration.json")).unwrap_or(Json::Null);
        File { calibrations: read_calibrations(&json), carry: read_carry(&json) }
    })
}

/// All calibrations.
pub fn calibrations() -> &'static [Calibration] {
    &file().calibrations
}

fn read_calibrations(json: &Json<'_>) -> Vec<Calibration> {
    let source = |key: &str| json.get("sources")?.get(key)?.as_text();
    let mut devices: Vec<Calibration> = Vec::new();
    for entry in json.list("groups") {
        let text = |key: &str| entry.get(key).and_then(Json::as_text).unwrap_or_default();
        let (device, group) = (text("device"), text("group"));
        let rows = |index: usize| number(entry.list("rows"), index).unwrap_or(0.0) as u32;
        let names = json.get("constants").map_or(&[][..], |constants| constants.list(kind(group)));
        let fitted = Fitted {
            group: group.to_owned(),
            library: text("library").to_owned(),
            source: source(text("source")).unwrap_or_default().to_owned(),
            rows_fitted: rows(0),
            rows_scored: rows(1),
            error: entry.get("error").and_then(Json::as_number),
            values: read_values(group, names, entry.list("values")),
        };
        match devices.iter_mut().find(|calibration| calibration.device == device) {
            Some(calibration) => calibration.groups.push(fitted),
            None => devices.push(Calibration { device: device.to_owned(), groups: vec![fitted] }),
        }
    }
    devices
}

/// A group's values in declared order, from those in the file's order; missing values are those of the ideal set.
fn read_values(group: &str, names: &[Json<'_>], values: &[Json<'_>]) -> Vec<f64> {
    let mut ordered = Vec::new();
    Assumptions::ideal().constants(&mut |other, constant, ideal| {
        if other == group {
            let index = names.iter().position(|name| name.as_text() == Some(constant.name));
            ordered.push(index.and_then(|index| number(values, index)).unwrap_or(*ideal));
        }
    });
    ordered
}

/// The number at this position of a list.
fn number(list: &[Json<'_>], index: usize) -> Option<f64> {
    list.get(index)?.as_number()
}

fn read_carry(json: &Json<'_>) -> Vec<Carry> {
    let Some(Json::Object(groups)) = json.get("carry") else { return Vec::new() };
    let read = |(group, errors): &(Cow<'_, str>, Json<'_>)| Carry {
        group: group.clone().into_owned(),
        same_architecture: number(errors.items(), 0),
        other_architecture: number(errors.items(), 1),
    };
    groups.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn every_constant_is_in_its_range() {
        assert!(calibrations().len() >= 5, "calibration.json is broken");
        for calibration in calibrations() {
            let device = &calibration.device;
            assert!(catalog::accelerator(device).is_some(), "{device}");
            for fitted in &calibration.groups {
                let (group, mut values) = (&fitted.group, fitted.values.iter());
                assert!(!fitted.source.is_empty(), "{device} {group} has no source");
                assert!(!fitted.values.is_empty(), "{device} {group} is no group");
                assert!(fitted.error.is_none_or(|error| error < 0.25), "{device} {group}");
                Assumptions::ideal().constants(&mut |other, constant, _| {
                    if other == group {
                        let value = values.next().expect("as many values as constants");
                        let range = constant.low..=constant.high;
                        assert!(range.contains(value), "{device} {group}.{} is {value}", constant.name);
                    }
                });
            }
        }
    }
}
