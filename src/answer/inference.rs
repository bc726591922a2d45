//! The Inference view: how long a request takes, and what more bandwidth would gain.

use super::{Answer, Files, deployments, headline, html, operators};
use crate::catalog::interconnect::Scope;
use crate::catalog::{MemoryTechnology, catalog};
use crate::figure::{self, Size};
use crate::scenario::{NONE, Problem, Scenario, Topic};
use crate::search::serving::Search;
use crate::search::tradeoff::Offers;
use crate::serving::InferenceEstimate;
use crate::system::{AllReduce, AssumptionSet};
use crate::units::{Bytes, Seconds, format};
use crate::validation::Quantity;

/// The inference answer.
pub fn inference(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    inference_among(question, None, size)
}

/// The inference answer with what else there is: what other devices offer, and other deployments on this one.
pub fn inference_among(
    question: &Scenario,
    others: Option<(&[Offers], &Search)>,
    size: Size,
) -> Result<Answer, Vec<Problem>> {
    let estimate = question.inference()?;
    let sweep = question.dram_sweep()?;
    let (peak, dram) = question.with_inference(|job| {
        let device = &job.system.device;
        (device.rate(question.inference.precision), device.dram)
    })?;
    let catalog = catalog();
    let memories: Vec<(&str, f64)> =
        catalog.memories.iter().map(|memory| (memory.name.as_str(), memory.system_tb_s)).collect();
    let capacities: Vec<(&str, f64)> = catalog.memories.iter().filter_map(capacity).collect();
    let links = catalog.interconnects.iter().filter(|link| link.id.starts_with("nvlink"));
    let links: Vec<(&str, f64)> = links
        .filter(|link| link.scope == Scope::ScaleUp)
        .map(|link| (link.name.as_str(), link.gb_s))
        .collect();
    let rows = [&estimate.prefill[..], &estimate.decode[..]].concat();
    let mut figures = vec![
        figure::load(&question.load_curve()?, size),
        figure::prefill_breakdown(&estimate, size),
        figure::decode_breakdown(&estimate, size),
        figure::roofline(&rows, peak, dram, size),
    ];
    let assumed = assumed(question);
    for breakdown in &mut figures[1..3] {
        breakdown.assumptions.extend(assumed.iter().map(|line| (*line).to_owned()));
    }
    let above = figures.len();
    figures.push(figure::dram_latency(&sweep, &memories, size));
    figures.extend(question.link_sweep()?.map(|sweep| figure::link_latency(&sweep, &links, size)));
    figures.push(figure::capacity(&question.capacity_sweep()?, &capacities, size));
    figures.push(figure::memory(&estimate.memory, size));
    let note = "Prefill of the whole prompt, and one decoding step at the request's mean length, on one GPU";
    let (above, below) = figures.split_at(above);
    let mut markup = vec![
        html::each(above, html::figure),
        operators::detailed("bound-by", note, &rows),
        html::each(below, html::figure),
    ];
    let mut tables = Vec::new();
    if let Some((offers, search)) = others {
        let asked = (1.0 / estimate.tpot.get(), per_gpu(question, &estimate));
        let tradeoff = figure::tradeoff(offers, Some(asked), size);
        markup.push(html::figure(&tradeoff));
        markup.push(deployments::markup(question, search));
        tables.push(("deployments", deployments::table(question, search)));
        figures.push(tradeoff);
    }
    Ok(Answer {
        headline: numbers(question, &estimate),
        figures: markup.concat(),
        files: Files { figures, tables, operators: Some(("bound-by", rows)) },
    })
}

/// What the times of this question rest on beyond those of others.
fn assumed(question: &Scenario) -> Vec<&'static str> {
    let load = &question.inference;
    let mut lines = Vec::new();
    if load.kv_precision.element() < Bytes::new(1.0) && question.assumptions == AssumptionSet::Calibrated {
        lines.push(
            "Attention over a cache narrower than 8 bits reads fewer bytes with the constants of an 8-bit one: nobody \
             published a time of such a kernel",
        );
    }
    if !matches!(load.all_reduce, AllReduce::Automatic | AllReduce::Library) {
        lines.push("Every all-reduce goes by the algorithm that is asked for, also where another is faster");
    }
    if load.draft > 0 && question.speculation.model != NONE {
        lines.push("The draft reads every prompt and proposes tokens one by one; its operators are not in the tables");
    }
    lines
}

