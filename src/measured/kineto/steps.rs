//! Step boundaries of a trace.
//!
//! Annotations `ProfilerStep#N` on the GPU are preferred, because the host runs ahead of the GPU; each of these steps
//! ends where the next begins. Without them, the annotations on the host are used. Without either, a step lasts from
//! one optimizer call to the next.

use std::collections::BTreeMap;

use super::spans::Window;
use crate::order;

/// Maximum number of step marks, and of optimizer calls, that are kept. No profile has this many steps.
const MOST: usize = 100_000;

/// Step marks and optimizer calls found in a trace.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Steps marked on the GPU, by number.
    gpu: BTreeMap<u32, Window>,
    /// Steps marked on the host, by number.
    host: BTreeMap<u32, Window>,
    /// Starts of optimizer calls, ns.
    optimizer: Vec<i64>,
}

/// The source of step boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// `ProfilerStep#N` on the GPU.
    Gpu,
    /// `ProfilerStep#N` on the host.
    Host,
    /// Calls of `Optimizer.step`.
    Optimizer,
}

impl Marks {
    /// Adds the mark of a step. Every stream that is active in a step has its own mark; the step spans all of them.
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

    /// Steps in order of time, each with its number in the run, counted from 1. Steps do not overlap. `None` if the
    /// trace has no step marks and fewer than two optimizer calls.
    pub(super) fn steps(mut self) -> Option<(By, Vec<(f64, Window)>)> {
        let of = |marks: BTreeMap<u32, Window>, joined: bool| {
            let mut steps: Vec<(f64, Window)> =
                marks.into_iter().map(|(number, when)| (f64::from(number) + 1.0, when)).collect();
            order::sort(&mut steps, |(_, one), (_, other)| one.start.cmp(&other.start));
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
        order::sort(&mut self.optimizer, Ord::cmp);
        self.optimizer.dedup();
        let steps = self.optimizer.windows(2).zip(0_u32..);
        let steps: Vec<(f64, Window)> = steps
            // Numbering starts at 3, because `steady` leaves out steps 1 and 2 of a run as warm-up, and a profile does
            // not begin with the run.
            .map(|(pair, place)| (f64::from(place) + 3.0, Window { start: pair[0], end: pair[1] }))
            .collect();
        (!steps.is_empty()).then_some((By::Optimizer, steps))
    }
}
