//! A pipeline step task by task: each stage runs its schedule's tasks as early as their inputs allow.

use crate::plan::{Passes, Pipeline, Slot, StageTask};
use crate::units::Seconds;

/// Durations of a pipeline's tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// One microbatch, at each position of the model.
    pub positions: Vec<Passes>,
    /// Fraction of the input-gradient pass that recomputes the forward pass.
    pub again: f64,
    /// Time saved by running a forward and a backward pass concurrently.
    pub hidden: Seconds,
    /// Sending the result to the next position. Passes that run together hide it.
    pub send: Seconds,
    /// True if a stage sends while it works on its next task; otherwise sends occupy it.
    pub overlaps_sends: bool,
}

/// One task and when it was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The task.
    pub task: StageTask,
    /// When it began.
    pub start: Seconds,
    /// When its result was there.
    pub end: Seconds,
    /// When the result had been sent.
    pub sent: Seconds,
    /// When the stage was free for its next task: when the result had been sent, or when that task began beside the send.
    pub free: Seconds,
}

/// All tasks of a step, from the first forward to the last backward pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The order of tasks, for the number of microbatches simulated here.
    pub pipeline: Pipeline,
    /// Tasks of each stage, in order.
    pub stages: Vec<Vec<Span>>,
    /// Microbatches beyond these, which prolong the steady state.
    pub skipped: u32,
    /// Time that each skipped microbatch adds: the busy time of the slowest stage.
    pub period: Seconds,
    /// Durations of the tasks.
    pub pace: Pace,
}

impl Timeline {
    /// The step of a pipeline whose positions take these times.
    ///
    /// A task begins when the stage is free, its input has arrived (forward: from the position before, backward: from
    /// the position after), and for a backward pass its own forward pass is over. Positions beyond those of `pace` take
    /// no time.
    pub fn new(pipeline: Pipeline, pace: Pace) -> Self {
        let tasks: Vec<Vec<StageTask>> = (0..pipeline.stages).map(|stage| pipeline.tasks(stage)).collect();
        let mut stages: Vec<Vec<Span>> = tasks.iter().map(|tasks| Vec::with_capacity(tasks.len())).collect();
        let mut arrivals = Arrivals::of(pipeline);
        // Each sweep lets every stage go as far as it can; the last one finds nothing left to do.
        loop {
            let mut idle = true;
            for (tasks, spans) in tasks.iter().zip(&mut stages) {
                while let Some(task) = tasks.get(spans.len()) {
                    let Some(ready) = arrivals.ready(*task) else { break };
                    let start = pace.free(spans).max(ready);
                    let end = start + pace.time(*task);
                    // A stage sends one result at a time.
                    let last = spans.last_mut().map_or(Seconds::ZERO, |last| {
                        last.free = last.sent.min(start);
                        last.sent
                    });
                    let sent = if arrivals.crosses(*task) { end.max(last) + pace.send } else { end };
                    arrivals.done(*task, end, sent);
                    spans.push(Span { task: *task, start, end, sent, free: sent });
                    idle = false;
                }
            }
            if idle {
                break;
            }
        }
        Self { pipeline, stages, skipped: 0, period: pace.slowest(&pipeline), pace }
    }

    /// Duration of the passes of a step.
    pub fn end(&self) -> Seconds {
        self.shown() + self.period * f64::from(self.skipped)
    }

    /// When the last of these tasks is done.
    pub fn shown(&self) -> Seconds {
        let last = |spans: &Vec<Span>| spans.last().map_or(Seconds::ZERO, |span| span.sent);
        self.stages.iter().map(last).fold(Seconds::ZERO, Seconds::max)
    }

    /// Idle time of a stage before, between and after its tasks.
    pub fn idle(&self, stage: usize) -> Seconds {
        let spans = self.stages.get(stage).map_or(&[][..], Vec::as_slice);
        let busy: Seconds = spans.iter().map(|span| span.free - span.start).sum();
        self.shown() - busy
    }
}

impl Pace {
    fn passes(&self, slot: Slot) -> Passes {
        self.positions.get(slot.position as usize).copied().unwrap_or_default()
    }

    /// Computation time of a task.
    pub fn time(&self, task: StageTask) -> Seconds {
        match task {
            StageTask::Forward(slot) => self.passes(slot).forward,
            StageTask::Backward(slot) => self.passes(slot).input + self.passes(slot).weight,
            StageTask::Input(slot) => self.passes(slot).input,
            StageTask::Weight(slot) => self.passes(slot).weight,
            StageTask::Both { forward, backward } => {
                let both = self.time(StageTask::Forward(forward)) + self.time(StageTask::Backward(backward));
                (both - self.hidden).max(Seconds::ZERO)
            }
        }
    }

