//! Inference against the scale-up links, and against DRAM capacity.

use super::sweep_texts::{seconds_text, takeover_text};
use crate::figure::frame::lines::{Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, brief, within};
use crate::figure::{Cell, Figure, Pinned, Table};
use crate::serving::LoadPoint;
use crate::serving::sweep::{CapacitySweep, LinkSweep, Takeover};
use crate::units::format;

/// Label of a tick: a number of few digits.
pub(super) fn ticks(value: f64) -> String {
    brief(&format::digits(value))
}

/// Label of a tick with room for three digits: `1 M` for a million.
fn amounts(value: f64) -> String {
    if value < 1e6 { ticks(value) } else { brief(&format::count(value)) }
}

/// Figure of request latency against scale-up bandwidth. `generations` are names and GB/s of links. Of pinned questions
/// the latency of the whole request is drawn. `opened` links to the question at a bandwidth in GB/s.
pub fn link_latency(
    sweep: &LinkSweep,
    generations: &[(&str, f64)],
    pinned: &[Pinned<LinkSweep>],
    opened: &dyn Fn(f64) -> String,
    size: Size,
) -> Figure {
    let line = |sweep: &LinkSweep, name: &str, values: &[f64]| Line {
        name: name.to_owned(),
        points: sweep.gb_s.iter().copied().zip(values.iter().copied()).collect(),
        opens: Vec::new(),
    };
    let links: Vec<String> = sweep.gb_s.iter().map(|gb_s| opened(*gb_s)).collect();
    let after: Vec<f64> = sweep.latency.iter().zip(&sweep.ttft).map(|(all, first)| all - first).collect();
    let own = [
        line(sweep, "Whole request", &sweep.latency),
        line(sweep, "All tokens after the first", &after),
        line(sweep, "First token (TTFT)", &sweep.ttft),
    ];
    let beside = pinned
        .iter()
        .map(|pinned| line(&pinned.of, &format!("Whole request, {}", pinned.label()), &pinned.of.latency));
    let device = ("This device".to_owned(), (sweep.device_gb_s, sweep.device_latency));
    let take = |takeover: &Takeover| {
        (format!("Then limited by {}", within(takeover.binding.name())), (takeover.at, takeover.time))
    };
    let finding = finding(sweep);
    let chart = Lines {
        x: Scale::new("Scale-up bandwidth per GPU and direction (GB/s)", &ticks),
        y: Scale::time("Latency"),
        curves: own.map(|line| line.opening(&links)).into_iter().chain(beside).collect(),
        marks: std::iter::once(device).chain(sweep.takeovers.iter().map(take)).collect(),
        pinned: Vec::new(),
        dots: None,
        limits: Vec::new(),
        posts: generations.iter().map(|(name, gb_s)| ((*name).to_owned(), *gb_s)).collect(),
    };
    let mut assumptions = vec![
        "Only the bandwidth of the scale-up links changes; their latency and the domain's size stay the same"
            .to_owned(),
    ];
    assumptions.extend(sweep.takeovers.iter().map(|takeover| takeover_text("Scale-up", takeover, "GB/s")));
    let drawing = chart.drawing(size, &finding);
    Figure {
        id: "link-latency".into(),
        title: "Request latency against scale-up links".to_owned(),
        finding,
        table: Pinned::tables(sweep, pinned, link_table),
        assumptions,
        ..drawing.into()
    }
}

fn link_table(sweep: &LinkSweep) -> Table {
    let mut table = Table::new([
        ("Scale-up bandwidth", Some("GB/s")),
        ("Time to first token", Some("s")),
        ("Time per output token", Some("s")),
        ("Whole request", Some("s")),
    ]);
    let cell = |values: &[f64], index: usize| {
        values.get(index).map_or_else(Cell::none, |value| Cell::number(*value, seconds_text(*value)))
    };
    for (index, gb_s) in sweep.gb_s.iter().enumerate() {
        let bandwidth = Cell::number(*gb_s, format!("{} GB/s", format::digits(*gb_s)));
        table.push([
            bandwidth,
            cell(&sweep.ttft, index),
            cell(&sweep.tpot, index),
            cell(&sweep.latency, index),
        ]);
    }
    table
}

