//! Traces of requests: read, summed up, and opened as a sizing.

use foretoken::inference::CacheTiers;
use foretoken::measured::{Opened, open};
use foretoken::scenario::{Scenario, View, link};
use foretoken::traffic::{Format, Trace, read};

const MOONCAKE: &str = include_str!("../fixtures/traffic/mooncake_conv_150.jsonl");
const AZURE: &str = include_str!("../fixtures/traffic/azure2023_code_200.csv");
const BURST: &str = include_str!("../fixtures/traffic/burstgpt_33.csv");

fn near(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() < 1e-6
}

/// Computed from the files by another program.
#[test]
fn sums_of_the_samples_are_right() {
    let trace = |text: &str| read(text).expect("a trace");
    let (mooncake, azure, burst) = (trace(MOONCAKE), trace(AZURE), trace(BURST));
    assert_eq!(
        (mooncake.format, azure.format, burst.format),
        (Format::Mooncake, Format::Azure, Format::BurstGpt)
    );
    assert_eq!((mooncake.requests.len(), azure.requests.len(), burst.requests.len()), (150, 200, 32));
    assert_eq!((mooncake.failed, azure.failed, burst.failed), (0, 0, 1));
    for (trace, input, output, span) in [
        (&mooncake, 14_263.013_333, 365.006_667, 54.0),
        (&azure, 1924.755, 25.035, 21.865_654),
        (&burst, 688.875, 360.281_25, 2603.0),
    ] {
        assert!(near(trace.mean(|request| request.input), input), "{:?}", trace.format);
        assert!(near(trace.mean(|request| request.output), output), "{:?}", trace.format);
        assert!(near(trace.span(), span), "{}", trace.span());
    }
    // The whole first 150 requests, with caches of 195 and 976 blocks, whose last blocks of a prompt are evicted
    // first, and without end.
    for (tokens, share) in
        [(100_000.0, 0.035_657_73), (500_000.0, 0.035_657_73), (f64::INFINITY, 0.045_708_901)]
    {
        let found = mooncake.reuse(&tiers(tokens, 0.0, 0.0)).expect("blocks");
        assert!(near(found[0], share) && found[1..] == [0.0, 0.0], "{tokens}: {found:?}");
    }
    assert_eq!(azure.reuse(&tiers(1e6, 0.0, 0.0)), None);
    assert_eq!(mooncake.reuse(&tiers(0.0, 0.0, 0.0)), Some([0.0; 3]));
}

/// Tiers hold together what one tier of their size holds, and more capacity never holds less.
#[test]
fn tiers_add_up() {
    let mooncake = read(MOONCAKE).expect("a trace");
    let share = |gpu: f64, host: f64, ssd: f64| mooncake.reuse(&tiers(gpu, host, ssd)).expect("blocks");
    let mut before = 0.0;
    for tokens in [1e4, 3e4, 1e5, 5e5, 1e6, 1e7] {
        let [whole, ..] = share(tokens, 0.0, 0.0);
        assert!(whole >= before, "{tokens}");
        before = whole;
        let parts = share(512.0 * 10.0, tokens - 512.0 * 10.0, 0.0);
        assert!((parts.iter().sum::<f64>() - whole).abs() < 1e-9, "{tokens}: {parts:?} {whole}");
        let three = share(512.0 * 10.0, 512.0 * 5.0, tokens - 512.0 * 15.0);
        assert!((three.iter().sum::<f64>() - whole).abs() < 1e-9, "{tokens}: {three:?} {whole}");
        let without_host = share(512.0 * 10.0, 0.0, tokens - 512.0 * 10.0);
        assert!((without_host[2] - parts[1]).abs() < 1e-9 && without_host[1] == 0.0, "{without_host:?}");
    }
}

fn tiers(gpu: f64, host: f64, ssd: f64) -> CacheTiers {
    CacheTiers { gpu, host, ssd, copies: false }
}

#[test]
fn a_trace_opens_as_a_sizing() {
    let current =
        link::decode("v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.ttft=2000&serve.tpot=50")
            .scenario;
    let Ok(Opened::Points(points)) = open(&current, MOONCAKE) else { panic!("a trace") };
    let [point] = &points[..] else { panic!("one point") };
    let (scenario, report) = (&point.scenario, &point.report);
    assert_eq!(scenario.view, View::Sizing);
    assert_eq!((scenario.inference.input, scenario.inference.output), (14_263, 365));
    assert!(near(scenario.inference.rate, 150.0 / 54.0) && scenario.inference.concurrency == 0);
    assert!(scenario.inference.cached > 0.03 && scenario.inference.cached < 0.05);
    assert!(
        report.summary.contains("150 requests") && report.summary.contains("Mooncake"),
        "{}",
        report.summary
    );
    let search = {
        let mut search = scenario.sizing().expect("a question");
        search.run();
        search
    };
    assert!(near(search.demand().amount, 150.0 / 54.0));
    assert!(!search.fleets().is_empty());
}

#[test]
fn bursts_and_peaks_are_told() {
    let lines: String = (0..600)
        .map(|second| {
            let busy = (120..180).contains(&second);
            let line = format!(
                "{{\"timestamp\": {}, \"input_length\": 100, \"output_length\": 10}}\n",
                second * 1000
            );
            line.repeat(if busy { 4 } else { 1 })
        })
        .collect();
    let trace = read(&lines).expect("a trace");
    let mean = trace.rate().expect("a rate");
    assert!(near(mean, 780.0 / 599.0));
    assert!(near(trace.peak().expect("a peak"), 4.0 / mean));
    let remarks = trace.remarks(&CacheTiers::default()).join("; ");
    assert!(remarks.contains("busiest minute"), "{remarks}");
    let azure = read(AZURE).expect("a trace");
    assert!(azure.peak().is_none() && azure.variation().is_some_and(|times| times > 0.5));
}

#[test]
fn what_is_no_trace_is_left_to_others() {
    for text in [
        "",
        "{}",
        "{\"input_length\": 3}",
        "a,b,c\n1,2,3",
        "TIMESTAMP,ContextTokens,GeneratedTokens",
        "TIMESTAMP,ContextTokens,GeneratedTokens\nsoon,1,2",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n1,inf,NaN",
        "{\"timestamp\": 1e999, \"input_length\": -5, \"output_length\": 1}",
    ] {
        assert!(
            read(text)
                .is_none_or(|trace: Trace| trace.requests.iter().all(|request| request.input.is_finite())),
            "{text}"
        );
    }
    // A file that was cut in the middle of a line keeps the lines before it.
    let cut = &MOONCAKE[..MOONCAKE.len() / 2];
    assert!(read(cut).is_some_and(|trace| trace.requests.len() > 50));
    assert!(open(&Scenario::default(), "a,b\n1,2").is_err());
}
