//! The Inference view: how long a request takes, what limits it, and what other hardware and deployments offer.

mod assumptions;
pub(super) mod deployments;
mod encoders;
mod entry;
mod hardware;
mod lead;
mod models;
mod numbers;
mod offload;
mod opened;
mod percentiles;
mod prefix_cache;
mod purchases;
mod shortfalls;
mod speeds;

use super::work::{Stage, staged};
use super::{Answer, News, Notice, Part, Question, Work, Working, measured, operators, profiled};
use crate::catalog;
use crate::figure::{self, Figure, Roofline};
use crate::scenario::answers::GENERATIONS;
use crate::scenario::{Problem, Scenario};
use crate::search::serving::Search;
use crate::search::tradeoff::Offers;
use crate::serving::InferenceEstimate;
use measured::Published;

pub(super) use entry::ENTRY;
pub(super) use numbers::DECODE_COST;

/// Deployments that are tried in one step: some milliseconds.
const SLICE: usize = 8;

/// Stages before other devices and deployments are tried.
const STAGES: u32 = 1 + LATER.len() as u32;

const LATER: [Stage; 4] = [
    ("hardware", hardware::stage),
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
        let [ttft, tpot, _] = scenario.inference.limits();
        let known = self.known(scenario)?;
        Ok(Work::Done(News::More(vec![
            figure::tradeoff(
                &known.offers,
                (estimate.as_ref().ok().map(|estimate| place(scenario, estimate)), [ttft, tpot]),
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
    let rows = [&estimate.prefill[..], &estimate.decode[..]].concat();
    let pinned = asked.pinned(Scenario::inference);
    let mut breakdowns = [
        figure::prefill_breakdown(&estimate, &pinned, size),
        figure::decode_breakdown(&estimate, &pinned, size),
    ];
    let assumed = assumptions::assumed(question);
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
    let mut parts: Vec<Part> = vec![load(asked)?.into()];
    let notices = [
        without_kernels(question),
        unread_format(question),
        across_domains(question),
        shortfalls::notice(question, &estimate),
        shortfalls::slower_draft(question, &estimate),
    ];
    parts.splice(0..0, notices.into_iter().flatten().map(Part::Notice));
    parts.extend(prefix_cache::parts(asked)?);
    parts.extend(breakdowns.map(Part::from));
    parts.push(
        figure::roofline(
            &roofline(question, &estimate)?,
            &asked.pinned(|other| roofline(other, &other.inference()?)),
            size,
        )
        .into(),
    );
    parts.push(operators::part("bound-by", finding, &rows, operators::Detail::Work).into());
    let (card, beside) = measured::serving(question, &estimate);
    parts.extend(beside);
    parts.extend(profiled::serving(question, &estimate, size));
    let (lead, mut cards) = (lead::lead(question, &estimate), numbers::cards(question, &estimate));
    cards.splice(0..0, card);
    Ok(Answer { lead, cards, parts, ..Answer::default() })
}

/// The operators of a question under the peaks of its device. Those of prefill on another device have other peaks.
fn roofline(question: &Scenario, estimate: &InferenceEstimate) -> Result<Roofline, Vec<Problem>> {
    let (peak, dram) = question.with_inference(|job| {
        let device = &job.system.device;
        (device.rate(question.inference.precision), device.dram)
    })?;
    let apart = question.prefill_device(&question.inference).is_some();
    let prefill = if apart { &[] } else { &estimate.prefill[..] };
    Ok(Roofline { rows: [prefill, &estimate.decode].concat(), peak, dram })
}

/// Service against load.
fn load(asked: &Question) -> Result<Figure, Vec<Problem>> {
    let curve = asked.scenario.load_curve()?;
    let opened = |load: f64| opened::at_load(&asked.scenario, curve.axis, load);
    Ok(figure::load(&curve, &asked.pinned(Scenario::load_curve), &opened, asked.size))
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

/// Notice that the chosen engine does not read weights of the chosen format, or has no kernels for them on the device.
fn unread_format(question: &Scenario) -> Option<Notice> {
    let (engine, format) = (question.inference.engine, question.inference.precision);
    let device = question.system.accelerator().ok()?;
    let there = if engine.loads(format) { format!(" on {}", device.name) } else { String::new() };
    let text = format!(
        "{} does not read weights in {}{there}. The answer combines this engine's scheduling with kernels of other software. Choose \
         another engine or format for a deployment that runs",
        engine.product().name(),
        format.name().trim_end_matches(" weights")
    );
    // `without_kernels` covers devices on which the engine does not run.
    let unread = !engine.loads(format) || (engine.runs_on(&device) && !engine.loads_on(format, &device));
    (unread && engine.is_named()).then(|| Notice::new("no-format", text, Vec::new()))
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
