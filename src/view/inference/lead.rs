//! The answer in a sentence, and deployments that fit where the asked one does not.

use super::{models, offload, purchases, shortfalls, speeds};
use crate::figure;
use crate::inference::InferenceLoad;
use crate::order;
use crate::scenario::answers::GENERATIONS;
use crate::scenario::{Choice, Problem, Scenario};
use crate::search::serving::{Found, LARGEST_WORKER, STAGES, Search};
use crate::serving::InferenceEstimate;
use crate::system::Precision;
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::Quantity;
use crate::view::title::machines;
use crate::view::{Answer, Card, Link, Notice, Part, Question, cards, measured, profiled};

/// States that the load fits, the service levels that it misses, the speed per user with its range, and the price of tokens.
pub(super) fn lead(question: &Scenario, estimate: &InferenceEstimate) -> String {
    let per_user = Amount::new(Seconds::new(1.0) / estimate.tpot, Unit::None);
    let load = &question.inference;
    let prompt = estimate.prompt(load) / f64::from(load.output.max(1));
    let usd = question.token_bill(estimate).and_then(|bill| bill.usd_with_prompts(prompt));
    let usd = usd.map_or_else(String::new, |usd| {
        format!(", {} per million output tokens with their prompts", Amount::usd(usd))
    });
    let memory = &estimate.memory;
    let offloaded = estimate
        .offloaded_memory()
        .map_or_else(String::new, |(place, memory)| format!(" and {}", offload::used(place, &memory)));
    let limit = offload::limit(question, memory).unwrap_or_default();
    let each = if estimate.second_memory.is_some() { "on the first GPU" } else { "per GPU" };
    format!(
        "Fits on {} with {} of {} {each}{offloaded}{}{}: {per_user} tokens/s per user, TPOT {}, TTFT {}{usd}{limit}",
        machines(question, &question.inference),
        Amount::memory(memory.total()),
        Amount::memory(memory.capacity),
        waiting(question, estimate),
        shortfalls::spoken(question, estimate),
        cards::spoken(estimate.tpot, question, Quantity::Tpot),
        cards::spoken(estimate.ttft, question, Quantity::Ttft),
    )
}

/// States how many requests wait, where at least one does.
fn waiting(question: &Scenario, estimate: &InferenceEstimate) -> String {
    let mean = libm::round(estimate.waiting());
    if mean < 1.0 {
        return String::new();
    }
    let waiting = Amount::new(mean, Unit::Count);
    match question.inference.concurrency {
        0 => format!(", with a queue of {waiting} on average"),
        all => format!(", with {waiting} of {} requests waiting for memory or a slot", Amount::count(all)),
    }
}

/// The answer to a valid load that does not fit: the memory by class. Offers list alternatives that fit.
pub(super) fn unfit(asked: &Question, problems: Vec<Problem>) -> Result<Answer, Vec<Problem>> {
    let (question, size) = (&asked.scenario, asked.size);
    let Ok(estimate) = question.served() else { return Err(problems) };
    let (memory, offloaded) = (estimate.memory, estimate.offloaded_memory());
    let lead = match offloaded.filter(|(_, memory)| !memory.fits()) {
        _ if !memory.fits() => cards::too_large(&memory, &machines(question, &question.inference)),
        Some((place, memory)) => offload::too_small(place, &memory),
        None => return Err(problems),
    };
    let (card, beside) = measured::serving(question, &estimate);
    let mut all: Vec<Card> = card.into_iter().chain([cards::memory(&memory)]).collect();
    all.extend(offloaded.map(|(place, memory)| offload::card(place, &memory)));
    let mut parts = vec![figure::memory(&memory, &[], size).into()];
    parts.extend(offloaded.map(|offloaded| figure::memories(&memory, offloaded, size).into()));
    parts.extend(measured::although_too_large(question).map(Part::Notice));
    parts.extend(beside);
    parts.extend(profiled::serving(question, &estimate, size));
    parts.extend(models::stage(asked).unwrap_or_default());
    parts.extend(measured::stage(asked).unwrap_or_default());
    Ok(Answer { lead, problems, cards: all, parts, ..Answer::default() })
}

