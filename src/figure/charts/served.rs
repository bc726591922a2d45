//! Charts of serving by hardware generation: prefill, decode, throughput, energy and cost.

use super::pairs::{self, Pair};
use crate::figure::frame::{Size, positive};
use crate::figure::{Cell, Figure, Table};
use crate::generations::{Deployed, Measure, ServedGeneration};
use crate::units::format::{digits, times};

/// Texts of a figure: machine name, heading, relative quantity, and unit of the values.
struct Words {
    id: &'static str,
    title: &'static str,
    axis: &'static str,
    unit: &'static str,
}

const fn words(measure: Measure) -> Words {
    match measure {
        Measure::Prefill => Words {
            id: "speedup-prefill",
            title: "How much faster each generation prefills",
            axis: "Prompt tokens per second per GPU",
            unit: "tokens/s",
        },
        Measure::Decode => Words {
            id: "speedup-decode",
            title: "How much faster each generation decodes",
            axis: "Output tokens per second per GPU",
            unit: "tokens/s",
        },
        Measure::Served => Words {
            id: "speedup-served",
            title: "How much more each generation serves",
            axis: "Served output tokens per second per GPU",
            unit: "tokens/s",
        },
        Measure::Energy => Words {
            id: "speedup-energy",
            title: "How many more tokens each generation serves per joule",
            axis: "Served output tokens per joule",
            unit: "tokens/J",
        },
        Measure::Cost => Words {
            id: "speedup-cost",
            title: "How many more tokens each generation serves per dollar",
            axis: "Served output tokens per US dollar",
            unit: "tokens/$",
        },
    }
}

/// Why a deployment that runs has no value: it does not serve each user fast enough, or the device's price or power is not known.
fn unmeasured(serves: bool, measure: Measure) -> String {
    let why = match (serves, measure) {
        (true, Measure::Cost) => "no price is known",
        (true, Measure::Energy) => "no power is known",
        _ => "too slow for each user",
    };
    why.to_owned()
}

/// Why a machine has no best value of a measure.
fn missing(row: &ServedGeneration, measure: Measure) -> String {
    if row.best(Measure::Prefill).is_none() {
        return "does not run".to_owned();
    }
    unmeasured(row.best(Measure::Served).is_some(), measure)
}

/// Two bars per accelerator: the deployment as asked relative to the first accelerator's, and its best relative to the
/// first accelerator's best, so that a larger batch counts on both sides. Each user gets at least `floor` tokens per
/// second where requests are served. `opened` links to the question of a machine's deployment.
pub fn served_speedup(
    rows: &[ServedGeneration],
    (measure, floor): (Measure, f64),
    opened: &dyn Fn(&ServedGeneration, &Deployed) -> String,
    size: Size,
) -> Figure {
    let Words { id, title, axis, unit } = words(measure);
    let relative = |deployed: Option<Deployed>, reference: Option<Deployed>| {
        let ratio = deployed?.value / reference?.value;
        positive(ratio).then_some(ratio)
    };
    let [same, best] = [ServedGeneration::same, ServedGeneration::best].map(
        |of: fn(&ServedGeneration, Measure) -> Option<Deployed>| {
            rows.first().and_then(|row| of(row, measure))
        },
    );
    let why_not = |row: &ServedGeneration| {
        let slow =
            || row.same(measure).is_none().then(|| unmeasured(row.same(Measure::Served).is_some(), measure));
        row.why_not.clone().or_else(slow)
    };
    let pair = |row: &ServedGeneration| Pair {
        name: row.name.clone(),
        speedups: [relative(row.same(measure), same), relative(row.best(measure), best)],
        why_not: why_not(row),
        best: row.best(measure).map_or_else(
            || [(); 2].map(|()| missing(row, measure)),
            |best| [deployment(&best), best.load.precision.name().to_owned()],
        ),
        links: [row.same(measure), row.best(measure)]
            .map(|deployed| deployed.map_or_else(String::new, |deployed| opened(row, &deployed))),
    };
    let pairs: Vec<Pair> = rows.iter().map(pair).collect();
    let finding = finding(&pairs, axis);
    let drawing = pairs::drawing(&pairs, "Same deployment", axis, &finding, size);
    let mut table = Table::new([
        ("Accelerator", None),
        ("Year", None),
        ("Same deployment", Some("×")),
        ("At its best", Some("×")),
        ("Same deployment, absolute", Some(unit)),
        ("At its best, absolute", Some(unit)),
        ("Best deployment", None),
        ("Why not the same deployment", None),
    ]);
    let factor =
        |value: Option<f64>| value.map_or_else(Cell::none, |value| Cell::number(value, times(value)));
    let absolute = |deployed: Option<Deployed>| {
        deployed.map_or_else(Cell::none, |deployed| {
            Cell::number(deployed.value, format!("{} {unit}", digits(deployed.value)))
        })
    };
    for (row, pair) in rows.iter().zip(&pairs) {
        let [same, best] = pair.speedups;
        table.push([
            Cell::text(&row.name),
            Cell::number(f64::from(row.year), row.year.to_string()),
            factor(same),
            factor(best),
            absolute(row.same(measure)),
            absolute(row.best(measure)),
            Cell::text(row.best(measure).as_ref().map(deployment).unwrap_or_default()),
            Cell::text(pair.why_not.as_deref().unwrap_or_default()),
        ]);
    }
    Figure {
        id: id.into(),
        title: title.to_owned(),
        finding,
        table,
        assumptions: assumptions(measure, floor),
        ..drawing.into()
    }
}

