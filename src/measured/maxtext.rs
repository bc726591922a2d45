//! Logs of MaxText: its configuration, and `completed step` lines with times and rates.

use std::collections::BTreeMap;

use super::lines::{after, leading, nearly_whole};
use super::steady::{self, Step};
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Text that marks a line with a step.
pub(super) const MARK: &str = "completed step:";

/// Relative tolerance within which a quotient of three printed numbers counts as whole.
const PRINTED: f64 = 0.005;

/// Reads a log.
pub(super) fn read(log: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Maxtext);
    let mut lines: Vec<&str> = Vec::new();
    let mut steps = Vec::new();
    let mut settings: BTreeMap<&str, &str> = BTreeMap::new();
    let mut devices = None;
    for line in log.lines() {
        if let Some((name, value)) =
            line.split_once("Config param ").and_then(|(_, rest)| rest.split_once(':'))
        {
            settings.insert(name.trim(), value.trim());
        }
        devices = after(line, "Num_devices:").or(devices);
        let (Some(number), Some(time)) = (after(line, MARK), after(line, " seconds:")) else { continue };
        if time > 0.0 {
            steps.push(Step { number, time, ..Step::default() });
            lines.push(line);
        }
    }
    let counted = steady::of(&steps, &mut found);
    let time = steady::middle(&counted, |place| Some(steps[place].time));
    let Some(time) = time else {
        return Err(Fault::Empty { what: Format::Maxtext.name(), wanted: "completed step with its seconds" });
    };
    found.used = Some(counted.len() as u32);
    let middle = |label: &str| steady::middle(&counted, |place| after(lines[place], label));
    let one = middle("Tokens/s/device:");
    found.reading(Kind::Step, Statistic::Median, time);
    found.reading(Kind::TokensPerGpu, Statistic::Median, one);
    let flops = middle("TFLOP/s/device:").map(|tera| tera * 1e12);
    found.reading(Kind::FlopsPerGpu, Statistic::Median, flops);
    // `total_weights` counts the tokens in the loss: those of the global batch.
    let tokens = middle("total_weights:");
    if let (None, Some(tokens), Some(one)) = (devices, tokens, one.filter(|one| *one > 0.0)) {
        devices = nearly_whole(tokens / time / one, PRINTED);
    }
    found.whole("system.gpus", devices);
    configured(&settings, devices, &mut found);
    if let (None, Some(tokens)) = (found.fact_of("recipe.batch"), tokens) {
        found.remark(format!(
            "A step has {} tokens, which batch × sequence length has to equal",
            crate::units::format::grouped(tokens)
        ));
    }
    Ok(found)
}

/// Sets model, batch, parallelism, number format and recomputation from the configuration that MaxText logs when it starts.
fn configured(settings: &BTreeMap<&str, &str>, devices: Option<f64>, found: &mut Measurement) {
    let word = |name: &str| settings.get(name).copied().unwrap_or("");
    let number = |name: &str| leading(word(name));
    // The shape of a `default` model is among the other settings.
    if word("model_name") != "default" {
        found.model(word("model_name"));
    }
    found.whole("recipe.sequence", number("max_target_length"));
    // The axes within a slice (`ici`) and across slices (`dcn`). A degree of -1 takes the devices that are left.
    let degree = |axis: &str| {
        let within = number(&format!("ici_{axis}_parallelism"))?;
        let across = number(&format!("dcn_{axis}_parallelism")).unwrap_or(1.0);
        (within > 0.0 && across > 0.0).then_some(within * across)
    };
    for (axis, path) in [
        ("tensor", "parallelism.tensor"),
        ("pipeline", "parallelism.pipeline"),
        ("context", "parallelism.context"),
        ("expert", "parallelism.expert"),
    ] {
        found.whole(path, degree(axis));
    }
    if number("ici_fsdp_parallelism").is_some_and(|degree| !(0.0..=1.0).contains(&degree)) {
        found.whole("parallelism.zero", 3.0);
    }
    let (each, parts) =
        (number("per_device_batch_size"), number("gradient_accumulation_steps").unwrap_or(1.0));
    let product = each.zip(devices).map(|(each, devices)| each * devices * parts);
    found.whole("recipe.batch", number("global_batch_size_to_train_on").or(product));
    // The batch of a device times the devices of a replica. Stages of a pipeline split it further.
    if degree("pipeline").is_none_or(|stages| stages <= 1.0) {
        let shared = degree("tensor").unwrap_or(1.0) * degree("context").unwrap_or(1.0);
        found.whole("parallelism.microbatch", each.map(|each| each * shared));
    }
    match word("quantization") {
        "" if settings.is_empty() => {}
        "" => found.precision(word("dtype")),
        // `fp8_full`, `fp8_gpu`, ...
        other => found.precision(if other.starts_with("fp8") { "fp8" } else { other }),
    }
    match word("remat_policy") {
        "" => {}
        "full" => found.text("parallelism.recompute", "full"),
        other => found.remark(format!(
            "Its remat_policy is {}: choose the nearest recomputation",
            crate::scenario::names::shown(other)
        )),
    }
}
