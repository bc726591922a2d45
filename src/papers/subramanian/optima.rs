//! The best plans of the authors' search: step time, its breakdown, and memory.

use super::authors_code::{CODE, SEARCHED};
use super::plan;
use crate::papers::{Bar, Bars, Begin, Chart, Computing, Data, Entry, Found, Printed, Quantity, Share};
use crate::published::subramanian::{Device, Method, Plan, Run, Setup, Step, Study, StudyPoint};
use crate::units::{Seconds, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "optima",
    inferred: &[
        SEARCHED,
        "Shares without decimals are known to whole percent only, so their mean error is mostly rounding",
    ],
    begin: Begin::Steps(|| Box::new(Optima::new())),
}];

/// Parts of a step, in the order of bars.
const PARTS: [&str; 6] = ["arithmetic", "DRAM", "TP and CP", "DP", "PP", "bubble"];

/// A case of the search, with the published values of the authors' best plan.
#[derive(Clone, Copy)]
struct Case {
    run: Run,
    method: Method,
    device: Device,
    domain: u32,
    gpus: u32,
    /// Degrees: DP, both tensor-parallel groups, PP.
    plan: [u32; 4],
    /// Step time, s; empty if not available.
    step: &'static str,
    /// Breakdown of the step.
    parts: Parts,
    /// Memory per GPU, GB; empty if not available.
    memory: &'static str,
}

