//! Summary for one model on one device: the fewest GPUs on which it fits, and the gain from 2D tensor parallelism.

use super::authors_code::CODE;
use super::plan;
use crate::papers::{Bar, Bars, Chart, Data, Printed, Quantity, Share};
use crate::published::subramanian::{Device, Method, Run, Setup, Study, StudyPoint};

/// The fewest GPUs by the authors' code, over all domain sizes: device; GPT3-1T by strategy; the vision transformer by
/// strategy, of which no 1D plan fits.
const SMALLEST: [(Device, [u32; 3], [u32; 2]); 3] = [
    (Device::A100, [512, 256, 512], [64, 256]),
    (Device::H200, [256, 128, 256], [32, 64]),
    (Device::B200, [128, 128, 128], [32, 32]),
];

/// Days of the fastest 1D plan over days of the fastest 2D plan, for GPT3-1T on 16,384 GPUs in domains of 4, 8 and 64,
/// by the authors' code.
const GAINS: [(Device, [f64; 3]); 3] = [
    (Device::A100, [1.13, 1.06, 1.14]),
    (Device::H200, [1.08, 1.10, 1.15]),
    (Device::B200, [1.09, 1.09, 1.08]),
];

/// Number of GPUs for [`GAINS`].
pub(super) const MOST: u32 = 16384;

fn chart(
    id: &'static str,
    title: String,
    quantity: &'static str,
    rows: Vec<Bar>,
    assumptions: Vec<String>,
) -> Chart {
    Chart {
        id: id.into(),
        title,
        finding: String::new(),
        source: CODE,
        data: Data::Bars(Bars {
            quantity: Quantity { name: quantity, unit: "", logarithmic: false },
            parts: vec!["ours"],
            rows,
        }),
        assumptions,
    }
}

/// Chart of the fewest GPUs on which a plan of each strategy fits.
pub(super) fn smallest(study: &Study, run: Run, device: Device) -> Chart {
    let published = |method: Method| {
        let (_, llm, vit) = SMALLEST.into_iter().find(|row| row.0 == device)?;
        match (run.model == Run::LLM.model, method) {
            (true, method) => Some(llm[method as usize]),
            (false, Method::OneD) => None,
            (false, Method::Summa) => Some(vit[0]),
            (false, Method::Context) => Some(vit[1]),
        }
    };
    let row = |method: Method| {
        let fits = Study::COUNTS.into_iter().find_map(|gpus| {
            let of = |domain| {
                let point = StudyPoint { run, method, setup: Setup { device, domain }, gpus };
                study.fastest(&point).map(|best| (gpus, domain, best))
            };
            Setup::DOMAINS.into_iter().find_map(of)
        });
        let what = fits.map(|(_, domain, (cut, _))| format!("NVS {domain}: {}", plan::name(&cut)));
        Bar {
            name: method.name().to_owned(),
            whole: Share {
                ours: fits.map(|(gpus, ..)| f64::from(gpus)),
                published: published(method).map(|gpus| Printed::new(f64::from(gpus), 0)),
            },
            parts: Vec::new(),
            what: what.unwrap_or_else(|| "no plan fits".to_owned()),
            link: fits.and_then(|(_, domain, (cut, _))| plan::question(&run, Setup { device, domain }, &cut)),
        }
    };
    chart(
        "days-smallest",
        format!("Fewest {} on which {} fits", device.name(), run.name),
        "GPUs",
        Method::ALL.map(row).into(),
        vec!["Powers of two; the best of domains of 4, 8 and 64".to_owned()],
    )
}

/// Chart of the speed of the fastest 2D plan over the fastest 1D plan; `None` if no 1D plan fits.
pub(super) fn gains(study: &Study, run: Run, device: Device) -> Option<Chart> {
    let (_, published) = GAINS.into_iter().find(|row| row.0 == device && run.model == Run::LLM.model)?;
    let row = |(domain, printed): (u32, f64)| {
        let setup = Setup { device, domain };
        let best = |method| study.fastest(&StudyPoint { run, method, setup, gpus: MOST });
        let one = best(Method::OneD).map(|(_, step)| step.time);
        let two = [Method::Summa, Method::Context].into_iter().filter_map(best);
        let two = two.min_by(|a, b| a.1.time.get().total_cmp(&b.1.time.get()));
        Bar {
            name: format!("domains of {domain}"),
            whole: Share {
                ours: one.zip(two).map(|(one, (_, two))| one / two.time),
                published: Some(Printed::new(printed, 2)),
            },
            parts: Vec::new(),
            what: two.map_or_else(String::new, |(cut, _)| plan::name(&cut)),
            link: two.and_then(|(cut, _)| plan::question(&run, setup, &cut)),
        }
    };
    Some(chart(
        "days-2d-gain",
        format!(
            "{} on 16,384 {}: speed of the fastest 2D plan over the fastest 1D plan",
            run.name,
            device.name()
        ),
        "Speed-up",
        Setup::DOMAINS.into_iter().zip(published).map(row).collect(),
        Vec::new(),
    ))
}
