//! The marks of a task: the stretches of a stage's time that are drawn.

use crate::figure::backend::Ink;
use crate::plan::{Slot, StageTask};
use crate::training::timeline::{Span, Timeline};

/// Kind of a mark. Its position within the stage's row distinguishes kinds without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Forward,
    Again,
    Backward,
    Weight,
    Send,
}

impl Kind {
    /// All kinds, in the order of the legend.
    pub(super) const ALL: [Self; 5] = [Self::Forward, Self::Backward, Self::Again, Self::Weight, Self::Send];

    /// Text of the legend.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Forward => "Forward (upper half)",
            Self::Again => "Recomputation (third quarter)",
            Self::Backward => "Backward (lower half)",
            Self::Weight => "Gradients of weights (last quarter)",
            Self::Send => "Sending (line)",
        }
    }

    /// Colour.
    pub(super) const fn ink(self) -> Ink {
        match self {
            Self::Forward => Ink::Series(1),
            Self::Again => Ink::Series(4),
            Self::Backward => Ink::Series(2),
            Self::Weight => Ink::Series(3),
            Self::Send => Ink::Text,
        }
    }

    /// Upper edge and height as shares of the row's.
    pub(super) const fn band(self) -> (f64, f64) {
        match self {
            Self::Forward => (0.0, 0.5),
            Self::Again => (0.5, 0.25),
            Self::Backward => (0.5, 0.5),
            Self::Weight => (0.75, 0.25),
            Self::Send => (0.45, 0.1),
        }
    }
}

/// A stretch of a stage's time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// What the stage does.
    pub(super) kind: Kind,
    /// When it begins, s.
    pub(super) from: f64,
    /// When it ends, s.
    pub(super) to: f64,
    /// Index of the microbatch, which numbers the mark; absent for recomputation and messages.
    pub(super) microbatch: Option<u32>,
}

/// Visits the marks of a task.
pub(super) fn marks(timeline: &Timeline, span: &Span, mut visit: impl FnMut(Mark)) {
    let (start, end) = (span.start.get(), span.end.get());
    let mut mark = |kind, from, to, slot: Option<Slot>| {
        // Messages that would be thinner than a line are not drawn.
        let least = if kind == Kind::Send { timeline.period.get() / 100.0 } else { 0.0 };
        if to - from > least {
            visit(Mark { kind, from, to, microbatch: slot.map(|slot| slot.microbatch) });
        }
    };
    if let StageTask::Forward(slot) | StageTask::Both { forward: slot, .. } = span.task {
        mark(Kind::Forward, start, end, Some(slot));
    }
    if let StageTask::Backward(slot) | StageTask::Input(slot) | StageTask::Both { backward: slot, .. } =
        span.task
    {
        let again = timeline.pace.time(StageTask::Input(slot)).get() * timeline.pace.again;
        let middle = (start + again).min(end);
        mark(Kind::Again, start, middle, None);
        mark(Kind::Backward, middle, end, Some(slot));
    }
    if let StageTask::Weight(slot) = span.task {
        mark(Kind::Weight, start, end, Some(slot));
    }
    // Behind a send that is still under way, the result waits.
    let sent = span.sent.get();
    mark(Kind::Send, end.max(sent - timeline.pace.send.get()), sent, None);
}
