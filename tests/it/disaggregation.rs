//! Prefill workers on a device of their own: times, transfer, memory, costs, links.

use foretoken::catalog;
use foretoken::scenario::{Scenario, link};
use foretoken::serving::InferenceEstimate;

/// Kinds of loads with prefill workers: one batch, a closed loop, an open loop and a run.
const LOADS: [&str; 4] =
    ["&serve.batch=8", "&serve.concurrency=32", "&serve.rate=1.5", "&serve.rate=1.5&serve.requests=300"];

/// Llama-3.1 8B on one H100 that decodes, and two workers that prefill.
fn asked(rest: &str) -> Scenario {
    let decoded = link::decode(&format!(
        "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.in=3000&serve.out=200&serve.tp=1&serve.engine=vllm\
         &serve.prefill.workers=2&serve.prefill.tp=1{rest}"
    ));
    // The last of two values of a field counts.
    assert_eq!(decoded.problems, [], "{rest}");
    decoded.scenario
}

fn served(rest: &str) -> InferenceEstimate {
    asked(rest).inference().expect(rest)
}

fn transfer(estimate: &InferenceEstimate) -> f64 {
    let found = estimate.terms_prefill.iter().find(|term| term.id == "transfer");
    found.map(|term| term.time.get()).expect("a transfer")
}

#[test]
fn the_question_s_own_device_by_name_changes_nothing() {
    for load in LOADS {
        assert_eq!(served(load), served(&format!("{load}&serve.prefill.gpu=h100-sxm")), "{load}");
    }
}

#[test]
fn the_device_is_without_effect_where_no_worker_only_prefills() {
    for load in LOADS {
        let alone = format!("{load}&serve.prefill.workers=0");
        assert_eq!(served(&alone), served(&format!("{alone}&serve.prefill.gpu=l40s")), "{load}");
    }
}

/// Where prefill workers are always busy, more requests in flight wait longer, and no fewer end: but for a few per cent, by which
/// two prompts in a step take longer than twice one.
#[test]
fn more_requests_in_flight_end_no_less_often() {
    for (workers, input, output) in
        [(1, 4000, 200), (2, 4000, 100), (1, 8000, 100), (1, 2000, 20), (1, 500, 10)]
    {
        let rate = |running: u32| {
            let load = format!(
                "&serve.prefill.workers={workers}&serve.in={input}&serve.out={output}&serve.concurrency={running}"
            );
            served(&load).requests_per_second
        };
        let rates: Vec<f64> = [1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128].map(rate).to_vec();
        assert!(
            rates.windows(2).all(|pair| pair[1] > 0.97 * pair[0]),
            "{workers} {input} {output}: {rates:?}"
        );
    }
}

/// Decode workers take their times from their own device, prompts from theirs.
#[test]
fn each_phase_has_the_times_of_its_device() {
    let batch = "&serve.batch=8";
    let mixed = served(&format!("{batch}&serve.prefill.gpu=l40s"));
    assert_eq!(mixed.tpot, served(batch).tpot);
    let other = served(&format!("{batch}&gpu=l40s&serve.precision=fp8"));
    let mixed = served(&format!("{batch}&serve.prefill.gpu=l40s&serve.precision=fp8"));
    let compute = |estimate: &InferenceEstimate| {
        let of = estimate.terms_prefill.iter().filter(|term| term.id != "transfer");
        of.map(|term| term.time.get()).sum::<f64>()
    };
    assert!((compute(&mixed) / compute(&other) - 1.0).abs() < 1e-12, "{mixed:?}");
    for load in LOADS {
        let slower = served(&format!("{load}&serve.prefill.gpu=l40s"));
        assert!(slower.ttft > served(load).ttft, "{load}");
    }
}

/// Keys and values leave over the prefill workers' links and arrive over those of the decode workers: the slower side takes
/// its time, also where both have the same device.
#[test]
fn the_transfer_takes_the_time_of_the_slower_side() {
    let bytes = served("&serve.rate=1").kv_bytes_per_token.get() * 3000.0;
    let link = |id: &str| catalog::accelerator(id).expect("a device").scale_out.gb_s * 1e9;
    let (fast, slow) = (link("h100-sxm"), link("rtx-6000-ada"));
    assert!(slow < fast);
    let other = "&serve.prefill.gpu=rtx-6000-ada&serve.rate=0.2&serve.precision=fp8";
    for (rest, links) in [
        ("&serve.rate=1", fast),
        ("&serve.rate=1&serve.prefill.tp=2", fast),
        ("&serve.rate=1&serve.prefill.tp=2&serve.tp=2", 2.0 * fast),
        ("&serve.rate=1&serve.tp=2", fast),
        (other, slow),
        (&format!("{other}&serve.prefill.tp=4&serve.tp=4"), 4.0 * slow),
        (&format!("{other}&adapters=4"), 4.0 * slow),
    ] {
        let time = transfer(&served(rest));
        assert!((time * links / bytes - 1.0).abs() < 1e-9, "{rest}: {time}");
    }
}

#[test]
fn prefill_workers_need_memory_of_their_own() {
    let decoded = link::decode(
        "v=1&view=inference&model=llama-3.1-70b&gpu=b200&serve.tp=2&serve.batch=1&serve.prefill.workers=1&serve.prefill.tp=1\
         &serve.prefill.gpu=l4&serve.in=1000",
    );
    assert!(decoded.problems.is_empty());
    let problems = decoded.scenario.inference().expect_err("no room");
    assert_eq!(problems[0].field, "inference.prefill_tensor", "{problems:?}");
}

#[test]
fn an_unknown_device_is_refused_by_its_field() {
    let scenario = link::decode(
        "v=1&view=inference&model=llama-3.1-8b&serve.prefill.workers=1&serve.prefill.gpu=h100-sxn",
    )
    .scenario;
    let problems = scenario.inference().expect_err("no such device");
    assert_eq!(problems[0].field, "system.prefill");
    assert!(problems[0].message.contains("h100-sxm"), "{}", problems[0].message);
}

/// Prompts pay for the prefill workers, answers for the decode workers; together they pay for all GPUs.
#[test]
fn each_device_has_its_price() {
    let question = asked("&serve.rate=1.5&serve.prefill.gpu=l40s&cost.gpu_hour=7");
    let estimate = question.inference().expect("an estimate");
    let bill = question.token_bill(&estimate).expect("a bill");
    let l40s = catalog::accelerator("l40s").expect("a device");
    let rent = question.economics.listed().hourly_usd(l40s).expect("a price");
    let per_request = bill.usd_per_million_input.expect("a price") * 3000.0 * 1e-6
        + bill.usd_per_million_output.expect("a price") * 200.0 * 1e-6;
    let hourly = per_request * estimate.requests_per_second * 3600.0;
    assert!((hourly / (2.0 * rent + 7.0) - 1.0).abs() < 1e-9, "{hourly} of {rent}");
}

#[test]
fn the_page_names_both_devices() {
    use foretoken::figure::Size;
    let question = asked("&serve.rate=1.5&serve.prefill.gpu=l40s");
    let answer = foretoken::view::first(&question, Size::Wide).expect("an answer");
    assert!(answer.lead.contains("2 × L40S and 1 × H100 SXM"), "{}", answer.lead);
    let note = &answer.card("usd-input").expect("a card").note;
    assert!(note.contains("prefill workers"), "{note}");
    let encoded = link::encode(&question);
    assert_eq!(link::decode(&encoded).scenario, question, "{encoded}");
}
