//! Tokens per second per GPU against tokens per second per user.

use crate::figure::frame::lines::{Dots, Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, brief, positive};
use crate::figure::{Cell, Column, Figure, Pinned, Row, Table};
use crate::search::serving::Found;
use crate::search::tradeoff::Offers;
use crate::units::{Seconds, format};

/// A published run as a point.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRun {
    /// Software, number format and deployment.
    pub name: String,
    /// Name of the device.
    pub device: String,
    /// Number of concurrent requests.
    pub concurrency: u32,
    /// Output tokens per second that each request gets: 1 / TPOT.
    pub per_user: f64,
    /// Output tokens per second per GPU.
    pub per_gpu: f64,
    /// Time to first token.
    pub ttft: Seconds,
    /// Publication.
    pub source: String,
    /// Link, without `#`, of the errors on the rows of that publication.
    pub rows: String,
    /// Link, without `#`, of the question that the run answers.
    pub link: String,
}

/// Figure of the best deployments of each generation, with the question's own deployment, those of pinned questions, and
/// published runs of its model and device. The limits of TTFT and TPOT are drawn or said. `opened` links to a deployment's
/// question.
pub fn tradeoff(
    offers: &[Offers],
    (asked, limits): (Option<(f64, f64)>, [Option<Seconds>; 2]),
    pinned: &[Pinned<(f64, f64)>],
    measured: &[MeasuredRun],
    opened: &dyn Fn(&Offers, &Found) -> String,
    size: Size,
) -> Figure {
    let amount = |value: f64| brief(&format::digits(value));
    let place = |found: &Found| (found.per_user(), found.per_gpu());
    let shown = offers.iter().filter(|offer| !offer.front.is_empty());
    let finding = finding(offers);
    let [ttft_limit, tpot_limit] = limits.map(|limit| limit.filter(|limit| positive(limit.get())));
    let slowest = tpot_limit.map(|limit| 1.0 / limit.get());
    // The TTFT has no axis here: a point that exceeds its limit says so.
    let what = |found: &Found| match ttft_limit {
        Some(limit) if found.service.ttft > limit => {
            format!("{}, TTFT {} above the limit", found.name(), format::time(found.service.ttft))
        }
        _ => found.name(),
    };
    let chart = Lines {
        x: Scale::new("Output tokens per second that each request gets", &amount).reaching(slowest),
        y: Scale::new("Output tokens per second per GPU", &amount),
        curves: shown
            .map(|offer| Line {
                name: offer.device.clone(),
                points: offer.front.iter().rev().map(place).collect(),
                opens: offer.front.iter().rev().map(|found| (what(found), opened(offer, found))).collect(),
            })
            .collect(),
        marks: asked.map(|place| ("This question".to_owned(), place)).into_iter().collect(),
        pinned: pinned.iter().map(|pinned| (pinned.label(), pinned.of)).collect(),
        dots: (!measured.is_empty()).then(|| Dots {
            name: format!("measured, published ({})", measured.len()),
            points: measured.iter().map(dot).collect(),
        }),
        limits: Vec::new(),
        posts: tpot_limit
            .zip(slowest)
            .map(|(limit, at)| (format!("TPOT at most {}", format::time(limit)), at))
            .into_iter()
            .collect(),
    };
    let drawing = chart.drawing(size, &finding);
    let mut assumptions = vec![
        "The best of all tensor groups, attention replicas and expert parts of up to 16 GPUs in a domain"
            .to_owned(),
        "1 to 1,024 concurrent requests, with the question's number format, prompt length and output length"
            .to_owned(),
    ];
    assumptions.extend(within(offers, [ttft_limit, tpot_limit]));
    if !measured.is_empty() {
        assumptions.push(
            "Dots are the nearest published runs of this model and device, with their own lengths and number formats. \
             Speed per user is 1 / TPOT; throughput per GPU is concurrent requests × output tokens / (TTFT + (output \
             tokens − 1) TPOT) / GPUs, by Little's law. A dot opens as a question"
                .to_owned(),
        );
    }
    Figure {
        id: "tradeoff".into(),
        title: "Throughput against speed, by generation".to_owned(),
        finding,
        table: table(offers, asked, pinned, measured),
        assumptions,
        ..drawing.into()
    }
}

