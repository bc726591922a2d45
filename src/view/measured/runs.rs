//! Published runs of the question's model and device, for the figure of throughput against speed.

use crate::figure::MeasuredRun;
use crate::scenario::{ErrorChoice, Scenario, Topic, Trait, View, link};
use crate::units::Seconds;
use crate::validation::points::Point;
use crate::validation::{ServedRun, served_runs};

/// Maximum number of runs.
const SHOWN: usize = 40;

/// The runs nearest to the question; empty until the published rows are fetched.
pub(in crate::view) fn runs(question: &Scenario, points: &[Point]) -> Vec<MeasuredRun> {
    let device = question.system.accelerator().map_or_else(|_| String::new(), |device| device.name);
    let run = |ServedRun { point, scenario, per_user, per_gpu, ttft }: ServedRun<'_>| MeasuredRun {
        name: format!(
            "{}, {}, {}",
            scenario.software(),
            point.of(Trait::Precision),
            scenario.inference.deployment()
        ),
        device: device.clone(),
        concurrency: scenario.inference.concurrency,
        per_user,
        per_gpu,
        ttft: Seconds::new(ttft),
        source: point.citation(),
        rows: rows(question, point),
        link: point.opened(),
    };
    served_runs(question, points, SHOWN).into_iter().map(run).collect()
}

/// Link of the Validation view with the rows of a point's source.
fn rows(question: &Scenario, point: &Point) -> String {
    let source = point.of(Trait::Source).to_owned();
    let errors = ErrorChoice { of: Topic::Tpot, source, ..ErrorChoice::default() };
    link::encode(&Scenario { view: View::Validation, errors, ..question.clone() })
}
