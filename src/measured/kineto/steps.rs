//! Where the steps of a trace begin and end.
//!
//! The marks `ProfilerStep#N` on the GPU count, since the host runs ahead of it; a step there ends where the next begins.
//! Without them, the host's marks count. Without any, a step is from one call of the optimizer to the next.

use std::collections::BTreeMap;

use super::spans::Window;

/// Most marks that are kept. More are no steps of a profile.
const MOST: usize = 100_000;

/// The marks of a trace.
#[derive(Debug, Default)]
pub(super) struct Marks {
    gpu: BTreeMap<u32, Window>,
    host: BTreeMap<u32, Window>,
    optimizer: Vec<i64>,
}

/// What marks the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The profiler's marks on the GPU.
    Gpu,
    /// The profiler's marks on the host.
    Host,
    /// Calls of the optimizer.
    Optimizer,
}

impl Marks {
    /// Adds the mark of a step. Each stream that works in a step has one.
    pub(super) fn step(&mut self, number: u32, when: Window, on_gpu: bool) {
        let marks = if on_gpu { &mut self.gpu } else { &mut self.host };
        if marks.len() < MOST {
            let known = marks.entry(number).or_insert(when);
            *known = Window { start: known.start.min(when.start), end: known.end.max(when.end) };
        }
    }

    /// Adds a call of the optimizer.
    pub(super) fn optimizer(&mut self, when: Window) {
        if self.optimizer.len() < MOST {
            self.optimizer.push(when.start);
        }
    }

    /// Returns true if an optimizer was called.
    pub(super) fn trains(&self) -> bool {
        !self.optimizer.is_empty()
    }

    /// The steps by time, each with its number from 1 in the run; they do not overlap.
    pub(super) fn steps(mut self) -> Option<(By, Vec<(f64, Window)>)> {
        let of = |marks: BTreeMap<u32, Window>, joined: bool| {
            let mut steps: Vec<(f64, Window)> =
                marks.into_iter().map(|(number, when)| (f64::from(number) + 1.0, when)).collect();
            steps.sort_by_key(|(_, when)| when.start);
            let next: Vec<i64> = steps.iter().skip(1).map(|(_, when)| when.start).collect();
            for ((_, when), next) in steps.iter_mut().zip(next) {
                when.end = if joined { next } else { when.end.min(next) };
            }
            steps.retain(|(_, when)| when.end > when.start);
            steps
        };
        if !self.gpu.is_empty() {
            return Some((By::Gpu, of(self.gpu, true)));
        }
        if !self.host.is_empty() {
            return Some((By::Host, of(self.host, false)));
        }
        self.optimizer.sort_unstable();
        self.optimizer.dedup();
        let steps = self.optimizer.windows(2).zip(0_u32..);
        let steps: Vec<(f64, Window)> = steps
            // Numbers beyond the first two: a profile does not begin with the run.
            .map(|(pair, place)| (f64::from(place) + 3.0, Window { start: pair[0], end: pair[1] }))
            .collect();
        (!steps.is_empty()).then_some((By::Optimizer, steps))
    }
}
