//! Estimates the priors of calibrations from published sources.
//!
//! Each source is treated as one machine with its own corrections. The variance of corrections over sources, and the
//! scatter of rows, are estimated by expectation maximisation (Dempster, Laird and Rubin 1977) on linearised
//! predictions. Sources with at least eight rows count, each weighted by its information about a correction. The prior of
//! a correction is a t-distribution, so that a source that is far from the others counts less.

use foretoken::calibration::{
    COUNT, Equation, Estimate, Level, Prior, Topic, Vector, estimate_with_scatter, tangent,
};

use super::sources::SourceRows;

/// Minimum number of rows of a source.
const FEWEST: usize = 8;

/// Maximum number of rows used of one source.
const MOST: usize = 60;

/// Iterations of expectation maximisation.
const ROUNDS: u32 = 40;

/// Range of the priors' scales. The minimum is for corrections on which sources have no information; a scale
/// beyond the maximum would point to other errors.
const RANGE: (f64, f64) = (0.1, 1.0);

/// A source's rows, linearised at corrections of 1.
#[derive(Clone, Debug)]
pub struct Tangents {
    /// Name of the source.
    pub source: String,
    /// Software of the source's first row.
    pub software: &'static str,
    /// The measured quantity.
    pub topic: Topic,
    /// Linearised rows of the source.
    pub equations: Vec<Equation>,
}

/// The linearised rows of all sources at a level.
pub fn tangents(sources: &[SourceRows], level: Level) -> Vec<Tangents> {
    let of = |rows: &SourceRows| {
        let first = rows.at(level).iter().take(MOST);
        let equations: Vec<Equation> =
            first.filter_map(|row| tangent(row, rows.topic, &[0.0; COUNT]).ok()).collect();
        Tangents { source: rows.source.clone(), software: rows.software(), topic: rows.topic, equations }
    };
    sources.iter().map(of).filter(|tangents| tangents.equations.len() >= FEWEST).collect()
}

/// The prior estimated from all sources except `without`.
pub fn prior(tangents: &[Tangents], without: &str) -> Prior {
    let mut prior = Prior { corrections: [0.2; COUNT], scatter: [0.15, 0.4, 0.12, 0.12] };
    for _ in 0..ROUNDS {
        let (mut sums, mut weights): (Vector, Vector) = ([0.0; COUNT], [1e-9; COUNT]);
        let mut scatters: [Vec<f64>; Topic::ALL.len()] = Default::default();
        for of in tangents.iter().filter(|of| of.source != without) {
            let estimate = estimate_with_scatter(&prior, &of.equations);
            for place in 0..COUNT {
                let weight = estimate.information(&prior, place).max(0.0);
                sums[place] += weight * estimate.prior_weight(&prior, place) * estimate.square(place);
                weights[place] += weight;
            }
            scatters[of.topic as usize].push(scatter(&estimate, of));
        }
        for place in 0..COUNT {
            prior.corrections[place] = (sums[place] / weights[place]).sqrt().clamp(RANGE.0, RANGE.1);
        }
        for (place, scatters) in scatters.iter_mut().enumerate() {
            scatters.sort_by(f64::total_cmp);
            if let Some(middle) = scatters.get(scatters.len() / 2) {
                prior.scatter[place] = middle.sqrt();
            }
        }
    }
    prior
}

/// Variance of log(measured / predicted) of a source's rows about the corrected predictions.
fn scatter(estimate: &Estimate, of: &Tangents) -> f64 {
    let square = |(equation, weight): (&Equation, &f64)| {
        let left = estimate.left(equation);
        let scatter = estimate.scatter[of.topic as usize];
        let deviation = estimate.deviation(of.topic, &equation.slope);
        weight * left * left + (deviation * deviation - scatter * scatter)
    };
    of.equations.iter().zip(&estimate.weights).map(square).sum::<f64>() / of.equations.len() as f64
}

/// The table behind [`Prior::of`].
pub fn table(home: &Prior, abroad: &Prior) -> String {
    let header = "# level, correction or quantity, scale or standard deviation of the logarithm: written by `make profiles`\n";
    format!("{header}{}{}", home.lines(Level::Home), abroad.lines(Level::Abroad))
}
