//! Splits a GPU's time among activities, by a sweep over the starts and ends of kernels, copies and windows.

use crate::estimate::{Activity, Busy, Course};

/// A kernel, memory copy or memory set on a GPU; times in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) activity: Activity,
}

/// A time interval, such as a training step; start and end in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Time of a set of windows by activity, ns. The times add up to the windows exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) times: [i64; Activity::COUNT],
    /// Number of kernels and copies that begin in a window, by activity.
    pub(super) counts: [u32; Activity::COUNT],
    /// Hidden communication: time in which communication overlaps a compute kernel, ns.
    pub(super) hidden: i64,
}

/// An event of the sweep. The order of variants breaks ties at equal times: windows change before spans, and ends
/// precede starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    Closes,
    Opens,
    Ends(Activity),
    Starts(Activity),
}

/// Splits the time of non-overlapping windows among the activities of spans, which may overlap. Time during which
/// several spans run is assigned to the first of their activities in the order of [`Activity`].
pub(super) fn split(spans: &[Span], windows: &[Window]) -> Split {
    let mut split = Split::default();
    sweep(spans, windows, &mut |event| match event {
        Found::Spent { time: Window { start, end }, activity, hides } => {
            split.times[activity as usize] += end - start;
            split.hidden += if hides { end - start } else { 0 };
        }
        Found::Begins(activity) => split.counts[activity as usize] += 1,
    });
    split
}

/// Shares of a step's slots by group of kernels.
pub(super) fn course(spans: &[Span], step: Window) -> Course {
    let mut course = Course::default();
    let length = (step.end - step.start).max(1) as f64;
    let at = |moment: i64| (moment - step.start) as f64 / length;
    sweep(spans, &[step], &mut |event| {
        if let Found::Spent { time, activity, .. } = event
            && let Some(busy) = Busy::of(activity)
        {
            course.fill(busy, at(time.start), at(time.end), 1.0);
        }
    });
    course
}

/// Event of a sweep, inside of its windows.
enum Found {
    /// Time assigned to an activity; `hides` is true if communication runs at the same time.
    Spent { time: Window, activity: Activity, hides: bool },
    /// A span of this activity begins.
    Begins(Activity),
}

/// Visits the windows' time in order, divided where a span begins or ends.
fn sweep(spans: &[Span], windows: &[Window], visit: &mut dyn FnMut(Found)) {
    let first = windows.iter().map(|window| window.start).min().unwrap_or(0);
    let last = windows.iter().map(|window| window.end).max().unwrap_or(0);
    let mut edges: Vec<(i64, Edge)> = Vec::new();
    for span in spans.iter().filter(|span| span.end > span.start && span.end >= first && span.start <= last) {
        edges.push((span.start, Edge::Starts(span.activity)));
        edges.push((span.end, Edge::Ends(span.activity)));
    }
    for window in windows.iter().filter(|window| window.end > window.start) {
        edges.push((window.start, Edge::Opens));
        edges.push((window.end, Edge::Closes));
    }
    // Directly: a profile has up to millions of edges.
    edges.sort_unstable();
    let mut running = [0_u32; Activity::COUNT];
    let (mut open, mut from) = (false, 0);
    for (at, edge) in edges {
        if open && at > from {
            let busy = |activity: &Activity| running[*activity as usize] > 0;
            let activity = Activity::ALL.into_iter().find(busy).unwrap_or(Activity::Idle);
            let mut communicates = Activity::ALL.into_iter().filter(|activity| activity.communicates());
            let hides = activity.computes() && communicates.any(|activity| busy(&activity));
            visit(Found::Spent { time: Window { start: from, end: at }, activity, hides });
        }
        from = at;
        match edge {
            Edge::Closes => open = false,
            Edge::Opens => open = true,
            Edge::Ends(activity) => running[activity as usize] -= 1,
            Edge::Starts(activity) => {
                running[activity as usize] += 1;
                if open {
                    visit(Found::Begins(activity));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn communication_counts_where_nothing_computes() {
        let span = |start, end, activity| Span { start, end, activity };
        let spans = [
            span(0, 50, Activity::Matmul),
            span(40, 90, Activity::DataParallel),
            span(60, 70, Activity::Elementwise),
            span(85, 95, Activity::Copies),
        ];
        let split = split(&spans, &[Window { start: 10, end: 100 }]);
        let time = |activity: Activity| split.times[activity as usize];
        assert_eq!((time(Activity::Matmul), time(Activity::Elementwise)), (40, 10));
        assert_eq!((time(Activity::DataParallel), split.hidden), (30, 20));
        assert_eq!((time(Activity::Copies), time(Activity::Idle)), (5, 5));
        assert_eq!(split.counts.iter().sum::<u32>(), 3);
    }

    proptest! {
        /// For any overlap of spans, activities add up to the windows, and hidden communication is at most the total
        /// communication.
        #[test]
        fn activities_add_up_to_the_windows(
            spans in prop::collection::vec((-1000_i64..1000, 0_i64..300, 0_usize..Activity::COUNT - 1), 0..40),
            bounds in prop::collection::btree_set(-1200_i64..1200, 0..9),
        ) {
            let spans: Vec<Span> = spans
                .into_iter()
                .map(|(start, time, activity)| Span { start, end: start + time, activity: Activity::ALL[activity] })
                .collect();
            let bounds: Vec<i64> = bounds.into_iter().collect();
            let windows: Vec<Window> =
                bounds.windows(2).step_by(2).map(|pair| Window { start: pair[0], end: pair[1] }).collect();
            let split = split(&spans, &windows);
            let whole: i64 = windows.iter().map(|window| window.end - window.start).sum();
            prop_assert_eq!(split.times.iter().sum::<i64>(), whole);
            prop_assert!(split.times.iter().all(|time| *time >= 0));
            let communicating = spans.iter().filter(|span| span.activity.communicates());
            prop_assert!(split.hidden <= communicating.map(|span| span.end - span.start).sum::<i64>());
            // Reference: classify every ns on its own.
            let mut slow = [0_i64; Activity::COUNT];
            for window in &windows {
                for at in window.start..window.end {
                    let running = |activity: &Activity| {
                        spans.iter().any(|span| span.activity == *activity && (span.start..span.end).contains(&at))
                    };
                    let first = Activity::ALL.into_iter().find(running).unwrap_or(Activity::Idle);
                    slow[first as usize] += 1;
                }
            }
            prop_assert_eq!(split.times, slow);
        }
    }
}
