//! Questions that the bars of the sensitivity chart open.

use crate::scenario::{Scenario, SystemChoice, link};
use crate::training::{Parameter, Sensitivity};
use crate::units::{Seconds, rounded};

/// Largest relative difference between the step of a bar and that of the question that it opens.
const SAME: f64 = 1e-6;

/// The questions with less and with more of a sensitivity's parameter, as links without `#`; empty where no question has that
/// step. The rates of matrix and vector units and of L2 have no fields: only a device that is spelled out in the link would have
/// others. In some assumption sets, and for bridged GPUs, a field's bandwidth changes more than the bar does.
pub(super) fn ends(question: &Scenario, sensitivity: &Sensitivity, change: f64) -> [String; 2] {
    let Sensitivity { parameter, less, more } = sensitivity;
    [(1.0 - change, *less), (1.0 + change, *more)].map(|(factor, step)| {
        let there = scaled(question, *parameter, factor);
        there.filter(|there| has(there, step)).map_or_else(String::new, |there| link::encode(&there))
    })
}

/// Returns true if a question has a step of this length.
fn has(question: &Scenario, step: Seconds) -> bool {
    question.training().is_ok_and(|estimate| (estimate.step / step - 1.0).abs() <= SAME)
}

/// The question with a parameter times a factor; `None` if no field has the parameter.
fn scaled(question: &Scenario, parameter: Parameter, factor: f64) -> Option<Scenario> {
    let own = question.system.accelerator().ok()?;
    let system = question.system.clone();
    let gb_s = |gb_s: f64| Some(rounded(gb_s * factor));
    let system = match parameter {
        Parameter::Dram => SystemChoice { dram_gb_s: gb_s(own.dram.bandwidth_gb_s), ..system },
        Parameter::ScaleUp => SystemChoice { scale_up_gb_s: gb_s(own.scale_up.gb_s), ..system },
        Parameter::ScaleOut => SystemChoice { scale_out_gb_s: gb_s(own.scale_out.gb_s), ..system },
        Parameter::Matrix | Parameter::Vector | Parameter::L2 => return None,
    };
    Some(Scenario { system, ..question.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{self, Size};
    use crate::training::sensitivities;

    /// Less and more DRAM, scale-up and scale-out bandwidth open questions with the steps of the bars.
    #[test]
    fn ends_of_bars_open_their_questions() {
        let question = link::decode("v=1").scenario;
        let step = question.training().expect("an answer").step;
        let varied = question.with_training(|job| sensitivities(job, 0.1)).expect("an answer");
        let opened = |sensitivity: &Sensitivity| ends(&question, sensitivity, 0.1);
        let varied = (step, varied);
        let figure = figure::tornado(&varied, &[], 0.1, &opened, Size::Wide);
        for one in &varied.1 {
            let fielded = matches!(one.parameter, Parameter::Dram | Parameter::ScaleUp | Parameter::ScaleOut);
            for (there, expected) in opened(one).iter().zip([one.less, one.more]) {
                assert_eq!(fielded, !there.is_empty(), "{:?}", one.parameter);
                if fielded {
                    let estimate = link::decode(there).scenario.training().expect("an answer");
                    let ratio = estimate.step / expected;
                    assert!((ratio - 1.0).abs() < 1e-6, "{:?}: {ratio}", one.parameter);
                    let drawn = expected == step || figure.reads.iter().any(|read| read.link == *there);
                    assert!(drawn, "{:?}", one.parameter);
                }
            }
        }
    }
}