fn finding(sweep: &LinkSweep) -> String {
    let (Some(last), Some(fastest)) = (sweep.latency.last(), sweep.gb_s.last()) else {
        return "The sweep has no points.".to_owned();
    };
    format!(
        "A request takes {} at this device's {} GB/s; at {} GB/s it would take {}.",
        seconds_text(sweep.device_latency),
        format::digits(sweep.device_gb_s),
        format::digits(*fastest),
        seconds_text(*last),
    )
}

/// Figure of throughput against DRAM capacity. `technologies` are names and GiB of systems with each. Of pinned questions
/// the throughput of all requests is drawn. `opened` links to the question at a capacity in GiB and a number of
/// concurrent requests.
pub fn capacity(
    sweep: &CapacitySweep,
    technologies: &[(&str, f64)],
    pinned: &[Pinned<CapacitySweep>],
    opened: &dyn Fn(f64, f64) -> String,
    size: Size,
) -> Figure {
    let line = |sweep: &CapacitySweep, name: &str, value: fn(&LoadPoint) -> f64| Line {
        name: name.to_owned(),
        points: sweep.points.iter().map(|(gib, point)| (*gib, value(point))).collect(),
        opens: Vec::new(),
    };
    let all = |point: &LoadPoint| point.service.tokens_per_second;
    let links: Vec<String> = sweep.points.iter().map(|(gib, point)| opened(*gib, point.load)).collect();
    let own = [
        line(sweep, "Output tokens per second, all requests", all),
        line(sweep, "Output tokens per second, each request", |point| 1.0 / point.service.tpot.get()),
        line(sweep, "Requests that fit", |point| point.load),
    ];
    let beside = pinned
        .iter()
        .map(|pinned| line(&pinned.of, &format!("Output tokens per second, {}", pinned.label()), all));
    let finding = match (sweep.points.first(), sweep.points.last()) {
        (Some((least, few)), Some((most, many))) => format!(
            "With {} GiB there is room for {} ({} tokens per second in total), with {} GiB for {} ({}).",
            format::digits(*least),
            format::counted(few.load as u32, "concurrent requests"),
            format::digits(few.service.tokens_per_second),
            format::digits(*most),
            format::grouped(many.load),
            format::digits(many.service.tokens_per_second),
        ),
        _ => "The weights fit in none of these capacities.".to_owned(),
    };
    let asked = waiting(sweep);
    let chart = Lines {
        x: Scale::new("DRAM capacity per GPU (GiB)", &ticks),
        y: Scale::new("Output tokens per second; requests", &amounts),
        curves: own.map(|line| line.opening(&links)).into_iter().chain(beside).collect(),
        marks: Vec::new(),
        pinned: Vec::new(),
        dots: None,
        limits: asked.iter().map(|name| (name.clone(), sweep.asked)).collect(),
        posts: std::iter::once(("This device", sweep.device_gib))
            .chain(technologies.iter().copied())
            .map(|(name, gib)| (name.to_owned(), gib))
            .collect(),
    };
    let drawing = chart.drawing(size, &finding);
    Figure {
        id: "capacity".into(),
        title: "Throughput against DRAM capacity".to_owned(),
        finding,
        table: Pinned::tables(sweep, pinned, capacity_table),
        assumptions: vec![
            "As many concurrent requests as fit in memory, within the engine's limit: none waits for memory; only the capacity changes"
                .to_owned(),
            "The position of each technology is the capacity of a typical device with its largest stacks or chips"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// Meaning of the line at the asked number of requests, if that is more than fit in one of the capacities.
fn waiting(sweep: &CapacitySweep) -> Option<String> {
    let fewer = sweep.points.first().is_some_and(|(_, point)| point.load < sweep.asked);
    fewer.then(|| format!("As asked: {}; some wait where fewer fit", format::grouped(sweep.asked)))
}

fn capacity_table(sweep: &CapacitySweep) -> Table {
    let mut table = Table::new([
        ("DRAM capacity", Some("GiB")),
        ("Requests that fit", None),
        ("Output tokens per second", None),
        ("Time to first token", Some("s")),
        ("Time per output token", Some("s")),
    ]);
    for (gib, point) in &sweep.points {
        let service = &point.service;
        table.push([
            Cell::number(*gib, format!("{} GiB", format::digits(*gib))),
            Cell::number(point.load, format::grouped(point.load)),
            Cell::number(service.tokens_per_second, format::digits(service.tokens_per_second)),
            Cell::number(service.ttft.get(), format::time(service.ttft)),
            Cell::number(service.tpot.get(), format::time(service.tpot)),
        ]);
    }
    table
}
