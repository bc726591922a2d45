//! How wide the priors of a visitor's corrections are: as wide as published sources need them.
//!
//! Each source is taken as one machine with corrections of its own. Their variance over sources and the scatter of rows are
//! found by expectation and maximisation (Dempster, Laird and Rubin 1977) on tangents, from sources of eight rows on,
//! each weighted by what it says of a correction. A few sources are far off and most are hardly off: none counts as more
//! than three variances.

use foretoken::calibration::{
    COUNT, Equation, Estimate, Level, Prior, Topic, Vector, estimate_with_scatter, tangent,
};

use super::sources::SourceRows;

/// Sources of fewer rows say too little.
const FEWEST: usize = 8;

/// Rows of one source that are looked at.
const MOST: usize = 60;

/// Variances that one source counts as at most.
const FAR: f64 = 3.0;

/// Rounds of expectation and maximisation.
const ROUNDS: u32 = 40;

/// Deviations of logarithms that priors keep to: what no source speaks of is not known to be right, and beyond the widest
/// something else is wrong.
const RANGE: (f64, f64) = (0.1, 1.0);

/// A source's rows as tangents at the calibrated machine.
#[derive(Clone, Debug)]
pub struct Tangents {
    source: String,
    topic: Topic,
    equations: Vec<Equation>,
}

/// The tangents of all sources at a level.
pub fn tangents(sources: &[SourceRows], level: Level) -> Vec<Tangents> {
    let of = |rows: &SourceRows| {
        let first = rows.at(level).iter().take(MOST);
        let equations: Vec<Equation> =
            first.filter_map(|row| tangent(row, rows.topic, &[0.0; COUNT]).ok()).collect();
        Tangents { source: rows.source.clone(), topic: rows.topic, equations }
    };
    sources.iter().map(of).filter(|tangents| tangents.equations.len() >= FEWEST).collect()
}

/// The prior of all sources but one.
pub fn prior(tangents: &[Tangents], without: &str) -> Prior {
    let mut prior = Prior { corrections: [0.2; COUNT], scatter: [0.15, 0.4, 0.12, 0.12] };
    for _ in 0..ROUNDS {
        let (mut sums, mut weights): (Vector, Vector) = ([0.0; COUNT], [1e-9; COUNT]);
        let mut scatters: [Vec<f64>; Topic::ALL.len()] = Default::default();
        for of in tangents.iter().filter(|of| of.source != without) {
            let estimate = estimate_with_scatter(&prior, &of.equations);
            for place in 0..COUNT {
                let known = prior.corrections[place] * prior.corrections[place];
                let left = estimate.covariance[place][place];
                let weight = (1.0 - left / known).max(0.0);
                let square = estimate.logarithms[place] * estimate.logarithms[place] + left;
                sums[place] += weight * square.min(FAR * known);
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

/// Variance of a source's rows about their predictions.
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
    let header =
        "# level, correction or quantity, standard deviation of the logarithm: written by `make profiles`\n";
    format!("{header}{}{}", home.lines(Level::Home), abroad.lines(Level::Abroad))
}
