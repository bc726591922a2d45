//! MFU and HFU of Megatron's steps, and a step with data-parallel replicas.

use super::questions::{plan_name, training};
use crate::papers::{Bar, Bars, Chart, Data, Origin, Printed, Quantity, Share, Source};
use crate::published::runs::{self, TrainingRun};
use crate::scenario::link;
use crate::training::TrainingEstimate;

const TABLE: Source = Source {
    origin: Origin::Measured,
    place: "Korthikanti et al. 2022 (arXiv 2205.05198), Table 5 and section 6.3",
};

/// MFU and HFU of the steps with sequence parallelism and selective recomputation, %, by size.
const UTILISATION: [(&str, &str); 4] =
    [("41.5", "43.7"), ("51.4", "52.8"), ("56.0", "57.0"), ("56.3", "57.0")];

/// MFU with eight replicas, %.
const REPLICATED: &str = "54.2";

/// The measured steps with sequence parallelism and selective recomputation.
fn selective() -> impl Iterator<Item = TrainingRun> {
    // Each model's step with full recomputation comes before it.
    runs::steps().into_iter().skip(1).step_by(2)
}

fn bar(run: &TrainingRun, printed: &str, of: fn(&TrainingEstimate) -> f64) -> Bar {
    let question = training(run, run.plan);
    let ours = question.training().ok().map(|estimate| of(&estimate));
    Bar {
        name: run.name.clone(),
        whole: Share { ours, published: Printed::read(printed) },
        parts: Vec::new(),
        what: plan_name(run.plan, run.gpus),
        link: Some(link::encode(&question)),
    }
}

fn chart(
    (id, title): (&'static str, &str),
    (name, unit): (&'static str, &'static str),
    rows: Vec<Bar>,
) -> Chart {
    Chart {
        id: id.into(),
        title: title.to_owned(),
        finding: String::new(),
        source: TABLE,
        data: Data::Bars(Bars {
            quantity: Quantity { name, unit, logarithmic: false },
            parts: vec!["predicted, constants of the paper"],
            rows,
        }),
        assumptions: Vec::new(),
    }
}

pub(super) fn mfu() -> Chart {
    let of = |estimate: &TrainingEstimate| 100.0 * estimate.mfu;
    let rows = selective().zip(UTILISATION).map(|(run, (mfu, _))| bar(&run, mfu, of));
    let rows = rows.chain([bar(&runs::data_parallel(), REPLICATED, of)]).collect();
    chart(("validated-mfu", "MFU of Megatron's models on A100"), ("MFU", "%"), rows)
}

pub(super) fn hfu() -> Chart {
    let of = |estimate: &TrainingEstimate| 100.0 * estimate.hfu;
    let rows = selective().zip(UTILISATION).map(|(run, (_, hfu))| bar(&run, hfu, of)).collect();
    chart(("validated-hfu", "HFU of Megatron's models on A100"), ("HFU", "%"), rows)
}

pub(super) fn replicated() -> Chart {
    let run = runs::data_parallel();
    let rows = vec![bar(&run, "39.15", |estimate| estimate.step.get())];
    chart(("replicated-step", "Step time of Megatron 530B with eight replicas"), ("Step time", "s"), rows)
}
