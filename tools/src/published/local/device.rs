//! The device of a row of local inference.

use super::Row;
use crate::published::device;
use foretoken::catalog;
use foretoken::scenario::{Choice, SystemChoice};
use foretoken::validation::Skip;

/// The machine of a row, with one device.
pub(super) fn system(row: &Row) -> Result<SystemChoice, Skip> {
    let id =
        named(row).ok_or_else(|| Skip::NotModelled(format!("{} is not in the catalogue", row.device)))?;
    let mut system = device::system(&row.device).unwrap_or_default();
    system.accelerator = Choice::Named(id.to_owned());
    system.gpus = 1;
    Ok(system)
}

/// The catalogue's id of a row's device.
pub(super) fn named(row: &Row) -> Option<&'static str> {
    let stated = row.device_id.as_deref().and_then(catalog::accelerator).map(|device| device.id.as_str());
    stated.or_else(|| catalog::device_named(&row.device)).or_else(|| variant(row))
}

/// The variant with the most GPU cores of a chip of Apple's whose number of cores a row does not state. All variants must
/// have the same DRAM bandwidth, so that they generate equally fast; a row with a rate of prompts needs the number.
fn variant(row: &Row) -> Option<&'static str> {
    let family = row.device.to_lowercase().replace(' ', "-");
    let cores = |id: &str| {
        id.strip_prefix(family.as_str())?.strip_prefix('-')?.strip_suffix('c')?.parse::<u32>().ok()
    };
    let devices = catalog::catalog().accelerators.iter();
    let mut variants: Vec<_> = devices.filter_map(|device| Some((cores(&device.id)?, device))).collect();
    variants.sort_by_key(|(cores, _)| *cores);
    let (_, most) = variants.last().filter(|_| row.prompt_tok_s.is_none())?;
    let bandwidth = most.dram.bandwidth_gb_s;
    let equal = variants.iter().all(|(_, other)| (other.dram.bandwidth_gb_s - bandwidth).abs() < 1.0);
    equal.then_some(most.id.as_str())
}
