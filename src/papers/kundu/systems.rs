//! GPT-3 175B on 8,192 GPUs, from A100 to B200, and the causes of the speed-up.

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::{SET, plan_name};
use crate::catalog;
use crate::generations::waterfall::{Side, Waterfall, fastest_plan};
use crate::papers::{
    Bar, Bars, Begin, Chart, Computing, Data, Entry, Found, Origin, Quantity, Share, Source,
};
use crate::plan::Plan;
use crate::scenario::preset::presets;
use crate::scenario::{MachineComparison, Scenario, link};
use crate::system::{AssumptionSet, Precision};
use crate::training::TrainingRecipe;
use crate::units::format;

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "a100-b200",
    inferred: &[
        LINEAGE,
        BEYOND,
        "Names of systems, model and number of GPUs are recalled, not checked against the paper. Of its speed-ups, only the \
         overall factor of about 35 was available",
        "Assumed: NVS is an NVLink domain of 64 GPUs; L is four times the batch; HDR and NDR are adapters of 200 and 400 \
         Gb/s per GPU. H100 and H200 multiply in FP8, B200 in FP4",
        "A100 runs TP 8, PP 8 with full recomputation; every other system runs its own fastest plan",
    ],
    begin: Begin::Steps(|| Box::new(Systems::default())),
}];

/// The preset whose first machine is the reference.
const PRESET: &str = "gpt-3-35x";

/// Overall speed-up in the paper's abstract.
const WHOLE: f64 = 35.0;

const SOURCE: Source =
    Source { origin: Origin::Predicted, place: "abstract of arXiv 2407.14645: about 35 times" };

/// Name, device, number format, size of the scale-up domain if not the product's, factor on the batch.
const VARIANTS: [(&str, &str, Precision, Option<u32>, u32); 7] = [
    ("A100-HDR", "a100-sxm-80gb", Precision::Bf16, None, 1),
    ("H100-NDR", "h100-sxm", Precision::Fp8, None, 1),
    ("H100-NVS", "h100-sxm", Precision::Fp8, Some(64), 1),
    ("H200-NVS-L", "h200-sxm", Precision::Fp8, Some(64), 4),
    ("B200-NDR", "b200", Precision::Fp4, None, 1),
    ("B200-NVS", "b200", Precision::Fp4, Some(64), 1),
    ("B200-NVS-L", "b200", Precision::Fp4, Some(64), 4),
];

/// A system: its speed relative to the first, with this paper's constants and with calibrated ones, and its plan.
#[derive(Clone, Debug)]
struct Speed {
    ours: Option<f64>,
    calibrated: Option<f64>,
    plan: Option<Plan>,
    gpus: u32,
    link: String,
}

#[derive(Debug, Default)]
struct Systems {
    speeds: Vec<Speed>,
    /// True once the causes are computed.
    done: bool,
    causes: Option<Waterfall>,
}

/// The question that compares the reference with a variant.
fn question(place: usize) -> Option<Scenario> {
    let (_, to, precision, domain, batch) = *VARIANTS.get(place)?;
    let base = presets().iter().find(|preset| preset.id == PRESET)?.scenario();
    let comparison =
        MachineComparison { to: to.to_owned(), precision, domain, batch, ..base.comparison.clone() };
    Some(Scenario { comparison, assumptions: SET, ..base })
}

/// Throughput of a variant relative to that of the question's machine, and the variant's plan.
fn speed(question: &Scenario, set: AssumptionSet, first: bool) -> Option<(f64, Plan)> {
    let MachineComparison { to, precision, domain, batch, .. } = &question.comparison;
    let mut accelerator = catalog::accelerator(to)?.clone();
    accelerator.scale_up.domain = domain.unwrap_or(accelerator.scale_up.domain);
    let asked = Scenario { assumptions: set, ..question.clone() };
    asked
        .with_training(|job| {
            let slow = job.memory().fits().then(|| job.step())?;
            if first {
                return Some((1.0, *job.plan));
            }
            let batch = job.recipe.batch.saturating_mul(*batch);
            let recipe = TrainingRecipe { batch, precision: *precision, ..*job.recipe };
            let side = Side { accelerator: &accelerator, plan: *job.plan, recipe, gpus: job.gpus };
            let (plan, fast) = fastest_plan(job.architecture, &side, set)?;
            Some((f64::from(batch) / f64::from(job.recipe.batch) * (slow / fast), plan))
        })
        .ok()?
}

impl Speed {
    fn of(place: usize) -> Option<Self> {
        let question = question(place)?;
        let known = speed(&question, SET, place == 0);
        Some(Self {
            ours: known.map(|known| known.0),
            calibrated: speed(&question, AssumptionSet::Calibrated, place == 0).map(|known| known.0),
            plan: known.map(|known| known.1),
            gpus: question.system.gpus,
            link: link::encode_at(&question, "causes"),
        })
    }
}

impl Computing for Systems {
    fn progress(&self) -> (u32, u32) {
        let done = self.speeds.len() + usize::from(self.done);
        (done as u32, VARIANTS.len() as u32 + 1)
    }

    fn advance(&mut self) {
        if self.speeds.len() < VARIANTS.len() {
            let missing = Speed { ours: None, calibrated: None, plan: None, gpus: 0, link: String::new() };
            self.speeds.push(Speed::of(self.speeds.len()).unwrap_or(missing));
        } else {
            self.done = true;
            self.causes = question(VARIANTS.len() - 1).and_then(|question| question.waterfall().ok());
        }
    }

    fn found(&self) -> Found {
        let causes = self.causes.iter().map(causes);
        let charts = [self.systems()].into_iter().chain(causes).collect();
        Found { charts, lead: self.lead(), ..Found::default() }
    }
}

