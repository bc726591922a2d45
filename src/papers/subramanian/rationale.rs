//! Step time and memory of GPT3-1T on 16,384 B200 against pipeline depth, and step time against the shape of SUMMA's
//! grid.

use super::authors_code::{CODE, SEARCHED};
use super::plan;
use crate::papers::{
    Bar, Bars, Begin, Chart, Data, Entry, Found, Limit, Line, Lines, Look, Point, Printed, Quantity, Share,
};
use crate::published::subramanian::{
    Degrees, Device, Explorer, Method, Plan, Run, Setup, Space, Step, Strategy,
};
use crate::units::{Bytes, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "why-that-plan",
    inferred: &[
        SEARCHED,
        "TP 8 and microbatches of one sequence, each pipeline depth at its best placement in scale-up domains; memory \
         capacity is not enforced here",
    ],
    begin: Begin::Once(found),
}];

const SETUP: Setup = Setup { device: Device::B200, domain: 8 };
const GPUS: u32 = 16384;
/// Number of panels of a SUMMA multiply.
const PANELS: u32 = 8;
const PARTS: [&str; 5] = ["arithmetic", "TP", "bubble", "DP", "PP"];

/// Results of the authors' code by pipeline depth: step, arithmetic, TP, bubble, DP, PP, all in s, and memory in GB.
const DEPTHS: [(u32, [f64; 7]); 8] = [
    (1, [4.688, 1.716, 2.756, 0.0, 0.216, 0.0, 561.0]),
    (2, [4.430, 1.716, 1.393, 0.778, 0.542, 0.002, 310.0]),
    (4, [4.068, 1.716, 0.712, 0.911, 0.726, 0.003, 184.0]),
    (8, [3.771, 1.716, 0.334, 0.899, 0.816, 0.006, 121.0]),
    (16, [3.429, 1.716, 0.334, 0.967, 0.400, 0.012, 89.0]),
    (32, [3.279, 1.716, 0.334, 1.005, 0.200, 0.025, 73.0]),
    (64, [3.233, 1.716, 0.334, 1.033, 0.101, 0.049, 66.0]),
    (128, [3.267, 1.716, 0.334, 1.066, 0.053, 0.098, 62.0]),
];

/// Results of the authors' code by SUMMA grid: stages, microbatch, first and second side, step in s.
const GRIDS: [(u32, u32, u32, u32, f64); 8] = [
    (128, 1, 8, 1, 3.192),
    (128, 1, 4, 2, 9.56),
    (128, 1, 2, 4, 17.3),
    (128, 1, 1, 8, 33.6),
    (1, 8, 32, 1, 5.85),
    (1, 8, 8, 4, 6.54),
    (1, 8, 4, 8, 8.02),
    (1, 8, 1, 32, 14.6),
];

/// The fastest plan accepted by `pass`, regardless of memory.
fn fastest(explorer: &mut Explorer, method: Method, pass: impl Fn(&Plan) -> bool) -> Option<(Plan, Step)> {
    let mut best: Option<(Plan, Step)> = None;
    explorer.explore(&Space::of(method, GPUS, Run::BATCH), &mut |cut, step| {
        if pass(cut) && best.is_none_or(|(_, known)| step.time < known.time) {
            best = Some((*cut, *step));
        }
    });
    best
}

fn found() -> Found {
    let mut machine = SETUP.machine();
    let capacity = machine.capacity;
    machine.capacity = Bytes::new(f64::MAX);
    let mut explorer = Explorer::new(machine, Run::LLM.model);
    let mut deep = |depth: u32| {
        fastest(&mut explorer, Method::OneD, |cut| {
            cut.degrees.first == 8 && cut.degrees.pipeline == depth && cut.microbatch == 1
        })
    };
    let depths = DEPTHS.map(|(depth, theirs)| (depth, theirs, deep(depth)));
    let data = Data::Bars(Bars {
        quantity: Quantity { name: "Step time", unit: "s", logarithmic: false },
        parts: PARTS.to_vec(),
        rows: depths.iter().map(by_depth).collect(),
    });
    let times = Chart {
        id: "depth-time".into(),
        title: "Step time of GPT3-1T on 16,384 B200 against pipeline depth".to_owned(),
        finding: time_finding(&depths),
        source: CODE,
        data,
        assumptions: vec!["The parts of a step add up to the step time: they do not overlap".to_owned()],
    };
    Found { charts: vec![times, memory(&depths, capacity), grids()], ..Found::default() }
}

type Depth = (u32, [f64; 7], Option<(Plan, Step)>);

