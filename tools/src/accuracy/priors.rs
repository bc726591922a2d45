//! Estimates the priors of calibrations from published sources.
//!
//! The rows of one source, software and device are a system with corrections of its own. The variance of corrections over
//! systems, and the scatter of rows, are estimated by expectation maximisation (Dempster, Laird and Rubin 1977) on
//! linearised predictions. Systems with at least eight rows count, each weighted by its information about a correction. The
//! prior of a correction is a t-distribution, so that a system that is far from the others counts less.

use foretoken::calibration::{
    COUNT, Equation, Estimate, Level, Prior, TimeKind, Vector, estimate_with_scatter, tangent,
};
use foretoken::validation::quantile;

use super::sources::SourceRows;

/// Minimum number of rows of a system.
const FEWEST: usize = 8;

/// Maximum number of rows used of one system.
const MOST: usize = 60;

/// Fraction of the systems whose rows scatter less than the prior's scatter. Errors of rows of one model or load are alike,
/// so that a few rows show less than the whole scatter of their system: with the median here, ranges fitted to one to five
/// rows held 63 to 68 % of the others.
const SCATTER_QUANTILE: f64 = 0.8;

/// Iterations of expectation maximisation.
const ROUNDS: u32 = 40;

/// Range of the priors' scales. The minimum is for corrections on which sources have no information; a scale
/// beyond the maximum would point to other errors.
const RANGE: (f64, f64) = (0.1, 1.0);

/// A system's rows, linearised at corrections of 1.
#[derive(Clone, Debug)]
pub struct Tangents {
    /// Name of the source.
    pub source: String,
    /// Software of the system.
    pub software: &'static str,
    /// The measured quantity.
    pub kind: TimeKind,
    /// Linearised rows.
    pub equations: Vec<Equation>,
}

/// The linearised rows of all systems at a level.
pub fn tangents(systems: &[SourceRows], level: Level) -> Vec<Tangents> {
    let of = |rows: &SourceRows| {
        let first = rows.at(level).iter().take(MOST);
        let equations: Vec<Equation> =
            first.filter_map(|row| tangent(row, rows.kind, &[0.0; COUNT]).ok()).collect();
        Tangents { source: rows.source.clone(), software: rows.software(), kind: rows.kind, equations }
    };
    systems.iter().map(of).filter(|tangents| tangents.equations.len() >= FEWEST).collect()
}

/// The prior estimated from all sources except `without`.
pub fn prior(tangents: &[Tangents], without: &str) -> Prior {
    let mut prior = Prior { corrections: [0.2; COUNT], scatter: [0.15, 0.4, 0.12, 0.12] };
    for _ in 0..ROUNDS {
        let (mut sums, mut weights): (Vector, Vector) = ([0.0; COUNT], [1e-9; COUNT]);
        let mut scatters: [Vec<f64>; TimeKind::ALL.len()] = Default::default();
        for of in tangents.iter().filter(|of| of.source != without) {
            let estimate = estimate_with_scatter(&prior, &of.equations);
            for place in 0..COUNT {
                let weight = estimate.information(&prior, place).max(0.0);
                sums[place] += weight * estimate.prior_weight(&prior, place) * estimate.square(place);
                weights[place] += weight;
            }
            scatters[of.kind as usize].push(scatter(&estimate, of));
        }
        for place in 0..COUNT {
            prior.corrections[place] = (sums[place] / weights[place]).sqrt().clamp(RANGE.0, RANGE.1);
        }
        for (place, scatters) in scatters.iter_mut().enumerate() {
            scatters.sort_by(f64::total_cmp);
            if !scatters.is_empty() {
                prior.scatter[place] = quantile(scatters, SCATTER_QUANTILE).sqrt();
            }
        }
    }
    prior
}

/// Variance of log(measured / predicted) of a system's rows about the corrected predictions.
fn scatter(estimate: &Estimate, of: &Tangents) -> f64 {
    let square = |(equation, weight): (&Equation, &f64)| {
        let left = estimate.left(equation);
        let scatter = estimate.scatter[of.kind as usize];
        let deviation = estimate.deviation(of.kind, &equation.slope);
        weight * left * left + (deviation * deviation - scatter * scatter)
    };
    of.equations.iter().zip(&estimate.weights).map(square).sum::<f64>() / of.equations.len() as f64
}

/// The table behind [`Prior::of`].
pub fn table(home: &Prior, abroad: &Prior) -> String {
    let header = "# level, correction or quantity, scale or standard deviation of the logarithm: written by `make profiles`\n";
    format!("{header}{}{}", home.lines(Level::Home), abroad.lines(Level::Abroad))
}
