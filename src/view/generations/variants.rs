//! A speed-up under other authors' assumptions, and vendors' claims.

use crate::figure::{Cell, Column, Row, Table};
use crate::scenario::Scenario;
use crate::scenario::compare::{Comparison, Variant};
use crate::units::Amount;
use crate::view::TablePart;

/// A speed-up of whole systems that a vendor published.
struct Claim {
    what: &'static str,
    times: f64,
    source: &'static str,
}

/// NVIDIA's numbers from A100 with HDR InfiniBand to Blackwell with NVLink over 72 GPUs.
const CLAIMS: [Claim; 2] = [
    Claim {
        what: "H100 with NVLink between servers over A100 with HDR",
        times: 9.0,
        source: "NVIDIA's launch of the H100, March 2022: a mixture of 395 B parameters on 8,192 GPUs; recalled",
    },
    Claim {
        what: "GB200 NVL72 over H100",
        times: 4.0,
        source: "NVIDIA's page of the GB200 NVL72, 2024: a mixture of 1.8 T parameters; recalled",
    },
];

/// The product of the claims.
pub(super) fn claimed() -> f64 {
    CLAIMS.iter().map(|claim| claim.times).product()
}

/// The variants, each of which opens as a question, then the claims and their product.
pub(super) fn part(question: &Scenario, variants: &[Variant]) -> TablePart {
    let times = |label| Column::of(label, "×");
    let mut table = Table::under([
        Column::new("Assumptions"),
        times("As asked"),
        times("First at its best"),
        times("Without overheads"),
        times("arXiv 2407.14645"),
        Column::new("Source"),
    ]);
    let asked = Comparison { tuned: false, ..question.comparison.clone() };
    for Variant { comparison, link, speedups } in variants {
        let speedups = speedups.map(|speedup| {
            speedup.map_or_else(|| Cell::text("does not fit"), |value| Cell::amount(Amount::times(value)))
        });
        let name = Cell::text(describe(comparison)).opening(link);
        let cells = [name].into_iter().chain(speedups).chain([Cell::text("this model")]).collect();
        table.rows.push(Row { group: None, current: *comparison == asked, cells });
    }
    let product = claimed();
    let both = Claim { what: "both together", times: product, source: "The product of the two" };
    for Claim { what, times, source } in CLAIMS.iter().chain([&both]) {
        let name = Cell::text(format!("Claimed: {what}"));
        let claimed = Cell::amount(Amount::times(*times));
        table.push([name, claimed, Cell::none(), Cell::none(), Cell::none(), Cell::text(*source)]);
    }
    let finding = format!(
        "The second machine over the first, in tokens per second per GPU, with the format, the scale-up domain and the \
         batch that each row names; a row's name opens it. The figure of the causes is under: {}. Edited constants do not count \
         here",
        question.assumptions.name().to_lowercase(),
    );
    TablePart::new("variants", "The same speed-up under other assumptions", finding, table)
}

/// Describes the configuration of a comparison's second machine.
pub(super) fn describe(comparison: &Comparison) -> String {
    let Comparison { precision, domain, batch, .. } = comparison;
    let domain = domain.map_or_else(|| "domain as built".to_owned(), |gpus| format!("domain of {gpus}"));
    format!("{}, {domain}, batch × {batch}", precision.name())
}
