//! `calibration.json`, as the library reads it: sources, names of constants, and one line per device and group.

use std::sync::OnceLock;

use serde_json::Value;

use super::assumptions::Assumptions;
use super::calibration::{Calibration, Fitted, kind};

/// How much constants that were carried over add to the mean error of one group, as fractions.
pub(super) struct Carry {
    /// The group's key.
    pub(super) group: String,
    /// To another device of the architecture.
    pub(super) same_architecture: Option<f64>,
    /// To a neighbouring architecture.
    pub(super) other_architecture: Option<f64>,
}

/// All that the file says.
pub(super) struct File {
    /// By device, in the file's order.
    pub(super) calibrations: Vec<Calibration>,
    /// By group.
    pub(super) carry: Vec<Carry>,
}

/// The file, read once.
pub(super) fn file() -> &'static File {
    static PARSED: OnceLock<File> = OnceLock::new();
    PARSED.get_or_init(|| {
        // Broken data is caught by the calibration's tests; a page shows the ideal set's constants rather than none.
        let json = serde_json::from_str(include_str!("calibration.json")).unwrap_or(Value::Null);
        File { calibrations: read_calibrations(&json), carry: read_carry(&json["carry"]) }
    })
}

fn read_calibrations(json: &Value) -> Vec<Calibration> {
    let sources = &json["sources"];
    let mut devices: Vec<Calibration> = Vec::new();
    for entry in items(&json["groups"]) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let device = text(&entry["device"]);
        let group = text(&entry["group"]);
        let rows = |index: usize| entry["rows"][index].as_u64().unwrap_or(0) as u32;
        let fitted = Fitted {
            source: text(&sources[text(&entry["source"]).as_str()]),
            rows_fitted: rows(0),
            rows_scored: rows(1),
            error: entry["error"].as_f64(),
            values: read_values(&group, &json["constants"][kind(&group)], &entry["values"]),
            group,
        };
        match devices.iter_mut().find(|calibration| calibration.device == device) {
            Some(calibration) => calibration.groups.push(fitted),
            None => devices.push(Calibration { device, groups: vec![fitted] }),
        }
    }
    devices
}

/// A group's values in declared order, from those in the file's order; what is left out has the ideal set's.
fn read_values(group: &str, names: &Value, values: &Value) -> Vec<f64> {
    let names = items(names);
    let mut ordered = Vec::new();
    Assumptions::ideal().constants(&mut |other, constant, ideal| {
        if other == group {
            let index = names.iter().position(|name| name.as_str() == Some(constant.name));
            ordered.push(index.and_then(|index| values[index].as_f64()).unwrap_or(*ideal));
        }
    });
    ordered
}

/// The items of a list; none of anything else.
fn items(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn read_carry(json: &Value) -> Vec<Carry> {
    let Value::Object(groups) = json else { return Vec::new() };
    let read = |(group, errors): (&String, &Value)| Carry {
        group: group.clone(),
        same_architecture: errors[0].as_f64(),
        other_architecture: errors[1].as_f64(),
    };
    groups.iter().map(read).collect()
}