fn by_depth((depth, theirs, best): &Depth) -> Bar {
    let name = format!("PP {depth}, DP {}", GPUS / 8 / depth);
    let Some((cut, step)) = best else { return Bar { name, ..Bar::default() } };
    let ours = [step.compute + step.dram, step.tensor, step.bubble, step.data, step.pipeline];
    let part = |(ours, theirs): (&crate::units::Seconds, &f64)| {
        Share::beside(ours.get(), Some(Printed::new(*theirs, 3)))
    };
    Bar {
        name,
        whole: Share::beside(step.time.get(), Some(Printed::new(theirs[0], 3))),
        parts: ours.iter().zip(&theirs[1..6]).map(part).collect(),
        what: plan::name(cut),
        link: plan::question(&Run::LLM, SETUP, cut),
    }
}

fn time_finding(depths: &[Depth]) -> String {
    let steps = depths.iter().filter_map(|(depth, _, best)| Some((*depth, best.as_ref()?.1.time)));
    let Some((depth, step)) = steps.min_by(|a, b| a.1.get().total_cmp(&b.1.get())) else {
        return "No plan has these degrees.".to_owned();
    };
    format!(
        "The step is fastest with {depth} stages, {}: fewer stages have more gradient and weight traffic at its end, more \
         stages have a longer pipeline bubble.",
        format::time(step)
    )
}

fn memory(depths: &[Depth], capacity: Bytes) -> Chart {
    let point = |(depth, theirs, best): &Depth| Point {
        x: f64::from(*depth),
        ours: best.as_ref().map(|(_, step)| step.memory.total().get() * 1e-9),
        published: Some(Printed::new(theirs[6], 0)),
        what: best.as_ref().map_or_else(String::new, |(cut, _)| plan::name(cut)),
        link: best.as_ref().and_then(|(cut, _)| plan::question(&Run::LLM, SETUP, cut)),
    };
    let points: Vec<Point> = depths.iter().map(point).collect();
    let fits = points.iter().find(|point| point.ours.is_some_and(|gb| gb <= capacity.get() * 1e-9));
    let finding = fits.map_or_else(
        || "No depth fits into a GPU's memory.".to_owned(),
        |point| format!("From {} stages on, the job fits into a GPU's memory.", point.x),
    );
    Chart {
        id: "depth-memory".into(),
        title: "Memory per GPU against pipeline depth".to_owned(),
        finding,
        source: CODE,
        data: Data::Lines(Lines {
            x: Quantity { name: "Pipeline stages", unit: "", logarithmic: true },
            y: Quantity { name: "Memory", unit: "GB", logarithmic: true },
            lines: vec![Line { name: "memory per GPU".to_owned(), look: Look::default(), points }],
            limits: vec![Limit { name: "capacity of B200".to_owned(), at: capacity.get() * 1e-9 }],
            posts: Vec::new(),
        }),
        assumptions: vec!["Published values are known to whole gigabytes".to_owned()],
    }
}

/// The fastest placement of a SUMMA grid in domains of eight, with eight panels.
fn placed(degrees: Degrees, microbatch: u32) -> Option<(Plan, Step)> {
    let machine = SETUP.machine();
    let parts = |size: u32| [1, 2, 4, 8].into_iter().filter(move |part| size.is_multiple_of(*part));
    let mut best: Option<(Plan, Step)> = None;
    for first in parts(degrees.first) {
        for second in parts(degrees.second) {
            for data in parts(degrees.data) {
                for pipeline in parts(degrees.pipeline) {
                    if first * second * data * pipeline != SETUP.domain {
                        continue;
                    }
                    let inside = Degrees { first, second, data, pipeline };
                    let cut =
                        Plan { strategy: Strategy::Summa { panels: PANELS }, degrees, inside, microbatch };
                    let step = machine.step(&Run::LLM.model, &cut, Run::BATCH);
                    if best.is_none_or(|(_, known)| step.time < known.time) {
                        best = Some((cut, step));
                    }
                }
            }
        }
    }
    best
}

fn grids() -> Chart {
    let row = |(pipeline, microbatch, first, second, theirs): (u32, u32, u32, u32, f64)| {
        let data = GPUS / (first * second * pipeline);
        let best = placed(Degrees { first, second, data, pipeline }, microbatch);
        Bar {
            name: format!("grid {first}×{second}, PP {pipeline}"),
            whole: Share { ours: best.map(|(_, step)| step.time.get()), published: Some(theirs.into()) },
            parts: Vec::new(),
            what: best.map_or_else(String::new, |(cut, _)| plan::name(&cut)),
            link: best.and_then(|(cut, _)| plan::question(&Run::LLM, SETUP, &cut)),
        }
    };
    Chart {
        id: "grid-time".into(),
        title: "Step time under SUMMA against grid shape".to_owned(),
        finding: String::new(),
        source: CODE,
        data: Data::Bars(Bars {
            quantity: Quantity { name: "Step time", unit: "s", logarithmic: false },
            parts: vec!["step"],
            rows: GRIDS.into_iter().map(row).collect(),
        }),
        assumptions: vec![
            "Activations are broadcast along the grid's first side, weights along the second; eight panels; best placement"
                .to_owned(),
        ],
    }
}