/// Output tokens per second and GPU.
fn per_gpu(question: &Scenario, estimate: &InferenceEstimate) -> f64 {
    estimate.tokens_per_second / f64::from(question.inference.gpus())
}

/// What a typical device with a memory technology holds, GiB.
fn capacity(memory: &MemoryTechnology) -> Option<(&str, f64)> {
    let largest = memory.unit_gib.iter().copied().reduce(f64::max)?;
    Some((&memory.name, largest * f64::from(memory.typical_units)))
}

fn numbers(question: &Scenario, estimate: &InferenceEstimate) -> String {
    let load = &question.inference;
    let rate = Seconds::new(1.0) / estimate.tpot;
    let together = if load.is_stream() {
        format!("{} requests decoded together", format::digits(estimate.running))
    } else {
        match load.batch {
            1 => "one request at a time".to_owned(),
            batch => format!("{} requests together", format::grouped(f64::from(batch))),
        }
    };
    [
        headline::time(
            ("ttft", "Time to first token"),
            estimate.ttft,
            &format!("{} input tokens", format::grouped(f64::from(load.input))),
            question,
            (Quantity::Ttft, Topic::Ttft),
        ),
        headline::time(
            ("tpot", "Time per output token"),
            estimate.tpot,
            &format!("{} per second and user", format::digits(rate)),
            question,
            (Quantity::Tpot, Topic::Tpot),
        ),
        html::card(
            "latency",
            "Request latency",
            &format::time(estimate.latency),
            &format!("{} output tokens", format::grouped(f64::from(load.output))),
        ),
        html::card(
            "tokens",
            "Output tokens per second",
            &format::rounded(estimate.tokens_per_second),
            &together,
        ),
        html::card(
            "kv",
            "KV cache per token",
            &format::memory(estimate.kv_bytes_per_token),
            &match load.tensor.saturating_mul(load.pipeline) {
                1 => format::traffic(estimate.kv_bytes_per_token),
                gpus => format!("{}; over {gpus} GPUs", format::traffic(estimate.kv_bytes_per_token)),
            },
        ),
        html::card(
            "batch",
            "Largest batch",
            &format::grouped(f64::from(estimate.largest_batch)),
            "requests that fit in memory",
        ),
        headline::memory(&estimate.memory),
        costs(question, estimate),
    ]
    .concat()
}

/// What tokens cost, where the device is one whose price or power is known.
fn costs(question: &Scenario, estimate: &InferenceEstimate) -> String {
    let Ok(accelerator) = question.system.accelerator() else { return String::new() };
    let (economics, load) = (&question.economics, &question.inference);
    let bill = economics.tokens(&accelerator, load, estimate);
    let amount = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), format::digits);
    let price = match economics.hourly_usd(&accelerator) {
        Some(hourly) => format!("at {} $ per GPU and hour", format::digits(hourly)),
        None => "no price of this GPU is known".to_owned(),
    };
    let power = match economics.watts(&accelerator) {
        Some(watts) => {
            format!("at {} W per GPU, the data centre's overhead included", format::grouped(watts))
        }
        None => "the power of this GPU is not known".to_owned(),
    };
    [
        html::card("usd-input", "$ per million input tokens", &amount(bill.usd_per_million_input), &price),
        html::card("usd-output", "$ per million output tokens", &amount(bill.usd_per_million_output), &price),
        html::card("energy", "Energy per output token, J", &amount(bill.joules_per_output), &power),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn what_was_not_measured_is_said() {
        let said = |rest: &str| {
            let question = link::decode(&format!("v=1&view=inference&{rest}")).scenario;
            inference(&question, Size::Wide).map_or_else(
                |problems| problems[0].to_string(),
                |answer| answer.files.figures[2].assumptions.join("\n"),
            )
        };
        assert!(said("serve.kv=fp4").contains("narrower than 8 bits"));
        assert!(!said("serve.kv=fp8").contains("narrower than 8 bits"));
        assert!(!said("serve.kv=fp4&assumptions=ideal").contains("narrower than 8 bits"));
        assert!(said("serve.all_reduce=tree").contains("Every all-reduce"));
        let drafted = said("serve.draft=2&serve.draft_model=llama-3.2-1b");
        assert!(drafted.contains("The draft reads") && drafted.contains("mean context length"), "{drafted}");
    }
}