impl Systems {
    /// Lead sentence: the overall speed-up and the configuration that achieves it.
    fn lead(&self) -> String {
        let last = self.speeds.last().filter(|_| self.speeds.len() == VARIANTS.len());
        let Some((speed, (times, plan))) = last.and_then(|speed| Some((speed, (speed.ours?, speed.plan?))))
        else {
            return String::new();
        };
        let (name, _, precision, domain, batch) = VARIANTS[VARIANTS.len() - 1];
        format!(
            "{name} trains GPT-3 175B {} as fast as A100-HDR, on {} GPUs each; the paper says about {}. Configuration: {}, \
             domains of {}, {batch} times the batch, {}",
            format::times(times),
            format::grouped(f64::from(speed.gpus)),
            format::times(WHOLE),
            precision.name(),
            domain.unwrap_or_default(),
            plan_name(plan, speed.gpus),
        )
    }

    fn systems(&self) -> Chart {
        let row = |(place, speed): (usize, &Speed)| {
            let (name, device, precision, domain, batch) = VARIANTS[place];
            let domain = domain
                .or_else(|| catalog::accelerator(device).map(|known| known.scale_up.domain))
                .unwrap_or_default();
            let plan =
                speed.plan.map_or_else(String::new, |plan| format!("; {}", plan_name(plan, speed.gpus)));
            let calibrated = speed
                .calibrated
                .map_or_else(String::new, |times| format!("; calibrated: {}", format::times(times)));
            Bar {
                name: name.to_owned(),
                whole: Share {
                    ours: speed.ours,
                    published: (place + 1 == VARIANTS.len()).then_some(WHOLE.into()),
                },
                parts: Vec::new(),
                what: format!("{}, domain of {domain}, batch × {batch}{plan}{calibrated}", precision.name()),
                link: Some(speed.link.clone()),
            }
        };
        let last = self.speeds.last().and_then(|speed| Some((speed.ours?, speed.calibrated?)));
        let finding = last.map_or_else(String::new, |(ours, calibrated)| {
            format!(
                "B200-NVS-L is {} as fast as A100-HDR, {} with calibrated constants; the paper says about {}.",
                format::times(ours),
                format::times(calibrated),
                format::times(WHOLE)
            )
        });
        Chart {
            id: "system-speedup".into(),
            title: "GPT-3 175B on 8,192 GPUs: tokens per second over A100-HDR".to_owned(),
            finding,
            source: SOURCE,
            data: Data::Bars(Bars {
                quantity: Quantity { name: "Speed-up", unit: "", logarithmic: false },
                parts: vec!["under kundu-2024"],
                rows: self.speeds.iter().enumerate().map(row).collect(),
            }),
            assumptions: vec![
                "2048 tokens, 1,024 sequences per step, four times as many if the name ends in L".to_owned(),
            ],
        }
    }
}

/// Factors of the overall speed-up. None of them is published.
fn causes(found: &Waterfall) -> Chart {
    let asked = question(VARIANTS.len() - 1).map(|question| link::encode_at(&question, "causes"));
    let row = |factor: &crate::generations::waterfall::Factor| Bar {
        name: factor.cause.name().to_owned(),
        whole: Share::ours(factor.factor),
        parts: Vec::new(),
        what: format!("{} to {} by order", format::times(factor.least), format::times(factor.most)),
        link: asked.clone(),
    };
    let factors = || found.factors.iter().filter(|factor| (factor.factor - 1.0).abs() > 1e-9);
    let mut largest: Vec<_> = factors().collect();
    crate::order::sort(&mut largest, |a, b| b.factor.total_cmp(&a.factor));
    let named = largest.iter().take(3);
    let named: Vec<String> = named
        .map(|factor| format!("{} {}", factor.cause.name().to_lowercase(), format::times(factor.factor)))
        .collect();
    Chart {
        id: "system-causes".into(),
        title: "Causes of the speed-up from A100-HDR to B200-NVS-L".to_owned(),
        finding: format!(
            "The causes multiply to {}; the largest: {}.",
            format::times(found.speedup),
            named.join(", ")
        ),
        source: SOURCE,
        data: Data::Bars(Bars {
            quantity: Quantity { name: "Factor", unit: "", logarithmic: false },
            parts: vec!["factor of the speed-up"],
            rows: factors().map(row).collect(),
        }),
        assumptions: vec![
            "A factor is the geometric mean over all orders in which causes can be added (Shapley value)"
                .to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_is_an_entry_of_the_catalogue() {
        let papers = catalog::catalog().accelerators.iter();
        let papers = papers.filter(|entry| entry.paper.as_deref() == Some("arXiv 2407.14645"));
        assert_eq!(papers.count(), VARIANTS.len());
        for (name, device, precision, domain, _) in VARIANTS {
            let entry = catalog::accelerator(&format!("kundu-{}", name.to_lowercase())).expect(name);
            let product = catalog::accelerator(device).expect(device);
            assert!(
                entry.name.starts_with(name)
                    && entry
                        .notes
                        .as_ref()
                        .is_some_and(|notes| { notes.contains(&precision.name().to_uppercase()) })
            );
            assert_eq!(entry.scale_up.domain, domain.unwrap_or(product.scale_up.domain), "{name}");
            assert_eq!(
                (&entry.dram, &entry.matrix_tflops),
                (&product.dram, &product.matrix_tflops),
                "{name}"
            );
            assert!((entry.scale_out.gb_s - product.scale_out.gb_s).abs() < 1e-9, "{name}");
        }
    }
}