/// States how many of the deployments meet the limits of TTFT and TPOT; `None` without limits.
fn within(offers: &[Offers], [ttft, tpot]: [Option<Seconds>; 2]) -> Option<String> {
    let named = [("TTFT", ttft), ("TPOT", tpot)].into_iter();
    let named: Vec<String> = named
        .filter_map(|(name, limit)| Some(format!("{name} of at most {}", format::time(limit?))))
        .collect();
    if named.is_empty() {
        return None;
    }
    let meets = |found: &&Found| {
        let service = &found.service;
        ttft.is_none_or(|limit| service.ttft <= limit) && tpot.is_none_or(|limit| service.tpot <= limit)
    };
    let all = || offers.iter().flat_map(|offer| &offer.front);
    Some(format!(
        "{} of the {} points have a {}, as the question asks",
        all().filter(meets).count(),
        all().count(),
        named.join(" and a ")
    ))
}

/// States the device with the highest throughput per GPU and the device with the highest speed per user.
fn finding(offers: &[Offers]) -> String {
    let best = |offer: &Offers| offer.front.last().map(|found| (found.per_gpu(), found.per_user()));
    let most = offers.iter().filter_map(|offer| Some((offer, best(offer)?)));
    let most = most.max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let fastest = offers.iter().filter_map(|offer| Some((offer, offer.front.first()?.per_user())));
    let fastest = fastest.max_by(|a, b| a.1.total_cmp(&b.1));
    match (most, fastest) {
        (Some((most, (per_gpu, _))), Some((fastest, per_user))) if positive(per_gpu) => {
            let (most, fastest) = (&most.device, &fastest.device);
            let fastest = if most == fastest { ", and".to_owned() } else { format!("; {fastest}") };
            format!(
                "{most} serves most per GPU, {} tokens per second{fastest} is fastest for one user, {} tokens per second.",
                format::digits(per_gpu),
                format::digits(per_user),
            )
        }
        _ => "The model fits on none of these devices.".to_owned(),
    }
}

/// Name, coordinates and link of a run's dot.
fn dot(run: &MeasuredRun) -> (String, (f64, f64), String) {
    let name = format!("Measured, {}, {}", format::counted(run.concurrency, "concurrent requests"), run.name);
    (name, (run.per_user, run.per_gpu), run.link.clone())
}

fn table(
    offers: &[Offers],
    asked: Option<(f64, f64)>,
    pinned: &[Pinned<(f64, f64)>],
    measured: &[MeasuredRun],
) -> Table {
    let mut table = Table::new([
        ("Device", None),
        ("Deployment", None),
        ("Concurrent requests", None),
        ("Output tokens per second and request", None),
        ("Output tokens per second per GPU", None),
        ("Time to first token", Some("s")),
    ]);
    let source = (!measured.is_empty()).then(|| Cell::text("predicted"));
    table.columns.extend(source.iter().map(|_| Column::new("Source")));
    let number = |value: f64| Cell::number(value, format::digits(value));
    for offer in offers {
        for found in &offer.front {
            let cells = [
                Cell::text(&offer.device),
                Cell::text(found.name()),
                Cell::number(f64::from(found.load.concurrency), found.load.concurrency.to_string()),
                number(found.per_user()),
                number(found.per_gpu()),
                Cell::number(found.service.ttft.get(), format::time(found.service.ttft)),
            ];
            let cells: Vec<Cell> = cells.into_iter().chain(source.clone()).collect();
            table.rows.push(Row::from(cells));
        }
    }
    let asked = asked.map(|place| ("This question".to_owned(), place));
    for (name, (per_user, per_gpu)) in
        asked.into_iter().chain(pinned.iter().map(|pinned| (pinned.label(), pinned.of)))
    {
        let cells =
            [Cell::text(name), Cell::none(), Cell::none(), number(per_user), number(per_gpu), Cell::none()];
        table.rows.push(Row::from(cells.into_iter().chain(source.clone()).collect::<Vec<Cell>>()));
    }
    for run in measured {
        table.push([
            Cell::text(&run.device),
            Cell::text(&run.name).opening(&run.link),
            Cell::number(f64::from(run.concurrency), run.concurrency.to_string()),
            number(run.per_user),
            number(run.per_gpu),
            Cell::number(run.ttft.get(), format::time(run.ttft)),
            Cell::text(&run.source).opening(&run.rows),
        ]);
    }
    table
}
