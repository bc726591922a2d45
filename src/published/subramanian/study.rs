//! The authors' whole study: the best plan for every model, strategy, system and number of GPUs.

use super::authors::{Run, Setup};
use super::search::{Best, Explorer};
use super::{Method, Space};

/// Numbers of GPUs: the powers of two from 4 to 16,384.
const COUNTS: [u32; 13] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

/// One search of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// What is trained.
    pub run: Run,
    /// How layers are cut.
    pub method: Method,
    /// On what.
    pub setup: Setup,
    /// On how many GPUs.
    pub gpus: u32,
    /// What was found.
    pub best: Best,
}

impl Point {
    /// Days that the run takes on the best plan; none where no plan fits.
    pub fn days(&self) -> Option<f64> {
        self.best.fastest.map(|(_, step)| self.run.days(step.time))
    }
}

/// The study at work: 702 searches, one a step, in the order of runs, strategies, systems and GPUs.
///
/// ```
/// use foretoken::published::subramanian::Study;
///
/// let mut study = Study::default();
/// study.advance();
/// assert_eq!((study.points().len(), Study::SIZE), (1, 702));
/// assert_eq!(study.points()[0].best.counts.candidates, 74);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Study {
    points: Vec<Point>,
    /// The search whose layers the next points share.
    explorer: Option<Explorer>,
}

/// Domains of one device.
const DOMAINS: usize = Setup::DOMAINS.len();
/// Points of a device: those that share layers.
const SHARED: usize = DOMAINS * COUNTS.len();

impl Study {
    /// Runs, in order.
    pub const RUNS: [Run; 2] = [Run::LLM, Run::VIT];
    /// Numbers of GPUs.
    pub const COUNTS: [u32; 13] = COUNTS;
    /// Points in all.
    pub const SIZE: usize = Self::RUNS.len() * Method::ALL.len() * Setup::ALL.len() * COUNTS.len();

    /// The points that are searched so far: their place in the whole study is their position.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns true if all points are searched.
    pub const fn done(&self) -> bool {
        self.points.len() >= Self::SIZE
    }

    /// Searches the next point.
    pub fn advance(&mut self) {
        if self.done() {
            return;
        }
        let place = self.points.len();
        let gpus = COUNTS[place % COUNTS.len()];
        let setup = Setup::ALL[place / COUNTS.len() % Setup::ALL.len()];
        let rest = place / COUNTS.len() / Setup::ALL.len();
        let method = Method::ALL[rest % Method::ALL.len()];
        let run = Self::RUNS[rest / Method::ALL.len()];
        if place.is_multiple_of(SHARED) {
            self.explorer = None;
        }
        let explorer = self.explorer.get_or_insert_with(|| Explorer::new(setup.machine(), run.model));
        explorer.set_domain(setup.domain);
        let best = explorer.best(&Space::of(method, gpus, Run::BATCH));
        self.points.push(Point { run, method, setup, gpus, best });
    }

    /// Everything at once.
    pub fn run(&mut self) {
        while !self.done() {
            self.advance();
        }
    }

    /// The point of a run, strategy, system and number of GPUs, if it is searched.
    pub fn at(&self, run: &Run, method: Method, setup: Setup, gpus: u32) -> Option<&Point> {
        let known = |point: &&Point| {
            point.gpus == gpus && point.setup == setup && point.method == method && point.run == *run
        };
        self.points.iter().find(known)
    }
}
