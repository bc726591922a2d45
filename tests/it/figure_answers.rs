//! Figures of whole answers, at each width of the page, on which the laws of all figures are checked.

use std::sync::{Arc, LazyLock};

use foretoken::figure::{Figure, Size};
use foretoken::published::EXHIBITS;
use foretoken::scenario::link;
use foretoken::scenario::preset::presets;
use foretoken::service::{Ask, Request, Said, Service, Step};
use foretoken::view::Answer;
use foretoken::view::comparison;

use crate::figure_cases::{SIZES, all};
use crate::{figure as estimates, figure_search};

/// Questions whose figures are computed within a second or two.
const QUICK: [&str; 16] = [
    "v=1",
    "v=1&model=llama-3.1-8b&gpus=64&tp=8&pp=1&batch=128&framework=megatron&measured.step=3",
    "v=1&model=deepseek-v3&gpu=gb200-nvl72&gpus=1152&tp=4&pp=9&ep=16&batch=4608",
    "v=1&view=inference",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=2&serve.concurrency=16&serve.ttft=500&serve.tpot=20",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.concurrency=16&serve.turns=5&measured.tpot=9",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=2&serve.batch=8&measured.ttft=80&measured.latency=2000",
    "v=1&view=inference&model=mistral-small-3.2-24b&gpu=rtx-pro-6000-blackwell&serve.tp=1",
    "v=1&view=inference&model=llama-3.1-8b&gpu=epyc-9965-2s&serve.tp=1&serve.batch=1",
    "v=1&view=inference&model=deepseek-v3&gpu=gb200-nvl72&serve.tp=64&serve.concurrency=512",
    "v=1&view=inference&model=llama-2-70b&gpu=vr200-nvl144&serve.tp=8&serve.batch=64",
    "v=1&view=inference&model=llama-3.1-8b&gpu=apple-m4-max-40c&serve.tp=1&serve.batch=1",
    "v=1&view=technology",
    "v=1&view=technology&tech.task=train",
    "v=1&view=technology&tech.task=prefill&model=gpt-3-175b",
    "v=1&view=validation",
];

/// Questions that search.
const LONG: [&str; 5] = [
    "v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096&search.gpus_max=64",
    "v=1&view=search&model=llama-3.1-70b&gpu=gb200-nvl72&gpus=288&batch=576&search.gpus_min=72&search.gpus_max=1152",
    "v=1&view=generations&model=gpt-3-13b&gpus=64&tp=8&pp=1&batch=256&seq=2048&serve.tp=1&serve.in=512&serve.out=128",
    "v=1&view=sizing&model=llama-3.1-8b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&serve.engine=vllm",
    "v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e12&batch=512",
];

/// Questions with others pinned beside them.
const PINNED: [&str; 5] = [
    "v=1&view=training~v=1&view=training&gpus=1024&pin=true~v=1&view=training&gpu=b200&tp=4&pin=true",
    "v=1&view=inference~v=1&view=inference&gpu=b200&pin=true~v=1&view=inference&model=llama-3.1-8b&pin=true",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.concurrency=64\
     ~v=1&view=inference&model=llama-3.1-8b&gpu=rtx-pro-6000-blackwell&serve.tp=1&serve.concurrency=64&pin=true\
     ~v=1&view=inference&model=llama-3.1-8b&gpu=vr200-nvl144&serve.tp=1&serve.concurrency=128&pin=true",
    "v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096&gpus=16&search.gpus_min=16&search.gpus_max=32\
     ~v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096&gpus=16&search.gpus_min=16&search.gpus_max=32\
     &gpu=vr200-nvl144&pin=true",
    "v=1&view=technology&tech.memory=hbm2e~v=1&view=technology&tech.memory=hbm3e&pin=true",
];

/// Devices of a comparison of eight questions, of which some have long names.
const DEVICES: [&str; 8] = [
    "h100-sxm",
    "a100-sxm-80gb",
    "h200-sxm",
    "b200",
    "gb200-nvl72",
    "vr200-nvl144",
    "rtx-pro-6000-blackwell",
    "mi300x",
];