/// The parts of a published step, in the order of [`PARTS`].
#[derive(Clone, Copy)]
enum Parts {
    /// Values in seconds, with six digits from the code.
    Seconds([f64; 6]),
    /// Values in percent as printed; an empty entry is not available.
    Percent([&'static str; 6]),
    /// No values available.
    Unknown,
}

const CASES: [Case; 11] = [
    Case {
        gpus: 128,
        plan: [1, 8, 1, 16],
        step: "264.895",
        parts: Parts::Seconds([219.588, 0.0, 42.765, 0.0, 1.57488, 0.96653]),
        ..BASE
    },
    Case {
        gpus: 1024,
        plan: [4, 2, 1, 128],
        step: "30.1294",
        parts: Parts::Seconds([25.7261, 0.21317, 0.70222, 0.08428, 0.08847, 3.31515]),
        ..BASE
    },
    Case {
        gpus: 4096,
        plan: [8, 4, 1, 128],
        step: "9.03905",
        parts: Parts::Seconds([6.57507, 0.02387, 0.54203, 0.09838, 0.02276, 1.77694]),
        memory: "98",
        ..BASE
    },
    Case {
        plan: [32, 8, 1, 64],
        step: "3.233",
        parts: Parts::Percent(["53", "", "10", "3", "1.5", "32"]),
        memory: "65.7",
        ..BASE
    },
    Case {
        method: Method::Context,
        plan: [32, 2, 4, 64],
        step: "2.96118",
        parts: Parts::Seconds([1.715, 0.0, 0.14936, 0.10577, 0.04921, 0.94184]),
        ..BASE
    },
    Case { method: Method::Summa, plan: [16, 8, 1, 128], step: "3.192", ..BASE },
    Case { domain: 64, plan: [512, 8, 1, 4], step: "2.893", memory: "183.7", ..BASE },
    Case { device: Device::A100, domain: 4, plan: [32, 8, 1, 64], step: "23.9", ..BASE },
    Case {
        run: Run::VIT,
        method: Method::Context,
        plan: [512, 4, 4, 2],
        step: "13.7102",
        parts: Parts::Seconds([8.82343, 0.1131, 3.20233, 0.02829, 0.02283, 1.52021]),
        ..BASE
    },
    Case {
        run: Run::VIT,
        method: Method::Summa,
        plan: [1024, 1, 16, 1],
        step: "13.46",
        parts: Parts::Percent(["66", "", "32", "", "", ""]),
        ..BASE
    },
    Case {
        run: Run::VIT,
        method: Method::Context,
        device: Device::A100,
        domain: 4,
        gpus: 4096,
        plan: [16, 2, 16, 8],
        ..BASE
    },
];

/// Template: GPT3-1T with 1D tensor parallelism on 16,384 B200 in domains of 8.
const BASE: Case = Case {
    run: Run::LLM,
    method: Method::OneD,
    device: Device::B200,
    domain: 8,
    gpus: 16384,
    plan: [0; 4],
    step: "",
    parts: Parts::Unknown,
    memory: "",
};

impl Case {
    const fn point(&self) -> StudyPoint {
        let Self { run, method, device, domain, gpus, .. } = *self;
        StudyPoint { run, method, setup: Setup { device, domain }, gpus }
    }

    /// Published share of the step, %.
    fn share(&self, place: usize) -> Option<Printed> {
        match self.parts {
            Parts::Seconds(parts) => {
                let step = Printed::read(self.step)?;
                Some(Printed::derived(100.0 * parts[place] / step.value, [step; 2]))
            }
            Parts::Percent(parts) => Printed::read(parts[place]),
            Parts::Unknown => None,
        }
    }

    fn name(&self) -> String {
        let model = if self.run.model == Run::LLM.model { "GPT3-1T" } else { "ViT" };
        let short = match self.method {
            Method::OneD => "1D",
            Method::Summa => "SUMMA",
            Method::Context => "seqp",
        };
        let (count, device) = (format::grouped(f64::from(self.gpus)), self.device.name());
        format!("{model} {short}, {count} {device}, NVS {}", self.domain)
    }

    /// Our plan, and whether the published one has the same degrees.
    fn beside(&self, cut: &Plan) -> String {
        let degrees = cut.degrees;
        let ours = [degrees.data, degrees.first, degrees.second, degrees.pipeline];
        let [data, first, second, pipeline] = self.plan;
        let published = if ours == self.plan {
            "as published".to_owned()
        } else {
            format!("published: TP {first}×{second}, PP {pipeline}, DP {data}")
        };
        format!("{}; {published}", plan::name(cut))
    }
}

fn parts(step: &Step) -> [f64; 6] {
    [step.compute, step.dram, step.tensor, step.data, step.pipeline, step.bubble].map(Seconds::get)
}

#[derive(Debug)]
struct Optima(Study);

impl Optima {
    fn new() -> Self {
        Self(Study::of(CASES.iter().map(Case::point).collect()))
    }

    fn bar(&self, case: &Case, fill: impl FnOnce(&Step, &mut Bar)) -> Bar {
        let point = case.point();
        let mut bar = Bar { name: case.name(), ..Bar::default() };
        if let Some((cut, step)) = self.0.fastest(&point) {
            bar.what = case.beside(&cut);
            bar.link = plan::question(&case.run, point.setup, &cut);
            fill(&step, &mut bar);
        }
        bar
    }

    fn chart(
        (id, title): (&'static str, &str),
        (quantity, parts): (Quantity, &[&'static str]),
        rows: Vec<Bar>,
        assumptions: &[&str],
    ) -> Chart {
        Chart {
            id: id.into(),
            title: title.to_owned(),
            finding: String::new(),
            source: CODE,
            data: Data::Bars(Bars { quantity, parts: parts.to_vec(), rows }),
            assumptions: assumptions.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    fn shares(&self) -> Chart {
        let row = |case: &Case| {
            self.bar(case, |step, bar| {
                let ours = parts(step).map(|part| 100.0 * part / step.time.get());
                let share = |place: usize| Share::beside(ours[place], case.share(place));
                bar.parts = (0..PARTS.len()).map(share).collect();
            })
        };
        Self::chart(
            ("optimum-shares", "Breakdown of the best plan's step time"),
            (Quantity { name: "Share of the step", unit: "%", logarithmic: false }, &PARTS),
            CASES.iter().map(row).collect(),
            &[
                "The parts of a step add up to the step time: they do not overlap",
                "Shares are compared where the breakdown of the authors' code was available",
            ],
        )
    }

    fn steps(&self) -> Chart {
        let row = |case: &Case| {
            self.bar(case, |step, bar| {
                bar.whole = Share::beside(step.time.get(), Printed::read(case.step));
            })
        };
        Self::chart(
            ("optimum-steps", "Step time of the best plan"),
            (Quantity { name: "Step time", unit: "s", logarithmic: false }, &["step"]),
            CASES.iter().map(row).collect(),
            &["The global batch is 4,096 sequences"],
        )
    }

    fn memories(&self) -> Chart {
        let row = |case: &Case| {
            self.bar(case, |step, bar| {
                bar.whole = Share::beside(step.memory.total().get() * 1e-9, Printed::read(case.memory));
            })
        };
        Self::chart(
            ("optimum-memory", "Memory per GPU under the best plan"),
            (Quantity { name: "Memory", unit: "GB", logarithmic: false }, &["memory"]),
            CASES.iter().map(row).collect(),
            &["Weights, gradients, optimizer state and activations; A100 has 80 GB, B200 192 GB"],
        )
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
        Found { charts: vec![self.shares(), self.steps(), self.memories()], ..Found::default() }
    }
}