/// Alternatives that fit for a load that does not: fewer requests, more GPUs, narrower weights, other devices.
pub(super) fn offers(question: &Scenario, search: &Search) -> Vec<Notice> {
    let mut links: Vec<Link> = fewer(question).into_iter().collect();
    links.extend(offload::links(question));
    let bought = purchases::links(question);
    if bought.is_empty() {
        links.extend(deployments(question, search));
        links.extend(devices(question));
    }
    links.extend(bought);
    let mut known: Vec<String> = Vec::new();
    links.retain(|link| {
        let new = !known.contains(&link.text);
        known.push(link.text.clone());
        new
    });
    let text = if links.is_empty() {
        "Nothing that was tried fits: neither more of these GPUs, nor narrower weights, nor other devices"
    } else {
        "What fits:"
    };
    vec![Notice::new("fits", text, links)]
}

/// More GPUs of the same device, or narrower weights.
fn deployments(question: &Scenario, search: &Search) -> Vec<Link> {
    let load = &question.inference;
    let same = |found: &&Found| found.load.prefill_workers == 0;
    let mut found: Vec<&Found> = search.found().iter().filter(same).collect();
    // Fewest GPUs first; among equals, the highest throughput stays first.
    order::sort(&mut found, |a, b| a.load.gpus().cmp(&b.load.gpus()));
    let wide = found.iter().find(|found| found.load.precision == load.precision);
    let narrow = found.iter().find(|found| found.load.precision != load.precision);
    let narrow = narrow.filter(|narrow| wide.is_none_or(|wide| narrow.load.gpus() < wide.load.gpus()));
    let mut links: Vec<Link> =
        [narrow, wide].into_iter().flatten().map(|found| deployed(question, found)).collect();
    if wide.is_none() {
        links.extend(staged(question));
    }
    links
}

/// The most requests that fit, where the weights do.
fn fewer(question: &Scenario) -> Option<Link> {
    let largest = question.served().ok()?.largest_batch;
    let batched = !question.inference.is_stream() && largest > 0;
    batched.then(|| {
        let mut there = question.clone();
        there.inference.batch = largest;
        Link::to(
            format!(
                "{} on {}",
                format::counted(largest, "concurrent requests"),
                machines(question, &there.inference)
            ),
            &there,
        )
    })
}

/// A deployment with the question's own load, if that fits there; otherwise with the largest that does.
fn deployed(question: &Scenario, found: &Found) -> Link {
    let asked = &question.inference;
    let own =
        InferenceLoad { batch: asked.batch, concurrency: asked.concurrency, rate: asked.rate, ..found.load };
    let mut there = Scenario { inference: own, system: question.system.of_one_kind(), ..question.clone() };
    if there.inference().is_err() {
        there.inference = found.load;
    }
    let speeds =
        there.inference().map_or_else(|_| String::new(), |it| format!(": {}", speeds::spoken(&there, &it)));
    let machines = machines(question, &found.load);
    Link::to(format!("{machines} in {}, {}{speeds}", found.load.precision.name(), found.name()), &there)
}

/// More GPUs of the same device, in pipeline stages over several scale-up domains.
fn staged(question: &Scenario) -> Option<Link> {
    [2, 4, 8].into_iter().find_map(|pipeline| {
        let mut there = Scenario { system: question.system.of_one_kind(), ..question.clone() };
        there.inference.pipeline = pipeline;
        fitting(&there)
    })
}

