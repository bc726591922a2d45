//! Most probable corrections of each published source and software, treated as one machine. Their spread shows how
//! common a correction of a given size is.

use std::fmt::Write as _;

use foretoken::calibration::{LARGEST, Level, Prior, estimate_with_scatter};

use super::page::quoted;
use super::priors;
use super::sources::SourceRows;

/// Fraction of a correction's prior variance that a source's rows must remove for the correction to count as
/// determined.
const TOLD: f64 = 0.5;

const HEADER: &str = "level,quantity,software,source,rows,kernels,host,links,starts,step\n";

/// The table that [`foretoken::calibration::Sources`] reads, computed with the published priors.
pub fn table(sources: &[SourceRows], levels: [Level; 2]) -> String {
    let apart: Vec<SourceRows> = sources.iter().flat_map(SourceRows::by_software).collect();
    let mut text = HEADER.to_owned();
    for level in levels {
        let prior = Prior::of(level);
        for of in &priors::tangents(&apart, level) {
            let estimate = estimate_with_scatter(&prior, &of.equations);
            let factor = |(place, logarithm): (usize, &f64)| {
                if estimate.information(&prior, place) >= TOLD {
                    format!("{:.3}", libm::exp(logarithm.clamp(-LARGEST, LARGEST)))
                } else {
                    String::new()
                }
            };
            let factors: Vec<String> = estimate.logarithms.iter().enumerate().map(factor).collect();
            let _ = writeln!(
                text,
                "{},{},{},{},{},{}",
                level.id(),
                of.kind.id(),
                quoted(of.software),
                quoted(&of.source),
                of.equations.len(),
                factors.join(",")
            );
        }
    }
    text
}
