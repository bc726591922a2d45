//! Which dialog is open, with what it shows.

use leptos::prelude::*;

use crate::measured::Point;
use crate::scenario::Problem;
use crate::scenario::own::Kind;

/// A dialog.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dialog {
    /// Measured rows, and the profile fitted to them.
    Calibrate,
    /// Questions side by side.
    Compare,
    /// Controls to open and save files, with the problems of a file that was dropped on the page.
    Files(Vec<Problem>),
    /// The result of opening a benchmark, a log, a launch command or a trace.
    Read(Vec<Point>),
    /// The progress of reading a profiler's trace.
    Reading(Progress),
    /// Keyboard shortcuts.
    Keys,
    /// A model or a GPU of the visitor's own.
    Own(Kind),
    /// The question and its answer as a printable page.
    Report,
    /// Links, embedding code and a citation of the question.
    Share,
    /// The guided tour.
    Tour,
}

impl Dialog {
    /// Machine name, the `data-tool` attribute of the buttons that open the dialog.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Calibrate => "calibrate",
            Self::Compare => "compare",
            Self::Files(_) => "files",
            Self::Read(_) => "read",
            Self::Reading(_) => "reading",
            Self::Keys => "keys",
            Self::Own(Kind::Gpu) => "own-gpu",
            Self::Own(Kind::Model) => "own-model",
            Self::Report => "report",
            Self::Share => "share",
            Self::Tour => "tour",
        }
    }
}

/// Progress of reading a trace. Closing the dialog cancels it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// Bytes read.
    pub(crate) done: ArcRwSignal<f64>,
    /// Size of the file, bytes.
    pub(crate) of: f64,
}
