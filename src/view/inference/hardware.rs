//! Latency and throughput against bandwidths and capacity of the hardware, with the memory of a GPU and the launch command.

use super::opened;
use crate::catalog::interconnect::Scope;
use crate::catalog::{MemoryTechnology, catalog};
use crate::figure;
use crate::scenario::{Problem, Scenario};
use crate::serving::family::{FamilyCurve, Varied};
use crate::view::{Part, Question, launch};

/// Latency and throughput against the hardware's bandwidths and memory.
pub(super) fn stage(asked: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let (question, size) = (&asked.scenario, asked.size);
    let catalog = catalog();
    let memories: Vec<(&str, f64)> =
        catalog.memories.iter().map(|memory| (memory.name.as_str(), memory.system_tb_s)).collect();
    let capacities: Vec<(&str, f64)> = catalog.memories.iter().filter_map(capacity).collect();
    let links = catalog.interconnects.iter().filter(|link| link.id.starts_with("nvlink"));
    let links: Vec<(&str, f64)> = links
        .filter(|link| link.scope == Scope::ScaleUp)
        .map(|link| (link.name.as_str(), link.gb_s))
        .collect();
    let (pinned, opened) =
        (asked.pinned(Scenario::dram_sweep), |tb_s: f64| opened::at_bandwidth(question, tb_s));
    let mut parts: Vec<Part> =
        vec![figure::dram_latency(&question.dram_sweep()?, &memories, &pinned, &opened, size).into()];
    for varied in Varied::ALL {
        let family = question.dram_family(varied)?;
        // One curve alone is that of the figure above.
        if family.curves.len() > 1 {
            let opened = |curve: &FamilyCurve, tb_s: f64| opened::on_curve(question, curve, tb_s);
            parts.push(figure::dram_family(&family, &memories, &opened, size).into());
        }
    }
    if let Some(sweep) = question.link_sweep()? {
        let pinned = asked.pinned(|other| other.link_sweep()?.ok_or_else(Vec::new));
        let opened = |gb_s: f64| opened::at_link(question, gb_s);
        parts.push(figure::link_latency(&sweep, &links, &pinned, &opened, size).into());
    }
    let estimate = question.inference()?;
    let pinned = asked.pinned(|other| other.inference().map(|estimate| estimate.memory));
    parts.push(figure::memory(&estimate.memory, &pinned, size).into());
    parts.extend(
        estimate
            .offloaded_memory()
            .map(|offloaded| figure::memories(&estimate.memory, offloaded, size).into()),
    );
    let swept = parts.len();
    let (pinned, opened) = (asked.pinned(Scenario::capacity_sweep), |gib: f64, requests: f64| {
        opened::at_capacity(question, gib, requests)
    });
    parts.push(figure::capacity(&question.capacity_sweep()?, &capacities, &pinned, &opened, size).into());
    parts.push(launch::part(question).into());
    if let Some(line) = one_batch(question) {
        for part in parts.iter_mut().take(swept) {
            match part {
                Part::Figure(figure) if SWEEPS.iter().any(|id| figure.id.starts_with(id)) => {
                    figure.assumptions.insert(0, line.clone());
                }
                _ => {}
            }
        }
    }
    Ok(parts)
}

/// Beginnings of the ids of figures whose requests are one batch, whatever the load.
const SWEEPS: [&str; 2] = ["dram-", "link-latency"];

/// Says that sweeps of bandwidths serve one batch where the load is a stream.
fn one_batch(question: &Scenario) -> Option<String> {
    let load = &question.inference;
    let requests = if load.batch == 1 {
        "one request".to_owned()
    } else {
        format!("one batch of {} requests", load.batch)
    };
    load.is_stream().then(|| format!("Here {requests} is served alone (Batch): the queue and the other requests of the load are left out"))
}

/// Capacity of a typical device with a memory technology, GiB.
fn capacity(memory: &MemoryTechnology) -> Option<(&str, f64)> {
    let largest = memory.unit_gib.iter().copied().reduce(f64::max)?;
    Some((&memory.name, largest * f64::from(memory.typical_units)))
}
