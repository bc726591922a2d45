//! `src/system/calibration.json`: one line per device and group.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use foretoken::system::System;
use foretoken::system::calibration::kind;
use serde_json::{Value, json};

use crate::fit::values;
use foretoken_tools::kernels::Sample;
use foretoken_tools::kernels::score::Score;

/// The calibration file as it stands.
pub(crate) struct File {
    json: Value,
}

impl File {
    /// Reads it.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let json = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { json })
    }

    fn find(&self, sample: &Sample) -> Option<&Value> {
        let mut groups = self.json["groups"].as_array().into_iter().flatten();
        groups.find(|entry| is_of(entry, sample))
    }

    /// The error that it states.
    pub(crate) fn error(&self, sample: &Sample) -> Option<f64> {
        self.find(sample)?["error"].as_f64()
    }

    /// Puts a fit and its error in place of what was there.
    pub(crate) fn set(&mut self, sample: &Sample, system: &System, fitted: usize, score: &Score) {
        let Sample { device, group, library, source, .. } = *sample;
        let mut names = Vec::new();
        system.assumptions.clone().constants(&mut |of, constant, _| {
            if of == group {
                names.push(constant.name);
            }
        });
        let mut entry = json!({
            "device": device,
            "group": group,
            "source": source,
            "rows": [fitted, score.rows],
            "error": rounded(score.mean),
            "values": values(system, group),
        });
        if !library.key().is_empty() {
            entry["library"] = json!(library.key());
        }
        self.json["constants"][kind(group)] = json!(names);
        let Some(groups) = self.json["groups"].as_array_mut() else { return };
        match groups.iter_mut().find(|entry| is_of(entry, sample)) {
            Some(present) => *present = entry,
            None => groups.push(entry),
        }
    }

    /// States what carrying a group over adds to its error: inside an architecture, and to a neighbouring one.
    pub(crate) fn set_carry(&mut self, group: &str, inside: Option<f64>, beyond: Option<f64>) {
        self.json["carry"][group] = json!([inside.map(rounded), beyond.map(rounded)]);
    }

    /// Writes it, one group per line.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let mut text = String::from("{\n");
        for part in ["sources", "constants", "carry"] {
            let entries = self.json[part].as_object().into_iter().flatten();
            let lines: Vec<String> = entries.map(|(key, value)| format!("  \"{key}\": {value}")).collect();
            let _ = writeln!(text, " \"{part}\": {{\n{}\n }},", lines.join(",\n"));
        }
        let groups = self.json["groups"].as_array().into_iter().flatten();
        let lines: Vec<String> = groups.map(|entry| format!("  {entry}")).collect();
        let _ = writeln!(text, " \"groups\": [\n{}\n ]\n}}", lines.join(",\n"));
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Returns true if a line of the file is of a sample's device, group and library.
fn is_of(entry: &Value, sample: &Sample) -> bool {
    let library = entry["library"].as_str().unwrap_or_default();
    entry["device"] == sample.device && entry["group"] == sample.group && library == sample.library.key()
}

/// To a hundredth of a percent.
pub(crate) fn rounded(error: f64) -> f64 {
    libm::round(error * 1e4) / 1e4
}
