//! Request latency against DRAM bandwidth, with a curve for each number of GPUs, batch, format or model.

use super::sweep_texts::seconds_text;
use crate::figure::frame::lines::{Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, brief, positive, within};
use crate::figure::{Cell, Figure, Table};
use crate::serving::family::{DramFamily, FamilyCurve, Varied};
use crate::serving::sweep::DramSweep;
use crate::units::format;

/// Floors more than this factor below the curves are stated in the text and not drawn, because they would flatten the
/// curves.
const DEEPEST_FLOOR: f64 = 30.0;

const fn id(varied: Varied) -> &'static str {
    match varied {
        Varied::Gpus => "dram-gpus",
        Varied::Batch => "dram-batch",
        Varied::Format => "dram-format",
        Varied::Model => "dram-model",
    }
}

/// Figure of request latency against DRAM bandwidth, with one curve per value of a setting.
///
/// `technologies` are names and TB/s of systems with each memory technology. `opened` links to the question of a curve at a
/// bandwidth in TB/s.
pub fn dram_family(
    family: &DramFamily,
    technologies: &[(&str, f64)],
    opened: &dyn Fn(&FamilyCurve, f64) -> String,
    size: Size,
) -> Figure {
    let tera = |value: f64| brief(&format::digits(value));
    let line = |curve: &FamilyCurve| {
        let FamilyCurve { name, sweep, .. } = curve;
        let links: Vec<String> = sweep.bandwidth_tb_s.iter().map(|tera| opened(curve, *tera)).collect();
        let points = sweep.bandwidth_tb_s.iter().copied().zip(sweep.latency.iter().copied());
        Line { name: name.clone(), points: points.collect(), opens: Vec::new() }.opening(&links)
    };
    let asked = family.curves.iter().find(|curve| curve.name == family.asked);
    let device = asked.map(|FamilyCurve { sweep, .. }| {
        ("This device".to_owned(), (sweep.device_tb_s, sweep.device_latency))
    });
    let deepest =
        family.curves.iter().map(|curve| end(&curve.sweep)).fold(f64::INFINITY, f64::min) / DEEPEST_FLOOR;
    // The highest of each kind: where its curve flattens.
    let limits = [("Network floor", network as fn(&DramSweep) -> f64), ("Compute floor", compute)]
        .into_iter()
        .filter_map(|(floor, of)| {
            let curves = family.curves.iter();
            let FamilyCurve { name, sweep, .. } =
                curves.max_by(|a, b| of(&a.sweep).total_cmp(&of(&b.sweep)))?;
            let seconds = of(sweep);
            let text = match size {
                // The axis has the time, and the assumptions its digits.
                Size::Narrow => format!("{floor} of {name}"),
                Size::Wide | Size::Medium => {
                    format!("{}: {} of {name}", seconds_text(seconds), within(floor))
                }
            };
            (seconds > deepest).then_some((text, seconds))
        });
    let finding = finding(family);
    let chart = Lines {
        x: Scale::new("DRAM bandwidth of each GPU (TB/s)", &tera),
        y: Scale::time("Latency of a request"),
        curves: family.curves.iter().map(line).collect(),
        marks: device.into_iter().collect(),
        pinned: Vec::new(),
        dots: None,
        limits: limits.collect(),
        posts: technologies.iter().map(|(name, tera)| ((*name).to_owned(), *tera)).collect(),
    };
    let drawing = chart.drawing(size, &finding);
    Figure {
        id: id(family.varied).into(),
        title: format!("Request latency against DRAM bandwidth, by {}", family.varied.name()),
        finding,
        table: table(family),
        assumptions: assumptions(family),
        ..drawing.into()
    }
}

/// The latency at the highest bandwidth.
fn end(sweep: &DramSweep) -> f64 {
    sweep.latency.last().copied().unwrap_or(f64::INFINITY)
}

const fn network(sweep: &DramSweep) -> f64 {
    sweep.network_floor
}

const fn compute(sweep: &DramSweep) -> f64 {
    sweep.compute_floor
}

fn assumptions(family: &DramFamily) -> Vec<String> {
    let mut lines = vec![
        "Only DRAM bandwidth changes along a curve; L2, network and arithmetic stay the same".to_owned(),
    ];
    lines.extend(family.curves.iter().map(|FamilyCurve { name, sweep, .. }| {
        let floors = [("network", network(sweep)), ("compute", compute(sweep))].map(|(floor, seconds)| {
            if positive(seconds) {
                format!("{floor} floor {}", seconds_text(seconds))
            } else {
                format!("no {floor} floor")
            }
        });
        format!("{name}: {}", floors.join(", "))
    }));
    lines.extend(family.left_out.iter().map(|(name, why)| format!("Left out: {name}, which {why}")));
    lines
}

/// States the gain of the last value over the first, at the device's bandwidth and at the highest.
fn finding(family: &DramFamily) -> String {
    let (Some(first), Some(last)) = (family.curves.first(), family.curves.last()) else {
        return "No deployment of this kind fits.".to_owned();
    };
    let FamilyCurve { name: first, sweep: slow, .. } = first;
    let FamilyCurve { name: last, sweep: fast, .. } = last;
    let device = slow.device_tb_s;
    if first == last {
        return format!("{first}: {} at {} TB/s.", seconds_text(slow.device_latency), format::digits(device));
    }
    let highest = slow.bandwidth_tb_s.last().copied().unwrap_or(device);
    let ratio = |last: f64, first: f64| match last / first {
        slower if slower > 1.0 => format!("{} as long", format::times(slower)),
        faster => format!("{} as fast", format::times(1.0 / faster)),
    };
    format!(
        "At {} TB/s a request takes {} with {first} and {} with {last}: {}. At {} TB/s the request with {last} is {}.",
        format::digits(device),
        seconds_text(slow.device_latency),
        seconds_text(fast.device_latency),
        ratio(fast.device_latency, slow.device_latency),
        format::digits(highest),
        ratio(end(fast), end(slow)),
    )
}

fn table(family: &DramFamily) -> Table {
    let mut table = Table::new([
        ("Curve", None),
        ("DRAM bandwidth", Some("TB/s")),
        ("Time to first token", Some("s")),
        ("Time per output token", Some("s")),
        ("Whole request", Some("s")),
    ]);
    for FamilyCurve { name, sweep, .. } in &family.curves {
        let cell = |values: &[f64], index: usize| {
            values.get(index).map_or_else(Cell::none, |value| Cell::number(*value, seconds_text(*value)))
        };
        for (index, bandwidth) in sweep.bandwidth_tb_s.iter().enumerate() {
            table.push([
                Cell::text(name),
                Cell::number(*bandwidth, format!("{} TB/s", format::digits(*bandwidth))),
                cell(&sweep.ttft, index),
                cell(&sweep.tpot, index),
                cell(&sweep.latency, index),
            ]);
        }
    }
    table
}