    /// When a stage that has done these tasks is free: after the last send, or where sends overlap, after the last task and
    /// the send beside it.
    fn free(&self, done: &[Span]) -> Seconds {
        match done {
            [.., before, last] if self.overlaps_sends => last.end.max(before.sent),
            [last] if self.overlaps_sends => last.end,
            [.., last] => last.sent,
            [] => Seconds::ZERO,
        }
    }

    /// The part of a send that a pass of this duration does not hide.
    fn exposed(&self, beside: Seconds) -> Seconds {
        if self.overlaps_sends { (self.send - beside).max(Seconds::ZERO) } else { self.send }
    }

    /// Time that one more microbatch adds on the slowest stage.
    fn slowest(&self, pipeline: &Pipeline) -> Seconds {
        let positions = pipeline.positions();
        let work = |position: u32| {
            let passes = self.passes(Slot { position, microbatch: 0 });
            let forward = self.exposed(passes.forward) * f64::from(u8::from(position + 1 < positions));
            let backward = self.exposed(passes.input + passes.weight) * f64::from(u8::from(position > 0));
            (passes.total(), forward + backward)
        };
        let of_stage = |stage: u32| {
            if pipeline.schedule.copies() > 1 {
                let (near, far) = (work(stage).0, work(positions.saturating_sub(1 + stage)).0);
                return (near + far) / 2.0 - self.hidden;
            }
            let chunks = (0..pipeline.interleave).map(|chunk| work(chunk * pipeline.stages + stage));
            chunks.map(|(time, sends)| time + sends).sum()
        };
        (0..pipeline.stages).map(of_stage).fold(Seconds::ZERO, Seconds::max)
    }
}

/// Arrival times of results at the stages that need them.
struct Arrivals {
    pipeline: Pipeline,
    forward: Vec<Option<Seconds>>,
    backward: Vec<Option<Seconds>>,
}

impl Arrivals {
    fn of(pipeline: Pipeline) -> Self {
        let slots = pipeline.positions() as usize * pipeline.microbatches as usize;
        Self { pipeline, forward: vec![None; slots], backward: vec![None; slots] }
    }

    fn index(&self, slot: Slot) -> usize {
        slot.position as usize * self.pipeline.microbatches as usize + slot.microbatch as usize
    }

    /// A time, if it is known. Pipelines that violate a law depend on microbatches that do not exist.
    fn at(times: &[Option<Seconds>], index: usize) -> Option<Seconds> {
        times.get(index).copied().flatten()
    }

    /// When a task may begin, if all that it waits for is done.
    fn ready(&self, task: StageTask) -> Option<Seconds> {
        match task {
            StageTask::Forward(Slot { position: 0, .. }) => Some(Seconds::ZERO),
            StageTask::Forward(slot) => {
                Self::at(&self.forward, self.index(Slot { position: slot.position - 1, ..slot }))
            }
            StageTask::Backward(slot) | StageTask::Input(slot) => {
                let own = Self::at(&self.forward, self.index(slot))?;
                if slot.position + 1 == self.pipeline.positions() {
                    return Some(own);
                }
                let next = Slot { position: slot.position + 1, ..slot };
                let after = Self::at(&self.backward, self.index(next))?;
                Some(own.max(after))
            }
            StageTask::Weight(slot) => Self::at(&self.backward, self.index(slot)),
            StageTask::Both { forward, backward } => {
                let (one, other) =
                    (self.ready(StageTask::Forward(forward))?, self.ready(StageTask::Backward(backward))?);
                Some(one.max(other))
            }
        }
    }

    /// Returns true if a task's result is sent to another stage and no pass beside it hides the send.
    const fn crosses(&self, task: StageTask) -> bool {
        match task {
            StageTask::Forward(slot) => slot.position + 1 < self.pipeline.positions(),
            StageTask::Backward(slot) | StageTask::Input(slot) => slot.position > 0,
            StageTask::Weight(_) | StageTask::Both { .. } => false,
        }
    }

    fn done(&mut self, task: StageTask, end: Seconds, sent: Seconds) {
        match task {
            StageTask::Forward(slot) => {
                let index = self.index(slot);
                if let Some(time) = self.forward.get_mut(index) {
                    *time = Some(sent);
                }
            }
            StageTask::Backward(slot) | StageTask::Input(slot) => {
                let index = self.index(slot);
                if let Some(time) = self.backward.get_mut(index) {
                    *time = Some(sent);
                }
            }
            StageTask::Weight(_) => {}
            StageTask::Both { forward, backward } => {
                self.done(StageTask::Forward(forward), end, end);
                self.done(StageTask::Backward(backward), end, end);
            }
        }
    }
}
