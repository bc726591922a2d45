//! A pipeline's step: the tasks of each stage over time, and its waits.

mod drawing;
mod layout;
mod mark;
mod table;

use self::layout::Layout;
use self::table::table;
use crate::figure::Figure;
use crate::figure::frame::{Size, blank, positive};
use crate::training::timeline::Timeline;
use crate::units::format;

/// Figure of the tasks of pipeline stages over a step, from the first forward to the last backward pass.
///
/// Steps of very many passes are shown from their beginning and to their end, with a break between.
pub fn timeline(timeline: &Timeline, size: Size) -> Figure {
    let finding = finding(timeline);
    let drawing = if positive(timeline.end().get()) {
        Layout::new(timeline, size).drawing(&finding)
    } else {
        blank(size, &finding)
    };
    Figure {
        id: "timeline".into(),
        title: "Pipeline over a step".to_owned(),
        finding,
        table: table(timeline),
        assumptions: assumptions(timeline),
        ..drawing.into()
    }
}

/// Idle time of each stage, as a fraction of the time shown.
fn waits(timeline: &Timeline) -> Vec<f64> {
    let shown = timeline.shown();
    (0..timeline.stages.len()).map(|stage| timeline.idle(stage) / shown).collect()
}

fn finding(timeline: &Timeline) -> String {
    let end = timeline.end();
    if !positive(end.get()) {
        return "The timeline has no tasks.".to_owned();
    }
    let stages = timeline.stages.len();
    // Microbatches that are not shown have no bubbles of their own.
    let scale = timeline.shown() / end;
    let waits: Vec<f64> = waits(timeline).into_iter().map(|wait| wait * scale).collect();
    let mean = waits.iter().sum::<f64>() / stages.max(1) as f64;
    let busiest = waits.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    let (busiest, least) = busiest.map_or((0, 0.0), |(stage, wait)| (stage, *wait));
    let microbatches = timeline.pipeline.microbatches.saturating_add(timeline.skipped);
    let whole = format!(
        "{} works through {microbatches} microbatch{} in {}",
        if stages == 1 { "One stage".to_owned() } else { format!("{} over {stages} stages", name(timeline)) },
        if microbatches == 1 { "" } else { "es" },
        format::time(end),
    );
    if stages == 1 {
        return format!("{whole}, without bubbles.");
    }
    format!(
        "{whole}; stages wait for {} of that on average, and stage {} waits least, {}.",
        format::percent(mean),
        busiest + 1,
        format::percent(least),
    )
}

fn name(timeline: &Timeline) -> String {
    let pipeline = &timeline.pipeline;
    match pipeline.interleave {
        1 => pipeline.schedule.name().to_owned(),
        chunks => format!("{} with {chunks} chunks per stage", pipeline.schedule.name()),
    }
}

fn assumptions(timeline: &Timeline) -> Vec<String> {
    let mut said = vec![
        "Every microbatch takes as long as any other; a stage does one thing at a time".to_owned(),
        if timeline.pace.overlaps_sends {
            "A stage sends its result to the next one while it works on another chunk; short sends are not drawn"
        } else {
            "A message between stages occupies the stage that sends it; short ones are not drawn"
        }
        .to_owned(),
        "The reduction of gradients, the optimizer and the software's work between steps follow the drawn part"
            .to_owned(),
    ];
    if timeline.pace.again > 0.0 {
        said.push(
            "Recomputation is drawn before the backward pass; in fact both alternate layer by layer"
                .to_owned(),
        );
    }
    if timeline.pipeline.schedule.copies() > 1 {
        said.push("Passes that run at the same time hide each other's messages".to_owned());
    }
    said
}
