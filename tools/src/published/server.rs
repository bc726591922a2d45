//! Servers of `serving.csv`: rows that were measured on one server share what one of them shows.

use std::collections::HashSet;

use super::serving::Row;
use foretoken::catalog;
use foretoken::inference::InferenceLoad;
use foretoken::system::Device;
use foretoken::units::FlopRate;
use foretoken::validation::Case;

/// Servers of which at least one row has a property.
pub(super) struct Servers(HashSet<String>);

impl Servers {
    /// The servers of which a row has the property, i.e. `shows` returns `Some(true)`.
    pub(super) fn with(rows: &[Row], cases: &[Case], shows: fn(&Row, &Case) -> Option<bool>) -> Self {
        let showing = rows.iter().zip(cases).filter(|(row, case)| shows(row, case).unwrap_or(false));
        Self(showing.map(|(row, _)| key(row)).collect())
    }

    /// Returns true if a row was measured on one of the servers.
    pub(super) fn have(&self, row: &Row) -> bool {
        self.0.contains(&key(row))
    }
}

/// Key of a server: engine, version, device, model, number formats and mode.
fn key(row: &Row) -> String {
    ["backend", "backend_version", "system", "model_path", "gemm_quant_mode", "moe_quant_mode", "mode"]
        .map(|column| row.text(column))
        .join(";")
}

/// Peak matrix rate of a row's GPUs in the load's number format; `None` for a device that is not in the catalogue.
pub(super) fn peak(row: &Row, load: &InferenceLoad) -> Option<FlopRate> {
    let accelerator = catalog::device_named(row.text("system")).and_then(catalog::accelerator)?;
    Some(Device::of(accelerator).rate(load.precision) * f64::from(load.gpus()))
}
