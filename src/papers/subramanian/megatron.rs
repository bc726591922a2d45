//! The paper's model against Megatron's steps measured by Korthikanti et al. 2022, and its optimum on Perlmutter.

use super::authors_code::CODE;
use super::perlmutter;
use super::plan::{self, Job};
use crate::papers::{Bar, Bars, Begin, Chart, Data, Entry, Found, Origin, Printed, Quantity, Share, Source};
use crate::published::subramanian::{Attention, Degrees, Device, Plan, Setup, Step, Strategy, Transformer};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "megatron",
    inferred: &[
        "The paper measured GPT3-175B and a vision transformer on 512 A100 of Perlmutter. Its reported errors are 11 % at the \
         optimum of GPT3-175B and 4 to 15 % away from it, 2 % at the optimum of ViT-32K and 11 to 26 % away from it. Its \
         batch sizes, measured times and the shape of ViT-32K were not available, so these errors cannot be reproduced. \
         Instead, its model is compared with the steps of Korthikanti et al. 2022, Table 5, and its optimum of GPT3-175B \
        is searched for",
        "Attention follows the recompute path of the authors' code, which none of their drivers uses: separate kernels, of \
        which logits, softmax and dropout are recomputed, the same work as Megatron's",
        "The 175B and 530B models ran with three model chunks per stage (interleaved), which the paper's model does not have. By \
        its count of activations, the 1T model does not fit into 80 GB; its question shows this as an error",
    ],
    begin: Begin::Once(found),
}];

/// A step of Korthikanti et al. 2022, Table 5, with sequence parallelism and selective recomputation.
struct Measured {
    name: &'static str,
    id: &'static str,
    heads: u32,
    width: u32,
    depth: u32,
    pipeline: u32,
    batch: u32,
    microbatch: u32,
    /// Measured step time, s.
    seconds: &'static str,
    /// Computed by the authors' code with separate attention kernels: step time, s, and activation memory, GiB.
    code: [&'static str; 2],
    /// Activation memory by the equations of Korthikanti et al., GiB.
    gib: f64,
}

const MEASURED: [Measured; 4] = [
    Measured {
        name: "22B on 8 A100",
        id: "megatron-22b",
        heads: 64,
        width: 6144,
        depth: 48,
        pipeline: 1,
        batch: 4,
        microbatch: 4,
        seconds: "1.10",
        code: ["0.94", "18.6"],
        gib: 9.56,
    },
    Measured {
        name: "175B on 64 A100",
        id: "megatron-175b",
        heads: 96,
        width: 12288,
        depth: 96,
        pipeline: 8,
        batch: 64,
        microbatch: 1,
        seconds: "13.75",
        code: ["12.89", "18.6"],
        gib: 12.35,
    },
    Measured {
        name: "530B on 280 A100",
        id: "megatron-530b",
        heads: 128,
        width: 20480,
        depth: 105,
        pipeline: 35,
        batch: 280,
        microbatch: 1,
        seconds: "37.83",
        code: ["35.0", "33.8"],
        gib: 23.08,
    },
    Measured {
        name: "1T on 512 A100",
        id: "megatron-1t",
        heads: 160,
        width: 25600,
        depth: 128,
        pipeline: 64,
        batch: 512,
        microbatch: 1,
        seconds: "71.49",
        code: ["64.7", "51.6"],
        gib: 26.56,
    },
];

/// Forward and backward pass of one layer of the 22B model: name, computed by the authors' code, measured; ms.
const LAYER: [(&str, &str, &str); 2] = [("forward", "7.09", "7.2"), ("backward", "12.39", "13.1")];

const SETUP: Setup = Setup { device: Device::A100, domain: 8 };

const TABLE: Source = Source {
    origin: Origin::Measured,
    place: "Korthikanti et al. 2022 (arXiv 2205.05198), Table 5, sequence parallelism and selective recomputation",
};

const SECONDS: Quantity = Quantity { name: "Step time", unit: "s", logarithmic: false };

impl Measured {
    const fn model(&self, attention: Attention) -> Transformer {
        let Self { width, heads, depth, .. } = *self;
        Transformer { sequence: 2048, width, heads, ffn: 4 * width, depth, norm_fault: true, attention }
    }

