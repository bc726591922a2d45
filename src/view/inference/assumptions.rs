//! Assumptions about prefill and decode that only some questions make.

use std::borrow::Cow;

use crate::inference::COPIED;
use crate::scenario::{NONE, Scenario, Speculation};
use crate::system::calibration::carry_over_error;
use crate::system::{AllReduce, AssumptionSet, HOST_MEMORY_SHARE, Precision};
use crate::units::{Bytes, format};

/// Returns true where the experts' constants were fitted to requests served on MI300X instead of kernels.
fn has_served_experts(question: &Scenario) -> bool {
    let Ok(device) = question.system.accelerator() else { return false };
    let served = || {
        let carried = carry_over_error(&device);
        carried.iter().any(|carried| (carried.group, carried.from) == ("experts.fp8block", "mi300x"))
    };
    question.assumptions == AssumptionSet::Calibrated
        && question.inference.precision == Precision::Fp8Block
        && question.architecture().is_ok_and(|model| model.moe.is_some())
        && served()
}

/// Assumptions about both phases that only some questions make.
pub(super) fn assumed(question: &Scenario) -> Vec<Cow<'static, str>> {
    let load = &question.inference;
    let mut lines = Vec::new();
    if load.kv_precision.element() < Bytes::new(1.0) && question.assumptions == AssumptionSet::Calibrated {
        lines.push(
            "Attention over a KV cache narrower than 8 bits reads fewer bytes, with the constants of an 8-bit cache: \
             no time of such a kernel was published"
                .into(),
        );
    }
    if has_served_experts(question) {
        lines.push(
            "The time of experts in FP8 blocks is fitted to requests that SGLang 0.5.7 served on MI300X, since no kernels were measured; \
             with few requests it exceeds that of 16-bit experts, whose constants are those of an H100"
                .into(),
        );
    }
    if load.expert_gpus > 0 {
        lines.push(
            "Three microbatches alternate between the GPUs of attention and of experts, which are spread evenly over domains; no run \
             of such a deployment was published with its settings, so that nothing of it is measured"
                .into(),
        );
    }
    if !matches!(load.all_reduce, AllReduce::Automatic | AllReduce::Library) {
        lines.push("Every all-reduce uses the chosen algorithm, also where another is faster".into());
    }
    if load.gpu_layers.is_some() || load.cpu_experts > 0 {
        lines.push(Cow::Owned(format!(
            "Layers on the CPU read their weights at {} of host memory's nominal bandwidth, as measured on one machine; steps of \
             at least {COPIED} tokens copy the weights to the GPU instead, without overlap with kernels; the CPU does not wait \
             between layers",
            format::percent(HOST_MEMORY_SHARE)
        )));
    }
    if question.system.second != NONE {
        lines.push(
            "The two GPUs work one after the other, also on prompts, where llama.cpp can overlap slices of 512 tokens; the \
             transfer of activations between them is left out. Prices and power are those of the first GPU alone"
                .into(),
        );
    }
    if question.prefill_device(load).is_some() {
        lines.push(
            "The roofline, and curves over bandwidths and capacity, are of the decode workers' device. Both kinds of workers keep \
             keys and values in one layout, so that the KV transfer takes what the slower side's scale-out links need"
                .into(),
        );
    }
    if load.draft > 0 && question.speculation.model != NONE {
        let draft = if question.speculation.model == Speculation::MODULES {
            "The model's prediction modules (MTP) prefill every prompt and propose tokens one by one; their operators are not in the \
             tables"
        } else {
            "The draft model prefills every prompt and proposes tokens one by one; its operators are not in the tables"
        };
        lines.push(draft.into());
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::scenario::link;
    use crate::view::Question;
    use crate::view::inference::first;

    #[test]
    fn assumptions_of_unmeasured_choices_are_stated() {
        let said = |rest: &str| {
            let question = link::decode(&format!("v=1&view=inference&{rest}")).scenario;
            first(&Question::new(question.clone(), crate::figure::Size::Wide)).map_or_else(
                |problems| problems[0].to_string(),
                |answer| {
                    answer.figures().nth(2).map(|figure| figure.assumptions.join("\n")).unwrap_or_default()
                },
            )
        };
        assert!(said("serve.kv=fp4").contains("narrower than 8 bits"));
        assert!(!said("serve.kv=fp8").contains("narrower than 8 bits"));
        assert!(!said("serve.kv=fp4&assumptions=ideal").contains("narrower than 8 bits"));
        assert!(said("serve.all_reduce=tree").contains("Every all-reduce"));
        let predicted =
            said("model=deepseek-v3&gpu=b200&serve.precision=fp8&serve.draft=1&serve.draft_model=mtp");
        assert!(predicted.contains("prediction modules (MTP) prefill"), "{predicted}");
        let drafted = said("serve.draft=2&serve.draft_model=llama-3.2-1b");
        assert!(
            drafted.contains("The draft model prefills") && drafted.contains("mean context length"),
            "{drafted}"
        );
    }
}