/// Questions that are compared on each of [`DEVICES`].
const COMPARED: [&str; 3] = [
    "v=1&view=training&model=llama-3.1-8b&gpus=64&tp=4&pp=1&batch=256",
    "v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.concurrency=32",
    "v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096&gpus=16&search.gpus_min=16&search.gpus_max=32",
];

/// A drawn figure, and the question that has it.
pub(crate) struct Drawn {
    pub(crate) question: String,
    pub(crate) figure: Figure,
}

/// The answer to a question, drawn at a size by a service that may have answered it at another.
fn answer(service: &mut Service, link: &str, size: Size) -> Answer {
    service.ask(Request { id: 1, ask: Ask::Answer { link: link.to_owned(), size, workers: 1 } });
    let mut known = Answer::default();
    loop {
        match service.step() {
            Step::Idle => return known,
            Step::Busy => {}
            Step::Tell(reply) => match reply.said {
                Said::Partial { news, .. } | Said::Answer(news) => known.take(news),
                Said::Progress { .. } => {}
                other => panic!("{link}: {other:?}"),
            },
            Step::Fetch(name) => service.supply(Ok(match name {
                "nccl_perlmutter.csv" => include_str!("../measured/nccl_perlmutter.csv"),
                _ if link.contains("view=validation") => include_str!("../../public/validation.csv"),
                _ => "",
            })),
        }
    }
}

/// The figures of the answer to a question at every size.
fn answered(link: &str) -> Vec<Drawn> {
    let mut service = Service::default();
    let sized = SIZES.into_iter().flat_map(|size| {
        let answer = answer(&mut service, link, size);
        assert!(answer.problems.is_empty(), "{link}: {:?}", answer.problems);
        answer.figures().cloned().collect::<Vec<_>>()
    });
    sized.map(|figure| Drawn { question: link.to_owned(), figure }).collect()
}

/// The figures that compare a question on each of [`DEVICES`], at every size.
fn compared(question: &str) -> Vec<Drawn> {
    let links = DEVICES.map(|device| format!("{question}&gpu={device}"));
    let questions = links.clone().map(|link| link::decode(&link).scenario);
    let mut answers = Vec::new();
    if questions.iter().any(comparison::searches) {
        let whole = |link: &String| Arc::new(answer(&mut Service::default(), link, Size::Narrow));
        answers = links.iter().map(whole).collect();
    }
    let search = |asked: &_| {
        let place = questions.iter().position(|question| question == asked);
        Ok(place.and_then(|place| answers.get(place).cloned()).unwrap_or_default())
    };
    let figures = SIZES.into_iter().flat_map(|size| {
        let mut figures = comparison::figures(&questions, size);
        figures.extend(comparison::searched(&questions, &search, size));
        figures
    });
    figures.map(|figure| Drawn { question: format!("eight of {question}"), figure }).collect()
}

/// Figures of every kind at every size: of answers, of comparisons, and of estimates made for tests.
pub(crate) fn drawn() -> &'static [Drawn] {
    static DRAWN: LazyLock<Vec<Drawn>> = LazyLock::new(|| {
        let mut drawn = Vec::new();
        for size in SIZES {
            let made = all(size).into_iter().chain(figure_search::maps(size));
            drawn.extend(made.map(|figure| Drawn { question: "made for tests".to_owned(), figure }));
            for preset in presets() {
                let figures = estimates::of_scenario(&preset.scenario(), size).into_iter();
                drawn.extend(figures.map(|figure| Drawn { question: preset.id.to_owned(), figure }));
            }
        }
        let results = EXHIBITS.iter().map(|exhibit| format!("v=1&view=papers&result={}", exhibit.id));
        let questions = QUICK.into_iter().chain(LONG).chain(PINNED).map(str::to_owned).chain(results);
        drawn.extend(questions.flat_map(|link| answered(&link)));
        drawn.extend(COMPARED.into_iter().flat_map(compared));
        drawn
    });
    &DRAWN
}
