//! Forward and backward times of one layer of Megatron 22B under each recomputation strategy.

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::training;
use crate::papers::{Bar, Bars, Begin, Chart, Data, Entry, Found, Origin, Printed, Quantity, Share, Source};
use crate::plan::Plan;
use crate::published::runs::{self, TrainingRun};
use crate::scenario::link;
use crate::workload::Recompute;

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "layer-times",
    inferred: &[
        LINEAGE,
        BEYOND,
        "Whether the paper shows single layers is not known. The measured times are those of Korthikanti et al., whose \
         steps it is validated on",
    ],
    begin: Begin::Once(found),
}];

/// A recomputation strategy: name, sequence parallelism, recomputation, and measured times in ms (forward, backward,
/// both).
type Way = (&'static str, bool, Recompute, [&'static str; 3]);

const WAYS: [Way; 5] = [
    ("nothing", false, Recompute::None, ["7.7", "11.9", "19.6"]),
    ("sequence parallel", true, Recompute::None, ["7.2", "11.8", "19.0"]),
    ("full", false, Recompute::Full, ["7.7", "19.5", "27.2"]),
    ("selective", false, Recompute::Selective, ["7.7", "13.2", "20.9"]),
    ("both", true, Recompute::Selective, ["7.2", "13.1", "20.3"]),
];

fn found() -> Found {
    let small = runs::megatron()[0];
    let run = TrainingRun {
        name: String::new(),
        model: small.id,
        plan: small.plan,
        gpus: small.gpus,
        batch: small.batch,
        seconds: 0.0,
    };
    let row = |(name, sequence_parallel, recompute, printed): Way| {
        let plan = Plan { sequence_parallel, recompute, ..run.plan };
        let question = training(&run, plan);
        let ms = question.with_training(|job| {
            let (forward, backward) = job.layer_passes();
            [forward, backward, forward + backward].map(|time| time.get() * 1e3)
        });
        let ms = ms.ok();
        let share =
            |place: usize| Share { ours: ms.map(|ms| ms[place]), published: Printed::read(printed[place]) };
        Bar {
            name: name.to_owned(),
            whole: share(2),
            parts: vec![share(0), share(1)],
            what: "TP 8, four sequences".to_owned(),
            link: Some(link::encode(&question)),
        }
    };
    let chart = Chart {
        id: "layer-passes".into(),
        title: "Forward and backward pass of one layer of Megatron 22B, by recomputation".to_owned(),
        finding: String::new(),
        source: Source {
            origin: Origin::Measured,
            place: "Korthikanti et al. 2022 (arXiv 2205.05198), Table 4",
        },
        data: Data::Bars(Bars {
            quantity: Quantity { name: "Time", unit: "ms", logarithmic: false },
            parts: vec!["forward", "backward"],
            rows: WAYS.map(row).into(),
        }),
        assumptions: vec!["Recomputation counts as part of the backward pass".to_owned()],
    };
    Found { charts: vec![chart], ..Found::default() }
}
