//! Speed-up of training from scale-up domains of 4 GPUs to domains of 64.

use super::authors_code::{CODE, SEARCHED};
use super::{days, plan};
use crate::papers::{
    Bar, Bars, Begin, Chart, Computing, Data, Entry, Found, Line, Lines, Look, Point, Printed, Quantity,
    Share,
};
use crate::published::subramanian::{Device, Method, Run, Setup, Study, StudyPoint};
use crate::units::format;

pub(super) static ENTRIES: [Entry; 1] =
    [Entry { id: "domain-speedup", inferred: &[SEARCHED], begin: Begin::Steps(|| Box::new(Domains::new())) }];

const CHARTS: [(&str, Run, Method); 3] = [
    ("domain-gpt3-1d", Run::LLM, Method::OneD),
    ("domain-vit-summa", Run::VIT, Method::Summa),
    ("domain-vit-seqp", Run::VIT, Method::Context),
];
const SMALL: u32 = 4;
const LARGE: u32 = 64;

#[derive(Debug)]
struct Domains(Study);

impl Domains {
    fn new() -> Self {
        let mut points = Vec::new();
        for (_, run, method) in CHARTS {
            for device in Device::ALL {
                for domain in [SMALL, LARGE] {
                    let setup = Setup { device, domain };
                    points.extend(Study::COUNTS.map(|gpus| StudyPoint { run, method, setup, gpus }));
                }
            }
        }
        points.extend(Device::ALL.map(on_device));
        Self(Study::of(points))
    }

    fn point(&self, run: Run, method: Method, device: Device, gpus: u32) -> Point {
        let on = |domain| StudyPoint { run, method, setup: Setup { device, domain }, gpus };
        let days = |domain| self.0.days(&on(domain));
        let best = self.0.fastest(&on(LARGE));
        let theirs = days::published(&on(SMALL)).zip(days::published(&on(LARGE)));
        Point {
            x: f64::from(gpus),
            ours: days(SMALL).zip(days(LARGE)).map(|(small, large)| small / large),
            published: theirs
                .map(|(small, large)| Printed::derived(small.value / large.value, [small, large])),
            what: best
                .map_or_else(String::new, |(cut, _)| format!("in domains of {LARGE}: {}", plan::name(&cut))),
            link: best.and_then(|(cut, _)| plan::question(&run, on(LARGE).setup, &cut)),
        }
    }

    fn chart(&self, (id, run, method): (&'static str, Run, Method)) -> Chart {
        let line = |(place, device): (u8, Device)| Line {
            name: device.name().to_owned(),
            look: Look { colour: place, dash: place },
            points: Study::COUNTS.map(|gpus| self.point(run, method, device, gpus)).into(),
        };
        let lines: Vec<Line> = (0..).zip(Device::ALL).map(line).collect();
        let most = |line: &Line| {
            let found = line.points.iter().filter_map(|point| Some((point.x, point.ours?)));
            let (gpus, factor) = found.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(format!("{} on {} {}", format::times(factor), format::grouped(gpus), line.name))
        };
        let most: Vec<String> = lines.iter().filter_map(most).collect();
        Chart {
            id: id.into(),
            title: format!("{}, {}: speed-up from domains of {SMALL} to {LARGE}", run.name, method.name()),
            finding: format!("Larger domains gain at most {}.", most.join(", ")),
            source: CODE,
            data: Data::Lines(Lines {
                x: Quantity { name: "GPUs", unit: "", logarithmic: true },
                y: Quantity { name: "Speed-up", unit: "", logarithmic: false },
                lines,
                limits: Vec::new(),
                posts: Vec::new(),
            }),
            assumptions: vec![
                "Each domain size runs its own best plan; a point is missing if no plan fits for one of them"
                    .to_owned(),
            ],
        }
    }
}

/// Speed-ups between devices, with the fastest 1D plan of GPT3-1T on 16,384 GPUs in domains of 8, from the authors'
/// code.
const DEVICES: [(Device, Device, &str); 3] = [
    (Device::A100, Device::H200, "2.74"),
    (Device::H200, Device::B200, "2.30"),
    (Device::A100, Device::B200, "6.3"),
];
const GPUS: u32 = 16384;
const DOMAIN: u32 = 8;

/// The search of a device.
fn on_device(device: Device) -> StudyPoint {
    StudyPoint { run: Run::LLM, method: Method::OneD, setup: Setup { device, domain: DOMAIN }, gpus: GPUS }
}

impl Domains {
    fn devices(&self) -> Chart {
        let row = |(from, to, times): (Device, Device, &str)| {
            let days = |device| self.0.days(&on_device(device));
            let best = self.0.fastest(&on_device(to));
            Bar {
                name: format!("{} to {}", from.name(), to.name()),
                whole: Share {
                    ours: days(from).zip(days(to)).map(|(slow, fast)| slow / fast),
                    published: Printed::read(times),
                },
                parts: Vec::new(),
                what: best
                    .map_or_else(String::new, |(cut, _)| format!("on {}: {}", to.name(), plan::name(&cut))),
                link: best.and_then(|(cut, _)| plan::question(&Run::LLM, on_device(to).setup, &cut)),
            }
        };
        Chart {
            id: "device-speedup".into(),
            title: "GPT3-1T, 1D TP on 16,384 GPUs in domains of 8: speed-up between devices".to_owned(),
            finding: String::new(),
            source: CODE,
            data: Data::Bars(Bars {
                quantity: Quantity { name: "Speed-up", unit: "", logarithmic: false },
                parts: vec!["speed-up"],
                rows: DEVICES.map(row).into(),
            }),
            assumptions: vec!["Each device runs its own best plan".to_owned()],
        }
    }
}

impl Computing for Domains {
    fn progress(&self) -> (u32, u32) {
        self.0.progress()
    }

    fn advance(&mut self) {
        self.0.advance();
    }

    fn found(&self) -> Found {
        Found {
            charts: CHARTS.map(|chart| self.chart(chart)).into_iter().chain([self.devices()]).collect(),
            ..Found::default()
        }
    }
}
