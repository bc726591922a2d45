//! Titles of questions, and the names of their models and machines.

use crate::catalog::architecture;
use crate::inference::InferenceLoad;
use crate::scenario::{Choice, Scenario, View};
use crate::sizing::SizingJob;
use crate::units::Amount;

/// A question's model and hardware: `Llama 3.1 70B on 512 × H100 SXM`. Sizing asks for the hardware.
pub fn title(question: &Scenario) -> String {
    match question.view {
        View::Sizing => sized(question),
        _ => format!("{} on {}", model(question), hardware(question)),
    }
}

/// Title of a question of sizing: `GPUs that serve Llama 3.1 70B`.
pub(super) fn sized(question: &Scenario) -> String {
    let job = match question.sizing.job {
        SizingJob::Train => "train",
        SizingJob::Serve => "serve",
    };
    format!("GPUs that {job} {}", model(question))
}

/// Name of the model, which may be unknown to the catalogue.
pub(super) fn model(question: &Scenario) -> &str {
    match &question.model {
        Choice::Named(id) => architecture(id).map_or(id.as_str(), |model| &model.name),
        Choice::Explicit(model) => &model.name,
    }
}

/// The GPUs that do the work. A deployment has its own number, whatever the size of the training job.
pub(super) fn hardware(question: &Scenario) -> String {
    if question.view == View::Inference {
        return machines(question, &question.inference);
    }
    let device =
        question.system.accelerator().map_or_else(|_| "an unknown device".to_owned(), |device| device.name);
    format!("{} × {device}", Amount::count(question.system.gpus))
}

/// `4 × H100 SXM`, or with prefill workers on another device `8 × L40S and 4 × H100 SXM`.
pub(super) fn machines(question: &Scenario, load: &InferenceLoad) -> String {
    let device = question.system.accelerator().map_or_else(|_| "GPU".to_owned(), |device| device.name);
    if let Some(prefill) = question.prefill_device(load) {
        let (reading, all) = (load.prefill_gpus(), load.gpus());
        let [reading, decoding] = [reading, all.saturating_sub(reading)].map(Amount::count);
        return format!("{reading} × {} and {decoding} × {device}", prefill.name);
    }
    let second = question.system.second_device().ok().flatten().filter(|_| load.gpus() == 1);
    let second = second.map_or_else(String::new, |second| format!(" and 1 × {}", second.name));
    format!("{} × {device}{second}", Amount::count(load.gpus()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;
    use crate::view::page_title;

    #[test]
    fn titles_count_every_gpu_of_a_deployment() {
        let of = |rest: &str| page_title(&link::decode(&format!("v=1&{rest}")).scenario);
        let served = "view=inference&model=deepseek-v3&gpu=mi355x&serve.precision=fp4";
        assert_eq!(
            of(&format!("{served}&serve.tp=1&serve.dp=8")),
            "Serving DeepSeek-V3 and R1 on 8 × MI355X"
        );
        assert_eq!(
            of("view=inference&serve.tp=2&serve.workers=3&serve.pp=2"),
            "Serving Llama-3.1-70B on 12 × H100 SXM 80 GB"
        );
        assert_eq!(of("gpus=1024"), "Training Llama-3.1-70B on 1,024 × H100 SXM 80 GB");
        assert_eq!(of("view=sizing"), "GPUs that serve Llama-3.1-70B");
        let sized = link::decode("v=1&view=sizing&size.job=train&size.days=30").scenario;
        assert_eq!([title(&sized), page_title(&sized)], ["GPUs that train Llama-3.1-70B"; 2]);
        let compared = link::decode("v=1&view=inference&serve.tp=4&serve.pp=2").scenario;
        assert_eq!(title(&compared), "Llama-3.1-70B on 8 × H100 SXM 80 GB");
    }
}
