//! The Inference view: how long a request takes, what limits it, and what other hardware and deployments offer.

pub(super) mod deployments;
mod encoders;
mod lead;
mod models;
mod numbers;
mod offload;
mod percentiles;
mod prefix_cache;
mod purchases;
mod shortfalls;
mod speeds;

use std::borrow::Cow;

use super::work::{Stage, staged};
use super::{Answer, News, Notice, Part, Question, Work, Working, launch, measured, operators, profiled};
use crate::catalog::interconnect::Scope;
use crate::catalog::{self, MemoryTechnology, catalog};
use crate::figure;
use crate::inference::COPIED;
use crate::scenario::answers::GENERATIONS;
use crate::scenario::{NONE, Problem, Scenario, Speculation};
use crate::search::serving::Search;
use crate::search::tradeoff::Offers;
use crate::serving::InferenceEstimate;
use crate::serving::family::Varied;
use crate::system::calibration::carry_over_error;
use crate::system::{AllReduce, AssumptionSet, HOST_MEMORY_SHARE, Precision};
use crate::units::{Bytes, format};
use measured::Published;

/// Deployments that are tried in one step: some milliseconds.
const SLICE: usize = 8;

/// Stages before other devices and deployments are tried.
const STAGES: u32 = 1 + LATER.len() as u32;

const LATER: [Stage; 4] = [
    ("hardware", hardware),
    ("percentiles", percentiles::stage),
    (models::MODELS, models::stage),
    ("causes", measured::stage),
];

/// The view at work.
#[derive(Debug, Default)]
pub(crate) struct Inference {
    published: Published,
    last: Option<(Scenario, Known)>,
}

/// Intermediate results for a question.
#[derive(Debug)]
struct Known {
    offers: Vec<Offers>,
    search: Search,
}

impl Known {
    fn of(scenario: &Scenario) -> Result<Self, Vec<Problem>> {
        Ok(Self { offers: Vec::new(), search: Search::new(scenario.deployments()?) })
    }

    /// Steps done, and steps in all.
    fn progress(&self) -> (u32, u32) {
        let done = self.offers.len() + self.search.tally().tried;
        let all = GENERATIONS.len() + self.search.size();
        (STAGES + done as u32, STAGES + all as u32)
    }

    /// Tries one more device, or some more deployments.
    fn advance(&mut self, scenario: &Scenario) {
        match GENERATIONS.get(self.offers.len()).and_then(|id| catalog::accelerator(id)) {
            Some(device) => {
                let offers = self.search.question().offers(device, scenario.assumed());
                self.offers.push(offers);
            }
            None => self.search.advance(SLICE),
        }
    }
}

impl Working for Inference {
    fn step(&mut self, question: &Question) -> Work {
        self.advance(question).unwrap_or_else(Work::Refused)
    }

    fn supply(&mut self, file: Result<&str, String>) {
        self.published.supply(file);
    }
}

impl Inference {
    fn advance(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let scenario = &question.scenario;
        if question.shown.is_none_or(|done| done < STAGES) {
            return self.stage(question);
        }
        let (_, of) = self.known(scenario)?.progress();
        if let Some(beside) = self.published.step(question, STAGES, of) {
            return Ok(beside);
        }
        let known = self.known(scenario)?;
        known.advance(scenario);
        let (done, of) = known.progress();
        if !known.search.done() {
            return Ok(Work::Progress(done, of));
        }
        let estimate = scenario.inference();
        if question.shown.is_some_and(|shown| shown < of) {
            let offers = match &estimate {
                Err(_) => lead::offers(scenario, &known.search),
                Ok(_) => purchases::offers(scenario),
            };
            if !offers.is_empty() {
                return Ok(Work::Partial(of, of + 1, News::Offers(offers)));
            }
        }
        let place = |scenario: &Scenario, estimate: &InferenceEstimate| {
            (1.0 / estimate.tpot.get(), numbers::per_gpu(scenario, estimate))
        };
        let measured = measured::runs(scenario, self.published.points());
        let known = self.known(scenario)?;
        Ok(Work::Done(News::More(vec![
            figure::tradeoff(
                &known.offers,
                estimate.as_ref().ok().map(|estimate| place(scenario, estimate)),
                &question.pinned(|other| other.inference().map(|estimate| place(other, &estimate))),
                &measured,
                &|offer, found| deployments::opened(&scenario.on(&offer.id), found),
                question.size,
            )
            .into(),
            deployments::part(scenario, &known.search).into(),
        ])))
    }

    /// A stage before the search; progress counts the search's steps too.
    fn stage(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let (done, news) = match staged(question, first, &LATER) {
            // A question that does not fit has no later stages.
            Work::Partial(_, _, News::Whole(answer)) if !answer.problems.is_empty() => {
                (STAGES, News::Whole(answer))
            }
            Work::Partial(done, _, news) => (done, news),
            Work::Done(news) => (STAGES, news),
            other => return Ok(other),
        };
        let (_, of) = self.known(&question.scenario)?.progress();
        Ok(Work::Partial(done, of, news))
    }

