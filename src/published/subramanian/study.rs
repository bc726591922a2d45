//! The authors' study: the best plan for every model, strategy, system and number of GPUs.

use super::authors::{Device, Run, Setup};
use super::search::{Best, Explorer};
use super::{Method, Plan, Space, Step};

/// One search of a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyPoint {
    /// What is trained.
    pub run: Run,
    /// How layers are cut.
    pub method: Method,
    /// On what.
    pub setup: Setup,
    /// On how many GPUs.
    pub gpus: u32,
}

/// Searches, one a step. Neighbours of one model and one device share layers.
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
    /// Runs of the whole study, in order.
    pub const RUNS: [Run; 2] = [Run::LLM, Run::VIT];
    /// Numbers of GPUs of the whole study: the powers of two from 4 to 16,384.
    pub const COUNTS: [u32; 13] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

    /// Searches of these points, none done yet.
    pub const fn of(points: Vec<StudyPoint>) -> Self {
        Self { points, found: Vec::new(), explorer: None }
    }

    /// The authors' whole study: every point of both runs on every device.
    pub fn whole() -> Self {
        let each = |run| Device::ALL.into_iter().flat_map(move |device| Self::points(run, device));
        Self::of(Self::RUNS.into_iter().flat_map(each).collect())
    }

    /// The points of one run on one device: strategies, scale-up domains and numbers of GPUs.
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

    /// Searches that are done, and searches in all.
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

    /// Everything at once.
    pub fn run(&mut self) {
        while self.found.len() < self.points.len() {
            self.advance();
        }
    }

    /// The points that are searched so far, in their order, with what was found.
    pub fn found(&self) -> impl Iterator<Item = (&StudyPoint, &Best)> {
        self.points.iter().zip(&self.found)
    }

    /// What was found at a point, if it is searched.
    pub fn at(&self, point: &StudyPoint) -> Option<&Best> {
        self.found().find(|(known, _)| *known == point).map(|(_, best)| best)
    }

    /// The fastest plan at a point with its step, if one fits.
    pub fn fastest(&self, point: &StudyPoint) -> Option<(Plan, Step)> {
        self.at(point)?.fastest
    }

    /// Days that the run of a point takes on its fastest plan, if one fits.
    pub fn days(&self, point: &StudyPoint) -> Option<f64> {
        self.fastest(point).map(|(_, step)| point.run.days(step.time))
    }
}