/// Other devices that hold the load: on the asked number of GPUs, or else on the smallest larger number.
fn devices(question: &Scenario) -> Vec<Link> {
    let own = question.system.accelerator().map(|own| own.id).unwrap_or_default();
    let of = |id: &&str| {
        let mut there = question.clone();
        there.system = there.system.of_one_kind();
        there.system.accelerator = Choice::Named((**id).to_owned());
        // Layers and experts were put on the host for want of memory on the asked device.
        (there.inference.gpu_layers, there.inference.cpu_experts) = (None, 0);
        // More GPUs of the own device are among the deployments that are searched.
        fitting(&there).or_else(|| if **id == own { None } else { larger(&there) })
    };
    GENERATIONS.iter().filter_map(of).collect()
}

/// The smallest deployment on more GPUs that holds the load: a tensor group within a scale-up domain, or pipeline stages over
/// several.
fn larger(there: &Scenario) -> Option<Link> {
    let (asked, domain) = (&there.inference, there.with_inference(|job| job.system.network.domain).ok()?);
    let largest = domain.clamp(1, LARGEST_WORKER);
    let groups =
        (0..=LARGEST_WORKER.ilog2()).map(|power| (1 << power, 1)).filter(|(tensor, _)| *tensor < largest);
    let larger = groups.chain(STAGES.map(|stages| (largest, stages)));
    larger.filter(|(tensor, pipeline)| tensor * pipeline > asked.worker_gpus()).find_map(
        |(tensor, pipeline)| {
            let inference = InferenceLoad { tensor, pipeline, data: 1, expert: 1, ..*asked };
            fitting(&Scenario { inference, ..there.clone() })
        },
    )
}

/// A deployment that holds the load in its format, or else in 8 bits.
fn fitting(there: &Scenario) -> Option<Link> {
    let load = &there.inference;
    let eight = if there.architecture().ok()?.moe.is_some() { Precision::Fp8Block } else { Precision::Fp8 };
    let narrower = Some(eight).filter(|eight| eight.element() < load.precision.element());
    let formats = [Some(load.precision), narrower];
    formats.into_iter().flatten().find_map(|precision| {
        let inference = InferenceLoad { precision, ..*load };
        let there = Scenario { inference, ..there.clone() };
        let estimate = purchases::held(&there)?;
        let format =
            if precision == load.precision { String::new() } else { format!(" in {}", precision.name()) };
        let (machines, speeds) = (machines(&there, &inference), speeds::spoken(&there, &estimate));
        Some(Link::to(format!("{machines}{format}, {}: {speeds}", inference.deployment()), &there))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    fn devices_for(rest: &str) -> Vec<String> {
        let question = link::decode(&format!("v=1&view=inference&{rest}")).scenario;
        assert!(question.inference().is_err(), "{rest}");
        let links = devices(&question);
        for link in &links {
            assert!(link::decode(&link.link).scenario.inference().is_ok(), "{}", link.text);
        }
        links
            .into_iter()
            .map(|link| link.text.split([',', ':']).next().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn other_devices_are_tried_in_larger_numbers() {
        // 1.42 TiB of weights: eight of the GPUs with 288 GB, sixteen with 192 GB.
        let large = devices_for("model=kimi-k3&gpu=rtx-4090&serve.tp=1&serve.precision=mxfp4");
        for device in ["16 × B200 SXM", "8 × B300 SXM", "8 × MI355X"] {
            assert!(large.iter().any(|offer| offer == device), "{device}: {large:?}");
        }
        let mixture = devices_for("model=deepseek-v3&serve.tp=1");
        assert!(mixture.iter().any(|offer| offer.starts_with("8 × H200 SXM")), "{mixture:?}");
        assert!(!mixture.iter().any(|offer| offer.contains("H100")), "the own device: {mixture:?}");
        // A device that holds the load on the asked number is offered with that number.
        let dense = devices_for("model=llama-3.1-70b&serve.tp=1");
        assert!(dense.iter().any(|offer| offer.starts_with("1 × H200 SXM")), "{dense:?}");
    }
}
