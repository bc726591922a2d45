//! A speed-up under other authors' assumptions, and vendors' claims.

use crate::figure::{Cell, Column, Row, Table};
use crate::scenario::Scenario;
use crate::scenario::compare::{MachineComparison, Variant};
use crate::units::Amount;
use crate::view::TablePart;

/// A speed-up of one system over another that a vendor published.
struct Claim {
    from: &'static str,
    to: &'static str,
    what: &'static str,
    times: f64,
    source: &'static str,
}

/// NVIDIA's numbers from A100 with HDR InfiniBand to Blackwell with NVLink over 72 GPUs, in the order of the systems.
const CLAIMS: [Claim; 2] = [
    Claim {
        from: A100,
        to: H100,
        what: "H100 with NVLink between servers over A100 with HDR",
        times: 9.0,
        source: "NVIDIA's launch of the H100, March 2022: a mixture of 395 B parameters on 8,192 GPUs; recalled",
    },
    Claim {
        from: H100,
        to: RACK,
        what: "GB200 NVL72 over H100",
        times: 4.0,
        source: "NVIDIA's page of the GB200 NVL72, 2024: a mixture of 1.8 T parameters; recalled",
    },
];

const A100: &str = "a100-sxm-80gb";
const H100: &str = "h100-sxm";
const RACK: &str = "gb200-nvl72";

/// The least scale-up domain with which a B200 is compared as the GPU of a GB200 NVL72: that of the article about the 35×.
const RACK_DOMAIN: u32 = 64;

/// The system of a comparison's second machine that a claim may be about.
fn system(comparison: &MachineComparison) -> &str {
    match comparison.to.as_str() {
        "b200" if comparison.domain.is_some_and(|gpus| gpus >= RACK_DOMAIN) => RACK,
        other => other,
    }
}

/// The claims that lead from a comparison's first machine to its second; none if they do not.
fn claims(comparison: &MachineComparison) -> &'static [Claim] {
    let first = CLAIMS.iter().position(|claim| claim.from == comparison.from);
    let last = CLAIMS.iter().position(|claim| claim.to == system(comparison));
    first.zip(last).and_then(|(first, last)| CLAIMS.get(first..=last)).unwrap_or_default()
}

/// What vendors claim for a comparison, in a clause; `None` without such a claim.
pub(super) fn claimed(comparison: &MachineComparison) -> Option<String> {
    let claims = claims(comparison);
    let product = Amount::times(claims.iter().map(|claim| claim.times).product());
    match claims {
        [] => None,
        [_] => Some(format!("NVIDIA claims {product}")),
        _ => Some(format!("NVIDIA's claims multiply to {product}")),
    }
}

/// The variants, each of which opens as a question, then the claims for the two machines and their product.
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
    let asked = MachineComparison { tuned: false, ..question.comparison.clone() };
    for Variant { comparison, link, speedups } in variants {
        let speedups = speedups.map(|speedup| {
            speedup.map_or_else(|| Cell::text("does not fit"), |value| Cell::amount(Amount::times(value)))
        });
        let name = Cell::text(describe(comparison)).opening(link);
        let cells = [name].into_iter().chain(speedups).chain([Cell::text("this model")]).collect();
        table.rows.push(Row { group: None, current: *comparison == asked, cells });
    }
    let claims = claims(&question.comparison);
    let mut claimed = |what: &str, times: f64, source: &str| {
        let name = Cell::text(format!("Claimed: {what}"));
        let times = Cell::amount(Amount::times(times));
        table.push([name, times, Cell::none(), Cell::none(), Cell::none(), Cell::text(source)]);
    };
    for Claim { what, times, source, .. } in claims {
        claimed(what, *times, source);
    }
    if claims.len() > 1 {
        claimed("both together", claims.iter().map(|claim| claim.times).product(), "The product of the two");
    }
    let finding = format!(
        "The second machine over the first, in tokens per second per GPU, with the format, the scale-up domain and the \
         batch that each row names; a row's name opens it. Assumptions of the figure of the causes: {}. Edited constants do not count \
         here",
        question.assumptions.name(),
    );
    TablePart::new("variants", "The same speed-up under other assumptions", finding, table)
}

/// Describes the configuration of a comparison's second machine.
pub(super) fn describe(comparison: &MachineComparison) -> String {
    let MachineComparison { precision, domain, batch, .. } = comparison;
    let domain = domain.map_or_else(|| "domain as built".to_owned(), |gpus| format!("domain of {gpus}"));
    format!("{}, {domain}, batch × {batch}", precision.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_claims_on_the_way_from_one_machine_to_the_other_count() {
        let of = |from: &str, to: &str, domain| {
            claimed(&MachineComparison {
                from: from.to_owned(),
                to: to.to_owned(),
                domain,
                ..MachineComparison::default()
            })
        };
        let product = Some("NVIDIA's claims multiply to 36.0×".to_owned());
        assert_eq!(of(A100, RACK, None), product);
        assert_eq!(of(A100, "b200", Some(64)), product);
        assert_eq!(of(A100, H100, None), Some("NVIDIA claims 9.00×".to_owned()));
        assert_eq!(of(H100, RACK, None), Some("NVIDIA claims 4.00×".to_owned()));
        for (from, to) in [(H100, "b200"), (A100, "b200"), (RACK, A100), (H100, H100), ("own", "b300")] {
            assert_eq!(of(from, to, None), None, "{to} over {from}");
        }
    }
}
