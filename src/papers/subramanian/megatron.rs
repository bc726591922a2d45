//! The paper's model against Megatron's steps as Korthikanti et al. 2022 measured them.

use super::plan;
use crate::papers::{Bar, Bars, Begin, Chart, Data, Entry, Found, Origin, Quantity, Share, Source};
use crate::published::subramanian::{Attention, Degrees, Device, Plan, Setup, Strategy, Transformer};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "megatron",
    inferred: &[
        "The paper measured GPT3-175B and a vision transformer on 512 A100 of Perlmutter; batch sizes and seconds were \
         not at hand, so that its model is held against the steps of Korthikanti et al. 2022, Table 5",
        "Attention is the authors' fused kernel, where Megatron ran unfused kernels and recomputed them: predictions are \
         low by that work too",
        "The 175B and 530B models ran three chunks a stage, which the paper's model does not have",
    ],
    begin: Begin::Once(found),
}];

/// Name, heads, width, layers, stages, batch, microbatch, measured step with sequence parallelism and selective
/// recomputation, s.
const MEASURED: [(&str, [u32; 6], f64); 4] = [
    ("22B on 8 A100", [64, 6144, 48, 1, 4, 4], 1.10),
    ("175B on 64 A100", [96, 12288, 96, 8, 64, 1], 13.75),
    ("530B on 280 A100", [128, 20480, 105, 35, 280, 1], 37.83),
    ("1T on 512 A100", [160, 25600, 128, 64, 512, 1], 71.49),
];

fn found() -> Found {
    let machine = Setup { device: Device::A100, domain: 8 }.machine();
    let bar =
        |(name, [heads, width, depth, pipeline, batch, microbatch], measured): (&str, [u32; 6], f64)| {
            let model = Transformer { sequence: 2048, width, heads, ffn: 4 * width, depth, norm_fault: true, attention: Attention::Fused };
            let degrees = Degrees { first: 8, second: 1, data: 1, pipeline };
            let inside = Degrees { first: 8, second: 1, data: 1, pipeline: 1 };
            let cut = Plan { strategy: Strategy::OneD, degrees, inside, microbatch };
            let step = machine.step(&model, &cut, batch);
            Bar {
                name: name.to_owned(),
                whole: Share::beside(step.time.get(), Some(measured)),
                what: plan::name(&cut),
                ..Bar::default()
            }
        };
    let chart = Chart {
        id: "megatron-steps".into(),
        title: "Step time of Megatron's models on A100".to_owned(),
        finding: String::new(),
        source: Source {
            origin: Origin::Measured,
            place: "Korthikanti et al. 2022 (arXiv 2205.05198), Table 5, sequence parallelism and selective recomputation",
        },
        data: Data::Bars(Bars {
            quantity: Quantity { name: "Step time", unit: "s", logarithmic: false },
            parts: vec!["predicted by the paper's model"],
            rows: MEASURED.map(bar).into(),
        }),
        assumptions: vec![
            "Embedding, output head, loss and optimizer have no time in the paper's model".to_owned(),
        ],
    };
    Found { charts: vec![chart], ..Found::default() }
}
