//! Tokens per second per GPU against tokens per second per user.

use crate::figure::frame::lines::{Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::frame::{Size, brief, positive};
use crate::figure::{Cell, Figure, Table};
use crate::search::serving::Found;
use crate::search::tradeoff::Offers;
use crate::units::format;

/// Figure of the best deployments of each generation, with the question's own.
pub fn tradeoff(offers: &[Offers], asked: Option<(f64, f64)>, size: Size) -> Figure {
    let amount = |value: f64| brief(&format::digits(value));
    let place = |found: &Found| (found.per_user(), found.per_gpu());
    let shown = offers.iter().filter(|offer| !offer.front.is_empty());
    let finding = finding(offers);
    let chart = Lines {
        x: Scale::new("Output tokens per second that each request gets", &amount),
        y: Scale::new("Output tokens per second per GPU", &amount),
        curves: shown
            .map(|offer| Line {
                name: offer.device.clone(),
                points: offer.front.iter().rev().map(place).collect(),
            })
            .collect(),
        marks: asked.map(|place| ("This question".to_owned(), place)).into_iter().collect(),
        limits: Vec::new(),
        posts: Vec::new(),
    };
    let drawing = chart.drawing(size, &finding);
    Figure {
        id: "tradeoff".into(),
        title: "Throughput against speed, by generation".to_owned(),
        finding,
        table: table(offers),
        assumptions: vec![
            "The best of all tensor groups, attention replicas and expert parts of up to 16 GPUs in a domain"
                .to_owned(),
            "1 to 1,024 requests in flight, in the question's number format, prompts and answers as asked"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

/// The most per GPU at the speed that the first device reaches with its highest throughput.
fn finding(offers: &[Offers]) -> String {
    let best = |offer: &Offers| offer.front.last().map(|found| (found.per_gpu(), found.per_user()));
    let most = offers.iter().filter_map(|offer| Some((offer, best(offer)?)));
    let most = most.max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let fastest = offers.iter().filter_map(|offer| Some((offer, offer.front.first()?.per_user())));
    let fastest = fastest.max_by(|a, b| a.1.total_cmp(&b.1));
    match (most, fastest) {
        (Some((most, (per_gpu, _))), Some((fastest, per_user))) if positive(per_gpu) => format!(
            "{} serves most per GPU, {} tokens per second; {} is fastest for one user, {} tokens per second.",
            most.device,
            format::digits(per_gpu),
            fastest.device,
            format::digits(per_user),
        ),
        _ => "The model fits on none of these devices.".to_owned(),
    }
}

fn table(offers: &[Offers]) -> Table {
    let mut table = Table::new([
        ("Device", None),
        ("Deployment", None),
        ("Requests in flight", None),
        ("Output tokens per second and request", None),
        ("Output tokens per second per GPU", None),
        ("Time to first token", Some("s")),
    ]);
    for offer in offers {
        for found in &offer.front {
            let number = |value: f64| Cell::number(value, format::digits(value));
            table.push([
                Cell::text(&offer.device),
                Cell::text(found.name()),
                Cell::number(f64::from(found.load.concurrency), found.load.concurrency.to_string()),
                number(found.per_user()),
                number(found.per_gpu()),
                Cell::number(found.service.ttft.get(), format::time(found.service.ttft)),
            ]);
        }
    }
    table
}