    fn known(&mut self, scenario: &Scenario) -> Result<&mut Known, Vec<Problem>> {
        if self.last.as_ref().is_none_or(|(last, _)| last != scenario) {
            self.last = None;
        }
        Ok(match &mut self.last {
            Some((_, known)) => known,
            last => &mut last.insert((scenario.clone(), Known::of(scenario)?)).1,
        })
    }
}

/// Cards, service against load, the breakdowns of prefill and decode, the roofline, and the operators.
pub(super) fn first(asked: &Question) -> Result<Answer, Vec<Problem>> {
    let (question, size) = (&asked.scenario, asked.size);
    let estimate = match question.inference() {
        Ok(estimate) => estimate,
        Err(problems) => return lead::unfit(asked, problems),
    };
    let (peak, dram) = question.with_inference(|job| {
        let device = &job.system.device;
        (device.rate(question.inference.precision), device.dram)
    })?;
    let rows = [&estimate.prefill[..], &estimate.decode[..]].concat();
    let mut breakdowns =
        [figure::prefill_breakdown(&estimate, size), figure::decode_breakdown(&estimate, size)];
    let assumed = assumed(question);
    for breakdown in &mut breakdowns {
        breakdown.assumptions.extend(assumed.iter().map(ToString::to_string));
    }
    breakdowns[0].assumptions.extend(estimate.images.map(|_| encoders::IMAGES_ASSUMED.to_owned()));
    breakdowns[0].assumptions.extend(estimate.audio.map(|_| encoders::AUDIO_ASSUMED.to_owned()));
    let finding = if question.inference.is_stream() {
        "A step that prefills what is not cached of prompts, beside decoding requests, and one decoding step at the mean length, on one GPU"
    } else {
        "Prefill of the whole prompt, and one decoding step at the request's mean length, on one GPU"
    };
    let mut parts: Vec<Part> =
        vec![figure::load(&question.load_curve()?, &asked.pinned(Scenario::load_curve), size).into()];
    let notices = [
        without_kernels(question),
        across_domains(question),
        shortfalls::exceeded(question, &estimate),
        shortfalls::slower_draft(question, &estimate),
    ];
    parts.splice(0..0, notices.into_iter().flatten().map(Part::Notice));
    parts.extend(prefix_cache::parts(question, size)?);
    parts.extend(breakdowns.map(Part::from));
    // Operators on another device have other peaks.
    let own = if question.prefill_device(&question.inference).is_some() { &estimate.decode } else { &rows };
    parts.push(figure::roofline(own, peak, dram, size).into());
    parts.push(operators::part("bound-by", finding, &rows, operators::Detail::Work).into());
    let (card, beside) = measured::serving(question, &estimate);
    parts.extend(beside);
    parts.extend(profiled::serving(question, &estimate, size));
    let (lead, mut cards) = (lead::lead(question, &estimate), numbers::cards(question, &estimate));
    cards.splice(0..0, card);
    Ok(Answer { lead, cards, parts, ..Answer::default() })
}

