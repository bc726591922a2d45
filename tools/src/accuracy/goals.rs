//! The errors that the project aims at, beside those that it reaches.

use std::fmt::Write as _;

use foretoken::validation::Score;

use super::left_out::{ALL, LeftOut, groups, names, percents, score, unfitted_sources};
use super::predictions::Predictions;

/// Mean and median error that a quantity should have at most, as fractions.
struct Goal {
    /// Index of the quantity among the rows of the table of left-out software and devices.
    place: usize,
    /// With all constants.
    home: [f64; 2],
    /// Without the constants of the row's software and device.
    abroad: [f64; 2],
}

const GOALS: [Goal; 4] = [
    Goal { place: 0, home: [0.09, 0.05], abroad: [0.18, 0.12] },
    Goal { place: 2, home: [0.14, 0.08], abroad: [0.25, 0.18] },
    Goal { place: 3, home: [0.30, 0.18], abroad: [0.50, 0.35] },
    Goal { place: 4, home: [0.12, 0.08], abroad: [0.25, 0.15] },
];

/// The goals and what is reached, as Markdown.
pub fn table(predictions: &Predictions<'_>) -> String {
    let all = groups(predictions, |_| true);
    let unfitted = groups(predictions, unfitted_sources(predictions));
    let mut text = String::from(
        "| mean / median error | goal | all constants | rows of sources without a fitted row | goal, left out | software and device left out |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for Goal { place, home, abroad } in GOALS {
        let of_all = |left_out| score(&all, place, ALL, left_out);
        let elsewhere = score(&unfitted, place, ALL, LeftOut::Nothing);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} ({}) | {} | {} |",
            names().nth(place).unwrap_or_default(),
            aim(home),
            reached(of_all(LeftOut::Nothing), home),
            percents(elsewhere),
            elsewhere.count,
            aim(abroad),
            reached(of_all(LeftOut::Both), abroad),
        );
    }
    text
}

fn aim([mean, median]: [f64; 2]) -> String {
    format!("{:.0} / {:.0} %", 100.0 * mean, 100.0 * median)
}

fn reached(score: Score, [mean, median]: [f64; 2]) -> String {
    let missed = match (score.mean > mean, score.median > median) {
        (false, false) => "",
        (true, false) => ", mean missed",
        (false, true) => ", median missed",
        (true, true) => ", missed",
    };
    format!("{}{missed}", percents(score))
}
