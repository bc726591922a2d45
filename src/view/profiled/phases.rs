//! The phases of a training step, as its software times them, beside the predicted ones.

use crate::figure::{Cell, Column, Table};
use crate::scenario::Scenario;
use crate::units::{Seconds, format};
use crate::view::{Part, TablePart};

/// Id of the table.
const ID: &str = "measured-phases";

/// The table of phases; `None` without measured phases, or if the model predicts none: with pipeline parallelism the passes of
/// several stages overlap.
pub(super) fn part(question: &Scenario) -> Option<Part> {
    let own = question.measured.phases;
    if own.is_empty() {
        return None;
    }
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over its job's lifetime"
    )]
    let predicted = question.with_training(|job| job.phases()).ok()??;
    // Software that does not time the reduction has it in the time of the backward passes.
    let alone = own.reduction.is_some();
    let backward = if alone { predicted.backward } else { predicted.backward + predicted.reduction };
    let mut rows = vec![
        ("Forward", own.forward, predicted.forward),
        (if alone { "Backward" } else { "Backward and gradient reduction" }, own.backward, backward),
    ];
    rows.extend(alone.then_some(("Exposed gradient reduction", own.reduction, predicted.reduction)));
    rows.push(("Optimizer step", own.optimizer, predicted.optimizer));
    let sum = rows.iter().filter_map(|(_, measured, _)| *measured).fold(0.0, |sum, time| sum + time);
    rows.push(("Total", Some(sum), rows.iter().map(|(.., predicted)| *predicted).sum()));
    let mut table = Table::under([
        Column::new("Phase"),
        Column::of("Measured", "s"),
        Column::of("Predicted", "s"),
        Column::of("Ratio", "times"),
    ]);
    let time = |time: Seconds| Cell::number(time.get(), format::time(time));
    for (name, measured, predicted) in rows {
        let ratio = measured.map(|measured| measured / predicted.get()).filter(|ratio| ratio.is_finite());
        table.push([
            Cell::text(name),
            measured.map_or_else(Cell::none, |measured| time(Seconds::new(measured))),
            time(predicted),
            ratio.map_or_else(Cell::none, |ratio| Cell::number(ratio, format::times(ratio))),
        ]);
    }
    let finding = "Medians of the timed phases of a step. Timers synchronise the device, so the sum may be longer than a step \
                   without them; time between steps is in no phase. Exposed gathers of weights are in the forward pass with \
                   ZeRO-3, in the optimizer step with ZeRO-1 and ZeRO-2.";
    Some(TablePart::new(ID, "Phases of the step", finding, table).into())
}