/// Latency and throughput against the hardware's bandwidths and memory.
fn hardware(asked: &Question) -> Result<Vec<Part>, Vec<Problem>> {
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
    let pinned = asked.pinned(Scenario::dram_sweep);
    let mut parts: Vec<Part> =
        vec![figure::dram_latency(&question.dram_sweep()?, &memories, &pinned, size).into()];
    for varied in Varied::ALL {
        let family = question.dram_family(varied)?;
        // One curve alone is that of the figure above.
        if family.curves.len() > 1 {
            parts.push(figure::dram_family(&family, &memories, size).into());
        }
    }
    parts.extend(question.link_sweep()?.map(|sweep| figure::link_latency(&sweep, &links, size).into()));
    let estimate = question.inference()?;
    parts.push(figure::memory(&estimate.memory, size).into());
    parts.extend(estimate.memory_apart().map(|apart| figure::memories(&estimate.memory, apart, size).into()));
    let swept = parts.len();
    parts.push(figure::capacity(&question.capacity_sweep()?, &capacities, size).into());
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

/// Notice that the chosen engine does not run on the device.
fn without_kernels(question: &Scenario) -> Option<Notice> {
    let (engine, device) = (question.inference.engine, question.system.accelerator().ok()?);
    let text = format!(
        "{} has no kernels for {}: it cannot be deployed there. The answer combines the scheduling and overheads of this engine \
         with kernels of other libraries. Choose another engine for a deployment that runs",
        engine.product().name(),
        device.name
    );
    (!engine.runs_on(&device)).then(|| Notice::new("no-kernels", text, Vec::new()))
}

/// Notice of the software that is assumed where experts are spread over several scale-up domains.
fn across_domains(question: &Scenario) -> Option<Notice> {
    let domain = question.with_inference(|job| job.system.network.domain).ok()?;
    let mixture = question.architecture().is_ok_and(|model| model.moe.is_some());
    let text = format!(
        "Experts are spread over more than one scale-up domain of {domain} GPUs. The answer assumes what published runs of this \
         kind have: DeepEP's exchange kernels, two overlapped halves of each batch, and balanced experts. Published runs \
         within one domain have none of the three, and are predicted without them. Part of the difference between one domain \
         and several is therefore due to the software."
    );
    (mixture && question.inference.expert > domain).then(|| Notice::new("across-domains", text, Vec::new()))
}

/// Returns true where the experts' constants were fitted to requests served on MI300X instead of kernels.
fn has_served_experts(question: &Scenario) -> bool {
    let Ok(device) = question.system.accelerator() else { return false };
    let served = || {
        let carried = carry_over_error(&device);
        carried.iter().any(|carried| (carried.group, carried.from) == ("experts.fp8block", "mi300x"))
    };
    question.assumptions == AssumptionSet::Calibrated
        && question.inference.precision == Precision::Fp8Block
        && question.architecture().is_ok_and(|model| model.moe.is_some())
        && served()
}

/// Assumptions about both phases that only some questions make.
fn assumed(question: &Scenario) -> Vec<Cow<'static, str>> {
    let load = &question.inference;
    let mut lines = Vec::new();
    if load.kv_precision.element() < Bytes::new(1.0) && question.assumptions == AssumptionSet::Calibrated {
        lines.push(
            "Attention over a KV cache narrower than 8 bits reads fewer bytes, with the constants of an 8-bit cache: \
             no time of such a kernel was published"
                .into(),
        );
    }
    if has_served_experts(question) {
        lines.push(
            "The time of experts in FP8 blocks is fitted to requests that SGLang 0.5.7 served on MI300X, since no kernels were measured; \
             with few requests it exceeds that of 16-bit experts, whose constants are those of an H100"
                .into(),
        );
    }
    if load.expert_gpus > 0 {
        lines.push(
            "Three microbatches alternate between the GPUs of attention and of experts, which are spread evenly over domains; no run \
             of such a deployment was published with its settings, so that nothing of it is measured"
                .into(),
        );
    }
    if !matches!(load.all_reduce, AllReduce::Automatic | AllReduce::Library) {
        lines.push("Every all-reduce uses the chosen algorithm, also where another is faster".into());
    }
    if load.gpu_layers.is_some() || load.cpu_experts > 0 {
        lines.push(Cow::Owned(format!(
            "Layers on the CPU read their weights at {} of host memory's nominal bandwidth, as measured on one machine; steps of \
             at least {COPIED} tokens copy the weights to the GPU instead, without overlap with kernels; the CPU does not wait \
             between layers",
            format::percent(HOST_MEMORY_SHARE)
        )));
    }
    if question.system.second != NONE {
        lines.push(
            "The two GPUs work one after the other, also on prompts, where llama.cpp can overlap slices of 512 tokens; the \
             transfer of activations between them is left out. Prices and power are those of the first GPU alone"
                .into(),
        );
    }
    if question.prefill_device(load).is_some() {
        lines.push(
            "The roofline, and curves over bandwidths and capacity, are of the decode workers' device. Both kinds of workers keep \
             keys and values in one layout, so that the KV transfer takes what the slower side's scale-out links need"
                .into(),
        );
    }
    if load.draft > 0 && question.speculation.model != NONE {
        let draft = if question.speculation.model == Speculation::MODULES {
            "The model's prediction modules (MTP) prefill every prompt and propose tokens one by one; their operators are not in the \
             tables"
        } else {
            "The draft model prefills every prompt and proposes tokens one by one; its operators are not in the tables"
        };
        lines.push(draft.into());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn assumptions_of_unmeasured_choices_are_stated() {
        let said = |rest: &str| {
            let question = link::decode(&format!("v=1&view=inference&{rest}")).scenario;
            first(&Question::new(question.clone(), crate::figure::Size::Wide)).map_or_else(
                |problems| problems[0].to_string(),
                |answer| {
                    answer.figures().nth(2).map(|figure| figure.assumptions.join("\n")).unwrap_or_default()
                },
            )
        };
        assert!(said("serve.kv=fp4").contains("narrower than 8 bits"));
        assert!(!said("serve.kv=fp8").contains("narrower than 8 bits"));
        assert!(!said("serve.kv=fp4&assumptions=ideal").contains("narrower than 8 bits"));
        assert!(said("serve.all_reduce=tree").contains("Every all-reduce"));
        let predicted =
            said("model=deepseek-v3&gpu=b200&serve.precision=fp8&serve.draft=1&serve.draft_model=mtp");
        assert!(predicted.contains("prediction modules (MTP) prefill"), "{predicted}");
        let drafted = said("serve.draft=2&serve.draft_model=llama-3.2-1b");
        assert!(
            drafted.contains("The draft model prefills") && drafted.contains("mean context length"),
            "{drafted}"
        );
    }
}
