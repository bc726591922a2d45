//! `calibration.json`, as the library reads it: sources, names of constants, and one line per device and group.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::assumptions::Assumptions;
use super::calibration::{Calibration, Fitted, kind};
use crate::json::Json;

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

/// The file, read once.
pub(super) fn file() -> &'static File {
    static PARSED: OnceLock<File> = OnceLock::new();
    PARSED.get_or_init(|| {
        // Broken data is caught by the calibration's tests; in that case the page uses the ideal set's constants.
        let json = Json::parse(include_str!("calibration.json")).unwrap_or(Json::Null);
        File { calibrations: read_calibrations(&json), carry: read_carry(&json) }
    })
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