/// Format, degrees and requests of a deployment, in a line.
pub fn deployment(deployed: &Deployed) -> String {
    let Deployed { load, .. } = deployed;
    let together = load.concurrency.max(if load.is_stream() { 0 } else { load.batch });
    format!("{}, {}, {together} at once", load.precision.name(), load.deployment())
}

fn assumptions(measure: Measure, floor: f64) -> Vec<String> {
    let mut lines = vec![
        "The same deployment is relative to the first accelerator's, its own best to the first accelerator's best"
            .to_owned(),
        "The best is the best of all tensor and expert degrees, formats and numbers of requests (powers of two) that \
         fit; formats of fewer bits cost quality, which is not modelled"
            .to_owned(),
    ];
    if matches!(measure, Measure::Served | Measure::Energy | Measure::Cost) {
        let speed = digits(floor);
        lines.push(format!(
            "Requests come one by one; each user gets at least {speed} tokens per second (1 / the TPOT limit)"
        ));
    }
    match measure {
        Measure::Energy => {
            lines.push(
                "Energy is the servers' power in prefill and in decode times the PUE, without idle time; prompts are included"
                    .to_owned(),
            );
        }
        Measure::Cost => {
            lines.push(
                "GPUs are paid by the hour on the question's terms; the price of output tokens includes the prompts"
                    .to_owned(),
            );
        }
        Measure::Prefill | Measure::Decode | Measure::Served => {}
    }
    lines
}

fn finding(pairs: &[Pair], axis: &str) -> String {
    let Some(reference) = pairs.first() else { return "There is no accelerator to compare.".to_owned() };
    let leader = |index: usize| {
        let known = pairs.iter().filter_map(|pair| Some((pair, pair.speedups[index]?)));
        known.max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let axis = axis.to_lowercase().replace("us dollar", "US dollar").replace("gpu", "GPU");
    match (leader(1), leader(0)) {
        (Some((best, factor)), Some((same, equal))) => format!(
            "Each at its own best, {} has {} the {axis} of {}; with the same deployment {} leads with {}.",
            best.name,
            times(factor),
            reference.name,
            same.name,
            times(equal)
        ),
        (Some((best, factor)), None) => {
            format!(
                "Each at its own best, {} has {} the {axis} of {}.",
                best.name,
                times(factor),
                reference.name
            )
        }
        _ => "No accelerator serves this load.".to_owned(),
    }
}
