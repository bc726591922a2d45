//! The plan behind each machine's speed-ups.

use crate::figure::{Cell, Column, Table};
use crate::generations::Generation;
use crate::units::{Amount, Unit};
use crate::view::TablePart;

const FINDING: &str =
    "The same plan changes only the GPU; the best plan also uses its formats and its memory";

/// One row a machine. Why a machine cannot run the same plan stands below its best one.
pub(super) fn part(generations: &[Generation]) -> TablePart {
    let mut table = Table::under([
        Column::new("GPU"),
        Column::new("Year"),
        Column::of("Same plan", "×"),
        Column::of("Best plan", "×"),
        Column::new("Tokens/s per GPU"),
        Column::new("With"),
    ]);
    for generation in generations {
        let best = generation.best.as_ref();
        let rate = best.map(|best| Amount::new(best.tokens_per_second_per_gpu, Unit::None));
        let plan = best.map_or_else(String::new, |best| {
            let again = best.recompute.name().to_ascii_lowercase();
            format!("{}, microbatch {}, recomputes {again}", best.precision.name(), best.microbatch)
        });
        table.push([
            Cell::text(&generation.name),
            Cell::number(f64::from(generation.year), generation.year.to_string()),
            Cell::known(generation.same_speedup.map(Amount::times)),
            Cell::known(generation.best_speedup.map(Amount::times)),
            Cell::known(rate),
            Cell::text(plan).noted(generation.why_not.as_deref().unwrap_or_default()),
        ]);
    }
    TablePart::new("plans", "The plan behind each speed-up", FINDING, table)
}
