//! Memory of Megatron's models under each recomputation strategy.

use super::questions::{plan_name, training};
use crate::estimate::Footprint;
use crate::papers::{Bar, Bars, Begin, Chart, Data, Entry, Found, Origin, Printed, Quantity, Share, Source};
use crate::plan::Plan;
use crate::published::runs::{Megatron, TrainingRun, megatron};
use crate::scenario::link;
use crate::units::{Bytes, format};
use crate::workload::Recompute;

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "memory-recompute",
    inferred: &[
        "Numeric values of the paper's bars were not available. The paper models the activations of Korthikanti et al. 2022, \
         whose printed values are compared here. Memory does not depend on the assumption set",
    ],
    begin: Begin::Once(found),
}];

/// The strategies: name, sequence parallelism, recomputation.
const WAYS: [(&str, bool, Recompute); 5] = [
    ("nothing", false, Recompute::None),
    ("sequence parallel", true, Recompute::None),
    ("selective", false, Recompute::Selective),
    ("both", true, Recompute::Selective),
    ("full", false, Recompute::Full),
];

/// Source of the published values, which their authors computed as well.
const PRINTED: Source = Source {
    origin: Origin::Predicted,
    place: "Korthikanti et al. 2022 (arXiv 2205.05198), by the equations of their section 4",
};

/// A model under one strategy.
struct Case {
    name: String,
    activations: Bytes,
    footprint: Footprint,
    /// Published activation memory, GiB.
    gib: Option<f64>,
    /// Activation memory relative to that without recomputation, ours and published, %.
    percent: (f64, Option<f64>),
    what: String,
    link: String,
}

fn cases(model: &Megatron) -> Vec<Case> {
    let run = TrainingRun {
        name: String::new(),
        model: model.id,
        plan: model.plan,
        gpus: model.gpus,
        batch: model.batch,
        seconds: 0.0,
    };
    let gib = [Some(model.tensor_gib), None, None, Some(model.selective_gib), None];
    let percent = |way: usize| model.percent.get(way.checked_sub(1)?).copied();
    let mut whole = None;
    let case = |way: usize| {
        let (name, sequence_parallel, recompute) = WAYS[way];
        let plan = Plan { sequence_parallel, recompute, ..model.plan };
        let question = training(&run, plan);
        let (activations, footprint) =
            question.with_training(|job| (job.activations(), job.memory())).ok()?;
        let whole = *whole.get_or_insert(activations);
        Some(Case {
            name: format!("{}, {name}", model.size()),
            activations,
            footprint,
            gib: gib[way],
            percent: (100.0 * (activations / whole), percent(way)),
            what: plan_name(plan, model.gpus),
            link: link::encode(&question),
        })
    };
    (0..WAYS.len()).filter_map(case).collect()
}

fn found() -> Found {
    let models = megatron();
    let cases: Vec<Case> = models.iter().flat_map(cases).collect();
    Found {
        charts: vec![activations(&cases), shares(&cases), footprints(&cases), states(&models)],
        ..Found::default()
    }
}

fn bar(case: &Case, whole: Share, parts: Vec<Share>) -> Bar {
    let (name, what) = (case.name.clone(), case.what.clone());
    Bar { name, whole, parts, what, link: Some(case.link.clone()) }
}

fn chart(id: &'static str, title: &str, quantity: (&'static str, &'static str), rows: Vec<Bar>) -> Chart {
    let (name, unit) = quantity;
    Chart {
        id: id.into(),
        title: title.to_owned(),
        finding: String::new(),
        source: PRINTED,
        data: Data::Bars(Bars {
            quantity: Quantity { name, unit, logarithmic: false },
            parts: vec!["ours"],
            rows,
        }),
        assumptions: Vec::new(),
    }
}

fn activations(cases: &[Case]) -> Chart {
    let row = |case: &Case| {
        bar(case, Share::beside(case.activations.to_gib(), case.gib.map(Printed::from)), Vec::new())
    };
    let rows = cases.iter().map(row).collect();
    chart("recompute-activations", "Activations per GPU, by recomputation", ("Activations", "GiB"), rows)
}

fn shares(cases: &[Case]) -> Chart {
    let rows = cases.iter().map(|case| {
        bar(
            case,
            Share::beside(case.percent.0, case.percent.1.map(|percent| Printed::new(percent, 2))),
            Vec::new(),
        )
    });
    let title = "Activations relative to tensor parallelism alone";
    let quantity = ("Share of the activations of tensor parallelism alone", "%");
    let assumptions =
        vec!["Shares are read from the paper's bars, to a quarter of a percentage point".to_owned()];
    Chart { assumptions, ..chart("recompute-shares", title, quantity, rows.collect()) }
}

/// Total memory per GPU. No value of this chart is published.
fn footprints(cases: &[Case]) -> Chart {
    let row = |case: &Case| {
        let parts = case.footprint.classes().map(|(_, bytes)| Share::ours(bytes.to_gib()));
        bar(case, Share::ours(case.footprint.total().to_gib()), parts.into())
    };
    let rows: Vec<Bar> = cases.iter().map(row).collect();
    let fits: Vec<&str> =
        cases.iter().filter(|case| case.footprint.fits()).map(|case| case.name.as_str()).collect();
    let capacity = cases.first().map_or(Bytes::ZERO, |case| case.footprint.capacity);
    let finding = format!("In the {} of an A100 fit: {}.", format::memory(capacity), fits.join("; "));
    let drawn = chart("recompute-memory", "Memory per GPU, by recomputation", ("Memory", "GiB"), Vec::new());
    let parts = Footprint::default().classes().map(|(name, _)| name).into();
    let quantity = Quantity { name: "Memory", unit: "GiB", logarithmic: false };
    Chart { finding, data: Data::Bars(Bars { quantity, parts, rows }), ..drawn }
}

/// Weights, gradients and optimizer state.
fn states(models: &[Megatron]) -> Chart {
    let row = |model: &Megatron| {
        let case = cases(model).into_iter().next();
        let ours = case.as_ref().map(|case| {
            let Footprint { weights, gradients, optimizer, .. } = case.footprint;
            (weights + gradients + optimizer).to_gib()
        });
        Bar {
            name: model.size(),
            whole: Share { ours, published: Some(model.state_gib.into()) },
            parts: Vec::new(),
            what: plan_name(model.plan, model.gpus),
            link: case.map(|case| case.link),
        }
    };
    let assumptions = vec![
        "Published values are 18 bytes per matrix parameter of the layers; ours include the embedding, norms and biases"
            .to_owned(),
    ];
    let title = "Weights, gradients and optimizer state per GPU";
    let rows = models.iter().map(row).collect();
    Chart { assumptions, ..chart("recompute-state", title, ("Memory", "GiB"), rows) }
}