    const fn plan(&self) -> Plan {
        let degrees = Degrees { first: 8, second: 1, data: 1, pipeline: self.pipeline };
        let inside = Degrees { first: 8, second: 1, data: 1, pipeline: 1 };
        Plan { strategy: Strategy::OneD, degrees, inside, microbatch: self.microbatch }
    }

    fn step(&self, attention: Attention) -> Step {
        SETUP.machine().step(&self.model(attention), &self.plan(), self.batch)
    }

    /// A bar of a chart, with a link to the question that gives the step.
    fn bar(&self, whole: Share, attention: Attention) -> Bar {
        let job = Job { model: self.id, sequence: 2048, batch: self.batch, tokens: 3e11, attention };
        Bar {
            name: self.name.to_owned(),
            whole,
            parts: Vec::new(),
            what: plan::name(&self.plan()),
            link: plan::question(job, SETUP, &self.plan()),
        }
    }
}

/// A bar chart without a finding.
fn chart(
    (id, title): (&'static str, &str),
    source: Source,
    (quantity, rows): (Quantity, Vec<Bar>),
    assumed: &[&str],
) -> Chart {
    Chart {
        id: id.into(),
        title: title.to_owned(),
        finding: String::new(),
        source,
        data: Data::Bars(Bars { quantity, parts: vec!["by the paper's model"], rows }),
        assumptions: assumed.iter().map(|text| (*text).to_owned()).collect(),
    }
}

fn found() -> Found {
    let steps = |attention: Attention, printed: fn(&Measured) -> &'static str| {
        let row = |case: &Measured| {
            let seconds = case.step(attention).time.get();
            case.bar(Share::beside(seconds, Printed::read(printed(case))), attention)
        };
        (SECONDS, MEASURED.iter().map(row).collect())
    };
    let ends = "The paper's model has no time for embedding, output head, loss and optimizer";
    Found {
        charts: vec![
            chart(
                ("megatron-steps", "Step time of Megatron's models on A100"),
                TABLE,
                steps(Attention::Recomputed, |case| case.seconds),
                &[ends],
            ),
            chart(
                ("megatron-code", "The same steps compared with the authors' code"),
                CODE,
                steps(Attention::Recomputed, |case| case.code[0]),
                &[ends],
            ),
            chart(
                ("megatron-fused", "The same steps with the fused attention of the authors' searches"),
                TABLE,
                steps(Attention::Fused, |case| case.seconds),
                &["Megatron ran separate kernels with recomputation: predictions are too low by that work"],
            ),
            layer(),
            activations(),
            perlmutter::steps(),
            perlmutter::memory(),
        ],
        ..Found::default()
    }
}

/// One layer of the 22B model.
fn layer() -> Chart {
    let case = &MEASURED[0];
    let layer = SETUP.machine().layer(&case.model(Attention::Recomputed), &case.plan());
    let rows = LAYER.iter().zip([layer.forward, layer.backward]).map(|((name, code, measured), pass)| {
        let whole = Share::beside(pass.time().get() * 1e3, Printed::read(code));
        let bar = case.bar(whole, Attention::Recomputed);
        Bar { name: (*name).to_owned(), what: format!("measured: {measured} ms; {}", bar.what), ..bar }
    });
    let quantity = Quantity { name: "Time", unit: "ms", logarithmic: false };
    let title = "One layer of the 22B model, four sequences, compared with the authors' code";
    chart(("megatron-layer", title), CODE, (quantity, rows.collect()), &[])
}

fn activations() -> Chart {
    let row = |case: &Measured| {
        let memory = case.step(Attention::Recomputed).memory.activations;
        let bar =
            case.bar(Share::beside(memory.to_gib(), Printed::read(case.code[1])), Attention::Recomputed);
        Bar { what: format!("by Korthikanti et al.: {} GiB; {}", case.gib, bar.what), ..bar }
    };
    let quantity = Quantity { name: "Activations", unit: "GiB", logarithmic: false };
    chart(
        ("megatron-activations", "Activations per GPU compared with the authors' code"),
        CODE,
        (quantity, MEASURED.iter().map(row).collect()),
        &["The code stores about twice the activations that Megatron stores"],
    )
}
