//! Charts of service times and throughput against load.

use crate::figure::frame::lines::{Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, brief};
use crate::figure::{Cell, Figure, Pinned, Table};
use crate::serving::capacity::LoadAxis;
use crate::serving::{LoadCurve, LoadPoint};
use crate::units::{Seconds, format};

/// TTFT and TPOT against requests per second or concurrent requests, with the service levels and the largest load that meets
/// them. Curves of pinned questions are drawn beside them if they have the same axis.
///
/// `opened` links to the question at a load.
pub fn load(
    curve: &LoadCurve,
    pinned: &[Pinned<LoadCurve>],
    opened: &dyn Fn(f64) -> String,
    size: Size,
) -> Figure {
    let finding = finding(curve);
    let line = |curve: &LoadCurve, name: String, time: fn(&LoadPoint) -> Seconds| Line {
        name,
        points: curve.points.iter().map(|point| (point.load, time(point).get())).collect(),
        opens: Vec::new(),
    };
    let of = |curve: &LoadCurve, long: bool, whose: &str| {
        let [first, each] = if long {
            ["Time to first token (TTFT)", "Time per output token (TPOT)"]
        } else {
            ["TTFT", "TPOT"]
        };
        [
            line(curve, format!("{first}{whose}"), |point| point.service.ttft),
            line(curve, format!("{each}{whose}"), |point| point.service.tpot),
        ]
    };
    let pinned: Vec<_> = pinned.iter().filter(|pinned| pinned.of.axis == curve.axis).collect();
    let beside = pinned.iter().flat_map(|pinned| of(&pinned.of, false, &format!(", {}", pinned.label())));
    let links: Vec<String> = curve.points.iter().map(|point| opened(point.load)).collect();
    let amount = |value: f64| brief(&load_of(curve.axis, value));
    let limit = |name: &str, limit: Option<Seconds>| {
        limit.map(|limit| (format!("{name} at most {}", format::time(limit)), limit.get()))
    };
    let largest = curve
        .largest
        .filter(|_| curve.ttft_limit.is_some() || curve.tpot_limit.is_some())
        .map(|point| (format!("Largest: {}", amount(point.load)), point.load));
    // Rates end before the machine is saturated.
    let full = (curve.axis == LoadAxis::Concurrency)
        .then(|| (format!("Full at {}", amount(curve.saturation)), curve.saturation));
    let chart = Lines {
        x: Scale::new(title(curve.axis), &amount),
        y: Scale::time("Time"),
        curves: of(curve, true, "").map(|line| line.opening(&links)).into_iter().chain(beside).collect(),
        marks: Vec::new(),
        pinned: Vec::new(),
        dots: None,
        limits: limit("TTFT", curve.ttft_limit).into_iter().chain(limit("TPOT", curve.tpot_limit)).collect(),
        posts: largest.into_iter().chain(full).collect(),
    };
    let drawing = chart.drawing(size, &finding);
    Figure {
        id: "load".into(),
        title: "TTFT and TPOT against load".to_owned(),
        finding,
        table: Pinned::tables(curve, pinned, table),
        assumptions: vec![
            match curve.axis {
                LoadAxis::Rate => {
                    "Requests arrive as an endless Poisson process, whether or not others have ended"
                }
                LoadAxis::Concurrency => {
                    "A new request replaces each one that ends, at once; in memory, requests have their mean length"
                }
            }
            .to_owned(),
            "Times are means over all requests, at the mean number of tokens".to_owned(),
        ],
        ..drawing.into()
    }
}

const fn title(axis: LoadAxis) -> &'static str {
    match axis {
        LoadAxis::Rate => "Requests per second",
        LoadAxis::Concurrency => "Concurrent requests",
    }
}

/// A rate to three digits, or a number of requests.
fn load_of(axis: LoadAxis, load: f64) -> String {
    match axis {
        LoadAxis::Rate => format::digits(load),
        LoadAxis::Concurrency => format::number(load),
    }
}

fn finding(curve: &LoadCurve) -> String {
    let full = match curve.axis {
        LoadAxis::Rate => {
            let most = load_of(curve.axis, curve.saturation);
            format!("the server is saturated at {most} requests per second")
        }
        LoadAxis::Concurrency => {
            format!("memory or slots are full at {}", format::counted(curve.saturation as u32, "requests"))
        }
    };
    if curve.ttft_limit.is_none() && curve.tpot_limit.is_none() {
        let first = curve.points.first().map_or(0.0, |point| point.service.tpot.get());
        let last = curve.points.last().map_or(0.0, |point| point.service.tpot.get());
        return format!(
            "TPOT rises from {} to {} with load; {full}.",
            format::time(Seconds::new(first)),
            format::time(Seconds::new(last))
        );
    }
    match &curve.largest {
        None => format!("No load meets the service levels, not even the smallest; {full}."),
        Some(LoadPoint { load, service }) => format!(
            "The service levels are met by up to {}, {} output tokens per second; {full}.",
            match curve.axis {
                LoadAxis::Rate => format!("{} requests per second", load_of(curve.axis, *load)),
                LoadAxis::Concurrency => format::counted(*load as u32, "concurrent requests"),
            },
            format::digits(service.tokens_per_second),
        ),
    }
}

fn table(curve: &LoadCurve) -> Table {
    let mut table = Table::new([
        (title(curve.axis), None),
        ("Time to first token", Some("s")),
        ("Time per output token", Some("s")),
        ("Output tokens per second", None),
        ("Requests decoded together", None),
    ]);
    let time = |time: Seconds| Cell::number(time.get(), format::time(time));
    let number = |value: f64| Cell::number(value, format::digits(value));
    for LoadPoint { load, service } in &curve.points {
        table.push([
            Cell::number(*load, load_of(curve.axis, *load)),
            time(service.ttft),
            time(service.tpot),
            number(service.tokens_per_second),
            number(service.running),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_and_rates_measured() {
        let of = |axis| [1.0, 30.0, 1100.0].map(|load| load_of(axis, load));
        assert_eq!(of(LoadAxis::Concurrency), ["1", "30", "1,100"]);
        assert_eq!(of(LoadAxis::Rate), ["1.00", "30.0", "1,100"]);
    }
}
