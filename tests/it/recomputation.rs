//! What each kind of recomputation keeps and repeats, and jobs whose memory depends on the software.

use foretoken::scenario::{Scenario, link};
use foretoken::training::TrainingEstimate;
use foretoken::units::Amount;
use foretoken::view::{Notice, Part};

use crate::service::{answered, replies};

const ONE_GPU: &str = "v=1&model=llama-3.1-8b&gpus=1&tp=1&pp=1&sp=false&mb=1&batch=1&seq=8192";

/// The plan of the DeepSeek-V3 report (arXiv 2412.19437, section 3.2), which discards outputs and sums gradients in 16 bits here.
const DEEPSEEK: &str = "v=1&model=deepseek-v3&gpu=h800-sxm&gpus=2048&tp=1&pp=16&ep=64&mb=1&batch=15360&seq=4096&schedule=dualpipe\
                        &ep_kind=deep_ep&precision=fp8block&tokens=14.8e12&optimizer=adam16&gradients=bf16";

fn question(text: &str) -> Scenario {
    let decoded = link::decode(text);
    assert_eq!(decoded.problems, [], "{text}");
    decoded.scenario
}

fn trained(text: &str) -> TrainingEstimate {
    question(text).trained().expect("a job that obeys the laws")
}

/// Per token and layer of Llama 3.1 8B the norms' outputs of both blocks and the activation function's output:
/// 2 (2 h + f) bytes.
#[test]
fn discarded_outputs_are_not_kept_and_run_again() {
    let [kept, discarded, full] = ["none", "outputs", "full"]
        .map(|kind| trained(&format!("{ONE_GPU}&recompute={kind}&framework=none")));
    let saved = (kept.memory.activations - discarded.memory.activations).get();
    let expected = 8192.0 * 32.0 * 2.0 * (2.0 * 4096.0 + 14336.0);
    assert!((saved / expected - 1.0).abs() < 1e-9, "{saved} of {expected}");
    assert!(kept.step < discarded.step && discarded.step < full.step);
    assert_eq!(discarded.hardware_flops, kept.hardware_flops);
    let again = discarded.operators.iter().filter(|row| row.phase == "recompute");
    let again: Vec<_> = again.map(|row| row.name).collect();
    assert_eq!(again, ["Attention norm", "MLP norm", "MLP activation"]);
}

/// The up-projections of latents run again too, so that queries, keys and values need not be kept.
#[test]
fn discarded_heads_are_expanded_from_their_latents() {
    let [kept, discarded] = ["none", "outputs"].map(|kind| trained(&format!("{DEEPSEEK}&recompute={kind}")));
    assert!(discarded.memory.activations < kept.memory.activations * 0.65);
    assert!(discarded.hardware_flops > kept.hardware_flops);
    let again = |name| discarded.operators.iter().any(|row| row.phase == "recompute" && row.name == name);
    assert!(again("Query up-projection") && again("KV up-projection") && !again("KV down-projection"));
}

/// Transformer Engine keeps the inputs of 8-bit multiplies in 8 bits, and PyTorch in 16.
#[test]
fn narrow_inputs_take_less_memory_where_the_software_keeps_them() {
    let activations = |framework, precision| {
        trained(&format!("{ONE_GPU}&recompute=none&precision={precision}&framework={framework}"))
            .memory
            .activations
    };
    assert!(activations("megatron", "fp8") < activations("megatron", "bf16"));
    assert_eq!(activations("transformers", "fp8"), activations("transformers", "bf16"));
}

fn notice(text: &str) -> Option<Notice> {
    let said = replies(text);
    answered(&said).parts.iter().find_map(|part| match part {
        Part::Notice(notice) if notice.id == "tight-memory" => Some(notice.clone()),
        _ => None,
    })
}

/// A job without a named software is refused only if its tensors alone do not fit.
#[test]
fn a_job_that_may_fit_has_an_answer_that_says_so() {
    let tight = "v=1&model=llama-3.1-70b&gpus=32&tp=4&pp=4&batch=128&seq=4096";
    let estimate = question(tight).training().expect("an answer");
    assert!(!estimate.memory.fits() && estimate.may_fit());
    let said = notice(tight).expect("a notice");
    assert!(said.text.starts_with("It may not fit: "), "{}", said.text);
    for link in &said.links {
        let there = question(&link.link).training().expect("software for which it fits");
        assert!(there.memory.fits() && there.bare_memory.is_none(), "{}", link.text);
    }
    assert!(question(&format!("{tight}&framework=nanotron")).training().is_err());
    assert!(question(&tight.replace("gpus=32", "gpus=16")).training().is_err());
    assert_eq!(notice("v=1&model=llama-3.1-8b"), None);
}

/// A job is accepted or refused by its tensors, which the answer names beside what runs typically need.
#[test]
fn the_memory_that_decides_is_said() {
    let answer = |text: &str| answered(&replies(text)).clone();
    let tight = "v=1&model=llama-3.1-70b&gpus=32&tp=4&pp=4&batch=128&seq=4096";
    let estimate = question(tight).training().expect("an answer");
    let said = answer(tight);
    let [typical, bare, capacity] =
        [estimate.memory.total(), estimate.bare_memory.expect("no software"), estimate.memory.capacity]
            .map(|bytes| Amount::memory(bytes).to_string());
    let peak = format!("; may run out of memory: runs typically peak at {typical} of {capacity} per GPU");
    assert!(said.lead.ends_with(&peak), "{}", said.lead);
    let note = &said.card("memory").expect("a card").note;
    assert!(note.contains(&format!("; {bare} of tensors: ")), "{note}");
    let named = "v=1&model=llama-3.1-8b";
    assert!(!answer(named).lead.contains("memory"), "{}", answer(named).lead);

    let refused = tight.replace("gpus=32", "gpus=16");
    let estimate = question(&refused).trained().expect("an estimate");
    let bare = estimate.bare_memory.expect("no software");
    assert!(bare > estimate.memory.capacity);
    let alone = format!(", of which its tensors alone take {}", Amount::memory(bare));
    let lead = answer(&refused).lead;
    assert!(lead.ends_with(&alone), "{lead}");
}

/// The published plan ran on GPUs of 80 GB, for 54 days.
#[test]
fn the_published_plan_of_deepseek_v3_may_fit() {
    let estimate = question(&format!("{DEEPSEEK}&recompute=outputs")).training().expect("an answer");
    let days = estimate.run.get() / 86400.0;
    assert!((40.0..68.0).contains(&days), "{days}");
}
