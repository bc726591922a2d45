//! The best plans of the authors' search, and where their steps' time goes.

use super::searches::{Asked, Searches};
use super::{CODE, SEARCHED, plan};
use crate::papers::{Bar, Bars, Begin, Chart, Computing, Data, Entry, Found, Quantity, Share};
use crate::published::subramanian::{Device, Method, Run, Setup, Step};
use crate::units::{Seconds, format};

pub(super) static ENTRIES: [Entry; 1] =
    [Entry { id: "optima", inferred: &[SEARCHED], begin: Begin::Steps(|| Box::new(Optima::new())) }];

/// Parts of a step, in the order of bars.
const PARTS: [&str; 6] = ["arithmetic", "DRAM", "TP and CP", "DP", "PP", "bubble"];

/// A case: what is searched, its step by the authors' code and, where that was at hand, the parts of the step, s.
struct Case {
    asked: Asked,
    step: Option<f64>,
    parts: Option<[f64; 6]>,
}

fn cases() -> Vec<Case> {
    let on = |device, domain| Setup { device, domain };
    let (b8, b64) = (on(Device::B200, 8), on(Device::B200, 64));
    let case = |run, method, setup, gpus, step, parts| Case {
        asked: Asked { run, method, setup, gpus },
        step,
        parts,
    };
    let (llm, vit) = (Run::LLM, Run::VIT);
    let (one, summa, context) = (Method::OneD, Method::Summa, Method::Context);
    vec![
        case(llm, one, b8, 128, Some(264.895), Some([219.588, 0.0, 42.765, 0.0, 1.57488, 0.96653])),
        case(llm, one, b8, 1024, Some(30.1294), Some([25.7261, 0.21317, 0.70222, 0.08428, 0.08847, 3.31515])),
        case(llm, one, b8, 4096, Some(9.03905), Some([6.57507, 0.02387, 0.54203, 0.09838, 0.02276, 1.77694])),
        case(llm, one, b8, 16384, Some(3.233), None),
        case(llm, context, b8, 16384, Some(2.96118), Some([1.715, 0.0, 0.14936, 0.10577, 0.04921, 0.94184])),
        case(llm, summa, b8, 16384, Some(3.192), None),
        case(llm, one, b64, 16384, Some(2.893), None),
        case(llm, one, on(Device::A100, 4), 16384, Some(23.9), None),
        case(
            vit,
            context,
            b8,
            16384,
            Some(13.7102),
            Some([8.82343, 0.1131, 3.20233, 0.02829, 0.02283, 1.52021]),
        ),
        case(vit, summa, b8, 16384, Some(13.46), None),
        case(vit, context, on(Device::A100, 4), 4096, None, None),
    ]
}

fn parts(step: &Step) -> [f64; 6] {
    [step.compute, step.dram, step.tensor, step.data, step.pipeline, step.bubble].map(Seconds::get)
}

#[derive(Debug)]
struct Optima(Searches);

impl Optima {
    fn new() -> Self {
        Self(Searches::new(cases().iter().map(|case| case.asked).collect()))
    }

    fn bar(&self, case: &Case, whole: impl Fn(&Step) -> Share, shares: bool) -> Bar {
        let Asked { run, method, setup, gpus } = case.asked;
        let best = self.0.best(&case.asked);
        let model = if run.model == Run::LLM.model { "GPT3-1T" } else { "ViT" };
        let count = format::grouped(f64::from(gpus));
        let short = match method {
            Method::OneD => "1D",
            Method::Summa => "SUMMA",
            Method::Context => "seqp",
        };
        let of = |step: &Step| {
            let ours = parts(step).map(|part| 100.0 * part / step.time.get());
            let theirs = case.parts.zip(case.step).map(|(parts, step)| parts.map(|part| 100.0 * part / step));
            let part = |place: usize| Share::beside(ours[place], theirs.map(|theirs| theirs[place]));
            (0..PARTS.len()).map(part).collect()
        };
        Bar {
            name: format!("{model} {short}, {count} {}, NVS {}", setup.device.name(), setup.domain),
            whole: best.map_or_else(Share::default, |(_, step)| whole(&step)),
            parts: best.filter(|_| shares).map_or_else(Vec::new, |(_, step)| of(&step)),
            what: best.map_or_else(String::new, |(cut, _)| plan::name(&cut)),
            link: best.and_then(|(cut, _)| plan::question(&run, setup, &cut)),
        }
    }
}

impl Computing for Optima {
    fn progress(&self) -> (u32, u32) {
        self.0.progress()
    }

    fn advance(&mut self) {
        self.0.advance();
    }

    fn found(&self) -> Found {
        let cases = cases();
        let rows = cases.iter().map(|case| self.bar(case, |_| Share::default(), true)).collect();
        let shares = Chart {
            id: "optimum-shares".into(),
            title: "Where the time of the best plan's step goes".to_owned(),
            finding: String::new(),
            source: CODE,
            data: Data::Bars(Bars {
                quantity: Quantity { name: "Share of the step", unit: "%", logarithmic: false },
                parts: PARTS.to_vec(),
                rows,
            }),
            assumptions: vec![
                "The parts of a step add up to it: nothing of them overlaps".to_owned(),
                "Published shares are compared where the code's breakdown was at hand".to_owned(),
            ],
        };
        let time = |case: &Case| {
            let step = case.step;
            self.bar(case, |ours| Share::beside(ours.time.get(), step), false)
        };
        let times = Chart {
            id: "optimum-steps".into(),
            title: "Step time of the best plan".to_owned(),
            finding: String::new(),
            source: CODE,
            data: Data::Bars(Bars {
                quantity: Quantity { name: "Step time", unit: "s", logarithmic: false },
                parts: vec!["step"],
                rows: cases.iter().map(time).collect(),
            }),
            assumptions: vec!["A step has 4,096 sequences".to_owned()],
        };
        Found { charts: vec![shares, times], ..Found::default() }
    }
}
