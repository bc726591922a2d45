//! The authors' study: the best plan for each model, strategy, system and number of GPUs.

use super::authors::{Device, Run, Setup};
use super::search::{Best, Explorer};
use super::{Method, Plan, Space, Step};

/// One search of a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyPoint {
    /// Training run.
    pub run: Run,
    /// Tensor-parallel strategy.
    pub method: Method,
    /// System.
    pub setup: Setup,
    /// Number of GPUs.
    pub gpus: u32,
}

/// A list of searches, done one per step. Consecutive searches of one model on one device share layer times.
///
/// ```
/// use foretoken::published::subramanian::Study;
///
/// let mut study = Study::whole();
/// study.advance();
/// assert_eq!(study.progress(), (1, 702));
/// let (point, best) = study.found().next().expect("a search");
/// assert_eq!((point.gpus, best.counts.candidates), (4, 74));
/// ```
#[derive(Clone, Debug)]
pub struct Study {
    points: Vec<StudyPoint>,
    found: Vec<Best>,
    explorer: Option<(Run, Device, Explorer)>,
}

impl Study {
    /// Training runs of the whole study, in order.
    pub const RUNS: [Run; 2] = [Run::LLM, Run::VIT];
    /// Numbers of GPUs in the whole study: powers of two from 4 to 16,384.
    pub const COUNTS: [u32; 13] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

    /// A study of these points, with no search done yet.
    pub const fn of(points: Vec<StudyPoint>) -> Self {
        Self { points, found: Vec::new(), explorer: None }
    }

    /// The authors' whole study: every point of both runs on every device.
    pub fn whole() -> Self {
        let each = |run| Device::ALL.into_iter().flat_map(move |device| Self::points(run, device));
        Self::of(Self::RUNS.into_iter().flat_map(each).collect())
    }

    /// The points of one run on one device: all strategies, scale-up domains and numbers of GPUs.
    pub fn points(run: Run, device: Device) -> Vec<StudyPoint> {
        let mut points = Vec::new();
        for method in Method::ALL {
            for domain in Setup::DOMAINS {
                let setup = Setup { device, domain };
                points.extend(Self::COUNTS.map(|gpus| StudyPoint { run, method, setup, gpus }));
            }
        }
        points
    }

    /// Number of searches done, and total number.
    pub fn progress(&self) -> (u32, u32) {
        (self.found.len() as u32, self.points.len() as u32)
    }

    /// Searches the next point.
    pub fn advance(&mut self) {
        let Some(&StudyPoint { run, method, setup, gpus }) = self.points.get(self.found.len()) else {
            return;
        };
        let shared = |(known, device, _): &(Run, Device, Explorer)| *known == run && *device == setup.device;
        if !self.explorer.as_ref().is_some_and(shared) {
            self.explorer = Some((run, setup.device, Explorer::new(setup.machine(), run.model)));
        }
        if let Some((_, _, explorer)) = &mut self.explorer {
            explorer.set_domain(setup.domain);
            self.found.push(explorer.best(&Space::of(method, gpus, Run::BATCH)));
        }
    }

    /// Searches all remaining points.
    pub fn run(&mut self) {
        while self.found.len() < self.points.len() {
            self.advance();
        }
    }

    /// The points searched so far, in order, with their results.
    pub fn found(&self) -> impl Iterator<Item = (&StudyPoint, &Best)> {
        self.points.iter().zip(&self.found)
    }

    /// The result at a point, if it has been searched.
    pub fn at(&self, point: &StudyPoint) -> Option<&Best> {
        self.found().find(|(known, _)| *known == point).map(|(_, best)| best)
    }

    /// The fastest plan at a point and its step, if a plan fits.
    pub fn fastest(&self, point: &StudyPoint) -> Option<(Plan, Step)> {
        self.at(point)?.fastest
    }

    /// Duration in days of a point's run with the fastest plan, if a plan fits.
    pub fn days(&self, point: &StudyPoint) -> Option<f64> {
        self.fastest(point).map(|(_, step)| point.run.days(step.time))
    }
}
