//! Days to train against the number of GPUs, by strategy, model and system.

use std::borrow::Cow;

use super::authors_code::{CODE, SEARCHED};
use super::{plan, summary};
use crate::papers::{
    Begin, Chart, Computing, Data, Entry, Found, Line, Lines, Look, Point, Printed, Quantity,
};
use crate::published::subramanian::{Device, Method, Run, Setup, Study, StudyPoint};
use crate::search::Subject;
use crate::units::format;

/// Days computed by the authors' code. Columns: model, strategy, system, GPUs per domain, then `GPUs=days` pairs.
const PUBLISHED: &str = include_str!("../data/subramanian_days.csv");

pub(super) const ASSUMED: &[&str] = &[
    SEARCHED,
    "GPT3-1T trains on 10¹² tokens; the vision transformer trains for 80 epochs of 350,000 sequences with 64,800 tokens. \
     The global batch is 4,096 sequences",
];

const fn entry(id: &'static str, begin: fn() -> Box<dyn Computing>) -> Entry {
    Entry { id, inferred: ASSUMED, begin: Begin::Steps(begin) }
}

/// One result for each model and device.
pub(super) static ENTRIES: [Entry; 6] = [
    entry("days-gpt3-a100", || Days::begin(Run::LLM, Device::A100)),
    entry("days-gpt3-h200", || Days::begin(Run::LLM, Device::H200)),
    entry("days-gpt3-b200", || Days::begin(Run::LLM, Device::B200)),
    entry("days-vit-a100", || Days::begin(Run::VIT, Device::A100)),
    entry("days-vit-h200", || Days::begin(Run::VIT, Device::H200)),
    entry("days-vit-b200", || Days::begin(Run::VIT, Device::B200)),
];

/// Ids of the figures: one per domain size, so that a figure has at most three lines.
const FIGURES: [&str; 3] = ["days-nvs4", "days-nvs8", "days-nvs64"];

/// The searches of one model on one device.
#[derive(Debug)]
struct Days {
    run: Run,
    device: Device,
    study: Study,
}

impl Days {
    fn begin(run: Run, device: Device) -> Box<dyn Computing> {
        Box::new(Self { run, device, study: Study::of(Study::points(run, device)) })
    }

    fn point(&self, method: Method, domain: u32, gpus: u32) -> StudyPoint {
        StudyPoint { run: self.run, method, setup: Setup { device: self.device, domain }, gpus }
    }

    fn chart(&self, (id, domain): (&'static str, u32)) -> Chart {
        let (model, device) = (self.run.name, self.device.name());
        let setup = Setup { device: self.device, domain };
        let look = |method| Look { colour: method as u8, dash: method as u8 };
        let lines = Method::ALL.map(|method| line(&self.study, (self.run, setup, method), look(method)));
        Chart {
            finding: self.finding(domain),
            assumptions: vec![
                "Each point is the fastest plan of its strategy that fits into memory".to_owned(),
                "Published values with two decimals are rounded to two decimals".to_owned(),
            ],
            ..chart(
                id,
                format!("Days to train {model} on {device} in scale-up domains of {domain}"),
                lines.into(),
            )
        }
    }

    /// Finding: the fastest strategy on the largest number of GPUs, and the strategies without any plan that fits.
    fn finding(&self, domain: u32) -> String {
        let most = Study::COUNTS.into_iter().max().unwrap_or_default();
        let days = |method, gpus| self.study.days(&self.point(method, domain, gpus));
        let never = |method: &Method| Study::COUNTS.iter().all(|gpus| days(*method, *gpus).is_none());
        let nowhere: Vec<&str> = Method::ALL.into_iter().filter(never).map(Method::name).collect();
        let nowhere = if nowhere.is_empty() {
            String::new()
        } else {
            format!("; no plan of {} fits", nowhere.join(" or "))
        };
        let found = Method::ALL.into_iter().filter_map(|method| Some((method, days(method, most)?)));
        let (most, device) = (format::grouped(f64::from(most)), self.device.name());
        match found.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((method, days)) => format!(
                "On {most} {device}, the fastest strategy is {} with {} days{nowhere}.",
                method.name(),
                format::digits(days)
            ),
            None => format!("On {most} {device}, no plan fits{nowhere}."),
        }
    }
}

impl Computing for Days {
    fn progress(&self) -> (u32, u32) {
        self.study.progress()
    }

    fn advance(&mut self) {
        self.study.advance();
    }

    fn found(&self) -> Found {
        let figures = FIGURES.into_iter().zip(Setup::DOMAINS);
        let figures = figures.map(|figure| self.chart(figure));
        let (study, run, device) = (&self.study, self.run, self.device);
        let smallest = summary::smallest(study, run, device);
        let charts = figures.chain([smallest]).chain(summary::gains(study, run, device)).collect();
        let domains = Setup::DOMAINS.into_iter().map(|domain| Setup { device: self.device, domain });
        let questions =
            domains.filter_map(|setup| plan::search(&self.run, setup, summary::MOST, Subject::Plans));
        Found { charts, questions: questions.collect(), ..Found::default() }
    }
}

/// Chart of days to train against the number of GPUs, without a finding or assumptions.
pub(super) fn chart(id: impl Into<Cow<'static, str>>, title: String, lines: Vec<Line>) -> Chart {
    Chart {
        id: id.into(),
        title,
        finding: String::new(),
        source: CODE,
        data: Data::Lines(Lines {
            x: Quantity { name: "GPUs", unit: "", logarithmic: true },
            y: Quantity { name: "Time to train", unit: "days", logarithmic: true },
            lines,
            limits: Vec::new(),
            posts: Vec::new(),
        }),
        assumptions: Vec::new(),
    }
}

/// Line of one strategy on one system.
pub(super) fn line(study: &Study, (run, setup, method): (Run, Setup, Method), look: Look) -> Line {
    let point = |gpus| value(study, &StudyPoint { run, method, setup, gpus });
    Line {
        name: format!("{}, NVS {}", method.name(), setup.domain),
        look,
        points: Study::COUNTS.map(point).into(),
    }
}

/// Days to train with the fastest plan of a point of the study.
pub(super) fn value(study: &Study, point: &StudyPoint) -> Point {
    let fastest = study.fastest(point);
    let cut = fastest.map(|(cut, _)| cut);
    Point {
        x: f64::from(point.gpus),
        ours: fastest.map(|(_, step)| point.run.days(step.time)),
        published: published(point),
        what: cut.map_or_else(String::new, |cut| plan::name(&cut)),
        link: cut.and_then(|cut| plan::question(&point.run, point.setup, &cut)),
    }
}

/// The authors' days at a point, if known.
pub(super) fn published(point: &StudyPoint) -> Option<Printed> {
    let StudyPoint { run, method, setup, gpus } = point;
    let model = if run.model == Run::LLM.model { "gpt3_1T" } else { "vit_era5" };
    let begins = format!("{model},{},{},{},", method.id(), setup.device.name(), setup.domain);
    let row = PUBLISHED.lines().find_map(|line| line.strip_prefix(begins.as_str()))?;
    let mut cells = row.split(',').filter_map(|cell| cell.split_once('='));
    Printed::read(cells.find(|(count, _)| count.parse() == Ok(*gpus))?.1)
}
