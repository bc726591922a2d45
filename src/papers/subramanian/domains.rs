//! How much faster training is in scale-up domains of 64 GPUs than in those of 4.

use super::searches::{Asked, Searches};
use super::{CODE, SEARCHED, days};
use crate::papers::{Begin, Chart, Computing, Data, Entry, Found, Line, Lines, Look, Point, Quantity};
use crate::published::subramanian::{Device, Method, Run, Setup, Study};
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
struct Domains(Searches);

impl Domains {
    fn new() -> Self {
        let mut asked = Vec::new();
        for (_, run, method) in CHARTS {
            for device in Device::ALL {
                for domain in [SMALL, LARGE] {
                    let setup = Setup { device, domain };
                    asked.extend(Study::COUNTS.map(|gpus| Asked { run, method, setup, gpus }));
                }
            }
        }
        Self(Searches::new(asked))
    }

    fn point(&self, run: Run, method: Method, device: Device, gpus: u32) -> Point {
        let asked = |domain| Asked { run, method, setup: Setup { device, domain }, gpus };
        let ratio = |days: &dyn Fn(&Asked) -> Option<f64>| Some(days(&asked(SMALL))? / days(&asked(LARGE))?);
        Point {
            x: f64::from(gpus),
            ours: ratio(&|asked| self.0.days(asked)),
            published: ratio(&days::published),
            ..Point::default()
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
                "Both domains run their own best plan; a point is missing where one of them has none"
                    .to_owned(),
            ],
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
        Found { charts: CHARTS.map(|chart| self.chart(chart)).into(), ..Found::default() }
    }
}
