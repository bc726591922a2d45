//! Megatron-LM's `--pipeline-model-parallel-layout`: the layers of each stage, for all first chunks in order, then for all second
//! ones. `E` is the embedding, `t` a layer, `L` the loss; `|` ends a stage, and `(…)*n` repeats.

use crate::scenario::Scenario;
use crate::training::TrainingJob;

/// The layout of a question whose chunks cannot all have the same number of layers; `None` where they can.
pub(super) fn of(question: &Scenario) -> Option<String> {
    question.with_training(layout).ok().flatten()
}

fn layout(job: &TrainingJob<'_>) -> Option<String> {
    let (stages, chunks) = (job.plan.pipeline, job.plan.interleave);
    let positions = stages.saturating_mul(chunks);
    if positions <= 1 || job.architecture.layers.is_multiple_of(positions) {
        return None;
    }
    let last = positions - 1;
    let held = |position: u32| {
        let (stage, chunk) = (position % stages, position / stages);
        let layers = job.stage_layers(stage);
        let more = layers % chunks;
        // The chunks of the embedding and of the loss have no more layers than others.
        let has_more = if stage < stages / 2 { chunk >= chunks - more } else { chunk < more };
        "t".repeat((layers / chunks + u32::from(has_more)) as usize)
    };
    let mut text = format!("E{}|", held(0));
    let mut position = 1;
    while position < last {
        let here = held(position);
        let alike = (position..last).take_while(|other| held(*other) == here).count() as u32;
        if alike > 1 {
            text.extend(["(", &here, "|)*", &alike.to_string()]);
        } else {
            text.extend([&here, "|"]);
        }
        position += alike;
    }
    text.push_str(&held(last));
    text.push('L');
    Some(text)
}

/// Stages times chunks of a layout; `None` if it is not one.
pub(super) fn positions(layout: &str) -> Option<u32> {
    let mut marks = layout.chars().filter(|mark| *mark != ',' && !mark.is_whitespace()).peekable();
    // Number of `|` so far, in the layout and in each open parenthesis.
    let mut ended = vec![0_u32];
    while let Some(mark) = marks.next() {
        let ends = match mark {
            'E' | 't' | 'm' | 'L' => 0,
            '|' => 1,
            '(' => {
                ended.push(0);
                continue;
            }
            ')' if ended.len() > 1 => ended.pop()?,
            _ => return None,
        };
        let mut times = 1_u32;
        if marks.next_if_eq(&'*').is_some() {
            times = marks.next()?.to_digit(10)?;
            while let Some(digit) = marks.peek().and_then(|mark| mark.to_digit(10)) {
                times = times.checked_mul(10)?.checked_add(digit)?;
                marks.next();
            }
        }
        let all = ended.last_mut()?;
        *all = all.checked_add(ends.checked_mul(times)?)?;
    }
    match ended[..] {
        [ended] => ended.checked_add(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::positions;

    #[test]
    fn stages_of_layouts_are_counted() {
        // Examples of Megatron-LM's documentation.
        assert_eq!(positions("Et*3|(tt|)*29,m|L"), Some(32));
        assert_eq!(positions("E||t|L"), Some(4));
        assert_eq!(positions("Ett|(tt|)*6L"), Some(8));
        for wrong in ["E|(t|L", "t|)*3", "x|t", "t*|", "(t|)*99999999999"] {
            assert_eq!(positions(wrong), None, "{wrong}");
        }
    }
}
