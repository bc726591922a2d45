//! What the Generations view shows below its first answer: a speed-up and its causes, and what binds on each machine.

use super::{Answer, Files, html};
use crate::figure::{self, Cell, Figure, Size, Table, escape};
use crate::scenario::compare::{Comparison, Variant};
use crate::scenario::{Problem, Scenario};
use crate::units::format;

/// What a vendor says of whole systems.
struct Claim {
    what: &'static str,
    times: f64,
    source: &'static str,
}

/// What NVIDIA published of the way from A100 with HDR InfiniBand to Blackwell with NVLink over 72 GPUs.
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

/// The rest of the answer about generations.
pub fn generations_more(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    let mut files = Files::default();
    let mut markup = Vec::new();
    match question.waterfall() {
        Ok(found) => {
            let drawn = figure::waterfall(&found, size);
            let (shown, table) = variants(question, &question.variants()?);
            markup.extend([html::figure(&drawn), shown]);
            files.figures.push(drawn);
            files.tables.push(("variants", table));
        }
        // The rest of the view has its answer all the same.
        Err(problems) => {
            let lines = html::each(&problems, |problem| format!("<li>{}</li>", escape(&problem.message)));
            markup.push(format!(r#"<ul class="notice" data-table="waterfall">{lines}</ul>"#));
        }
    }
    for (workload, machines) in question.bindings()? {
        if !machines.is_empty() {
            let drawn = Figure {
                id: shares_id(workload).into(),
                ..figure::binding_shares(workload, &machines, size)
            };
            markup.push(html::figure(&drawn));
            files.figures.push(drawn);
        }
    }
    Ok(Answer { headline: String::new(), figures: markup.concat(), files })
}

/// The machine name of a workload's shares: the page has one figure of each name.
fn shares_id(workload: &str) -> &'static str {
    match workload {
        "Training" => "binding-training",
        "Prefill" => "binding-prefill",
        _ => "binding-decode",
    }
}

const HEADINGS: [&str; 4] = ["*Assumptions", "As asked", "First at its best", "Without overheads"];

fn times(value: f64) -> String {
    format!("{} ×", format::digits(value))
}

/// The same comparison under assumptions that others make, and what was claimed.
fn variants(question: &Scenario, variants: &[Variant]) -> (String, Table) {
    let [name, asked, best, ideal] = HEADINGS.map(|heading| heading.trim_start_matches('*'));
    let times_of = |name| (name, Some("×"));
    let mut table =
        Table::new([(name, None), times_of(asked), times_of(best), times_of(ideal), ("Source", None)]);
    let asked = Comparison { tuned: false, ..question.comparison.clone() };
    let predicted = html::each(variants.iter().enumerate(), |(index, variant)| {
        let Variant { comparison, link, speedups } = variant;
        let current = if *comparison == asked { r#" class="current""# } else { "" };
        let name = html::link(&format!("variant-{index}"), link, &describe(comparison));
        let cells = html::each(speedups, |speedup| {
            format!("<td>{}</td>", speedup.map_or_else(|| "does not fit".to_owned(), times))
        });
        format!(r#"<tr{current}><th scope="row">{name}</th>{cells}</tr>"#)
    });
    for Variant { comparison, speedups, .. } in variants {
        let [asked, best, ideal] = speedups.map(|speedup| {
            speedup.map_or_else(|| Cell::text("does not fit"), |value| Cell::number(value, times(value)))
        });
        table.push([Cell::text(describe(comparison)), asked, best, ideal, Cell::text("this model")]);
    }
    let product = CLAIMS.iter().map(|claim| claim.times).product();
    let both = Claim { what: "both together", times: product, source: "The product of the two" };
    let claimed = html::each(CLAIMS.iter().chain([&both]), |claim| {
        format!(
            r#"<tr><th scope="row">Claimed: {}</th><td>{}</td><td class="text origin" colspan="2">{}</td></tr>"#,
            escape(claim.what),
            times(claim.times),
            escape(claim.source)
        )
    });
    for claim in CLAIMS.iter().chain([&both]) {
        let value = Cell::number(claim.times, times(claim.times));
        table.push([Cell::text(claim.what), value, Cell::none(), Cell::none(), Cell::text(claim.source)]);
    }
    let finding = format!(
        "The second machine over the first, in tokens per second and GPU, with the format, the scale-up domain and the \
         batch that each row names; a click takes them over. The drawing above is under: {}. Fitted constants that were edited do not count here",
        question.assumptions.name().to_lowercase(),
    );
    let head = html::headings(HEADINGS);
    let body = format!("<tbody>{predicted}{claimed}</tbody>");
    let title = "The same speed-up under other assumptions";
    (html::table("variants", title, &finding, (&head, &body), &html::downloads(&["csv"])), table)
}

fn describe(comparison: &Comparison) -> String {
    let Comparison { precision, domain, batch, .. } = comparison;
    let domain = domain.map_or_else(|| "domain as built".to_owned(), |gpus| format!("domain of {gpus}"));
    format!("{}, {domain}, batch × {batch}", precision.name())
}
