//! Keys of a link that give the same quantity, of which one counts.

use crate::scenario::fields::{FIELDS, Value, position_of_key};
use crate::scenario::{NONE, Problem, Scenario, View};
use crate::sizing::{LoadKind, SizingJob};

/// Keys of one quantity.
struct Rivals {
    /// The quantity, in a sentence.
    quantity: &'static str,
    /// The keys, in the order of their precedence. Those of a device's properties count if the link also names the device.
    keys: &'static [&'static str],
    /// Returns true for a scenario that depends on the quantity.
    when: fn(&Scenario) -> bool,
}

const fn rivals(
    quantity: &'static str,
    keys: &'static [&'static str],
    when: fn(&Scenario) -> bool,
) -> Rivals {
    Rivals { quantity, keys, when }
}

const RIVALS: [Rivals; 11] = [
    rivals("the load", &["serve.rate", "serve.concurrency", "serve.batch"], served),
    rivals("the number of requests", &["serve.requests", "serve.rounds"], |scenario| {
        served(scenario) && scenario.inference.rate > 0.0
    }),
    rivals("the number of requests", &["serve.rounds", "serve.requests"], |scenario| {
        served(scenario) && scenario.inference.rate <= 0.0
    }),
    rivals("the load", &["size.users", "serve.rate", "serve.concurrency"], sized_by_users),
    rivals("the time between requests", &["size.think", "size.per_minute", "serve.interval"], sized_by_users),
    rivals("the time of a draft", &["serve.draft_model", "serve.draft_cost"], |scenario| {
        matches!(scenario.view, View::Inference | View::Sizing)
    }),
    rivals("the DRAM bandwidth", &["dram_gb_s", "gpu.dram.bandwidth_gb_s"], |_| true),
    rivals("the DRAM capacity", &["dram_gib", "gpu.dram.capacity_gib"], |_| true),
    rivals("the scale-up bandwidth", &["scale_up_gb_s", "gpu.scale_up.gb_s"], |_| true),
    rivals("the scale-up domain", &["scale_up_domain", "gpu.scale_up.domain"], |_| true),
    rivals("the scale-out bandwidth", &["scale_out_gb_s", "gpu.scale_out.gb_s"], |_| true),
];

fn served(scenario: &Scenario) -> bool {
    scenario.view == View::Inference
}

fn sized_by_users(scenario: &Scenario) -> bool {
    let sizing = &scenario.sizing;
    scenario.view == View::Sizing && sizing.job == SizingJob::Serve && sizing.load == LoadKind::Users
}

/// A notice for each key without effect, because another one gives the same quantity. `set` tells the fields that the link sets,
/// `leaf` the properties of a device that it names.
pub(super) fn notices(
    scenario: &Scenario,
    set: &[bool; FIELDS.len()],
    leaf: impl Fn(&str) -> bool,
) -> Vec<Problem> {
    let mut notices = Vec::new();
    for Rivals { quantity, keys, .. } in RIVALS.iter().filter(|rivals| (rivals.when)(scenario)) {
        let mut first = None;
        for key in *keys {
            let position = position_of_key(key);
            let given = match position {
                Some(position) => set[position] && gives(FIELDS[position].get(scenario)),
                None => leaf(key),
            };
            match first {
                _ if !given => {}
                None => first = Some(key),
                Some(first) => {
                    let path = position.map_or(DEVICE, |position| FIELDS[position].path);
                    let message = format!("`{key}` has no effect: `{first}` gives {quantity}");
                    notices.push(Problem::new(path, message));
                }
            }
        }
    }
    notices
}

/// Path of the device, whose properties are no fields.
const DEVICE: &str = "system.accelerator";

/// Returns false for the values with which a field leaves its quantity to others.
fn gives(value: Value<'_>) -> bool {
    match value {
        Value::Absent | Value::Text(NONE) => false,
        value => value.as_number() != Some(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_of_a_field_or_of_a_device() {
        let of_device = |key: &str| {
            crate::catalog::accelerator("h100-sxm").is_some_and(|device| {
                let pointer = key.replacen("gpu", "", 1).replace('.', "/");
                serde_json::to_value(device).is_ok_and(|device| device.pointer(&pointer).is_some())
            })
        };
        for key in RIVALS.iter().flat_map(|rivals| rivals.keys) {
            assert!(position_of_key(key).is_some() || of_device(key), "{key}");
        }
    }
}
