//! Traces of requests: read, summed up, and opened as a sizing.

use foretoken::inference::CacheTiers;
use foretoken::measured::{Opened, open};
use foretoken::scenario::{Scenario, View, link};
use foretoken::traffic::{Fault, Format, Trace, read};

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
                .ok()
                .is_none_or(|trace: Trace| trace.requests.iter().all(|request| request.input.is_finite())),
            "{text}"
        );
    }
    // A file that was cut in the middle of a line keeps the lines before it.
    let cut = &MOONCAKE[..MOONCAKE.len() / 2];
    assert!(read(cut).is_ok_and(|trace| trace.requests.len() > 50));
    assert!(open(&Scenario::default(), "a,b\n1,2").is_err());
}

/// A text of this many tokens at four characters each.
fn text(tokens: usize) -> String {
    "wörd".repeat(tokens)
}

/// vLLM's custom dataset has texts and output lengths, and no times.
#[test]
fn custom_datasets_of_vllm_have_estimated_prompts() {
    let lines = format!(
        "{{\"prompt\": \"{}\", \"output_tokens\": 20}}\n{{\"prompt\": \"{}\", \"output_tokens\": 40}}\n{{\"prompt\": \"no length\"}}\n",
        text(100),
        text(300)
    );
    let trace = read(&lines).expect("a trace");
    assert_eq!((trace.format, trace.requests.len(), trace.failed), (Format::VllmCustom, 2, 1));
    assert!(trace.estimated && !trace.timed && trace.sessions() == 0);
    assert!(
        near(trace.mean(|request| request.input), 200.0) && near(trace.mean(|request| request.output), 30.0)
    );
    assert_eq!((trace.rate(), trace.reuse(&tiers(1e6, 0.0, 0.0))), (None, None));
    // The load keeps its size, and requests are simulated one after another at random times.
    let current = link::decode("v=1&view=sizing&model=llama-3.1-8b&size.load=rate&serve.rate=7").scenario;
    let Ok(Opened::Points(points)) = open(&current, &lines) else { panic!("a trace") };
    let (scenario, report) = (&points[0].scenario, &points[0].report);
    assert_eq!((scenario.inference.input, scenario.inference.output), (200, 30));
    assert!(near(scenario.inference.rate, 7.0));
    let told = report.remarks.join("; ");
    assert!(told.contains("4 characters") && told.contains("no arrival times"), "{told}");
    let replay = trace.replay();
    assert!(replay.rate.is_some_and(|rate| near(rate, 1.0)));
    assert!(replay.requests[0].arrival > 0.0 && replay.requests[0].arrival < replay.requests[1].arrival);
}

/// ShareGPT's first two messages are a request, if `vllm bench serve` sends it.
#[test]
fn conversations_of_sharegpt_are_requests_of_their_first_messages() {
    let conversation = |messages: &[usize]| {
        let messages: Vec<String> = messages
            .iter()
            .map(|tokens| format!("{{\"from\": \"human\", \"value\": \"{}\"}}", text(*tokens)))
            .collect();
        format!("{{\"id\": \"a\", \"conversations\": [{}]}}", messages.join(", "))
    };
    let all: Vec<String> =
        [&[100, 50, 999][..], &[300, 150], &[10], &[], &[3, 100], &[1025, 10], &[1000, 1049]]
            .into_iter()
            .map(conversation)
            .collect();
    for file in [format!("[{}]", all.join(",\n")), all.join("\n")] {
        let trace = read(&file).expect("a trace");
        assert_eq!((trace.format, trace.requests.len(), trace.skipped), (Format::ShareGpt, 2, 5));
        assert!(near(trace.mean(|request| request.input), 200.0));
        assert!(near(trace.mean(|request| request.output), 100.0));
        assert!(trace.remarks(&CacheTiers::default()).join("; ").contains("5 conversations"));
    }
    assert_eq!(read(&format!("[{}]", conversation(&[1]))), Err(Fault::Empty { format: Format::ShareGpt }));
}

/// Single requests of AIPerf: texts or lengths, times in ms.
#[test]
fn single_requests_of_aiperf_are_read() {
    let lines = format!(
        "{{\"text\": \"{}\", \"output_length\": 50, \"timestamp\": 0}}\n{{\"texts\": [\"{}\", \"{}\"], \"output_length\": 10, \"timestamp\": 2000}}\n",
        text(8),
        text(4),
        text(4)
    );
    let trace = read(&lines).expect("a trace");
    assert_eq!((trace.format, trace.requests.len()), (Format::Aiperf, 2));
    assert!(trace.estimated && trace.timed && near(trace.span(), 2.0));
    assert!(trace.requests.iter().all(|request| near(request.input, 8.0)));
    // Lengths are not estimated.
    let lines = "{\"input_length\": 9, \"output_length\": 4, \"session_id\": 7}\n";
    assert!(read(lines).is_ok_and(|trace| !trace.estimated && trace.format == Format::Aiperf));
    // Without output lengths the load is not known.
    let unknown = read("{\"text\": \"What is machine learning?\"}\n{\"text\": \"Explain.\"}");
    assert_eq!(unknown, Err(Fault::Outputs { format: Format::Aiperf, field: "output_length" }));
    let Err(problems) = open(&Scenario::default(), "{\"prompt\": \"What is the capital of India?\"}\n")
    else {
        panic!("a file")
    };
    assert!(problems[0].to_string().contains("`output_tokens`"), "{problems:?}");
}

/// Prompts of a session repeat its earlier turns, which the prefix cache of its replica has; think times stay as they are when the
/// load changes.
#[test]
fn turns_of_a_session_follow_each_other() {
    let turns = "{\"input_length\": 640, \"output_length\": 64, \"delay\": 9000}, \
                 {\"input_length\": 64, \"output_length\": 32, \"delay\": 5000}, \
                 {\"input_length\": 64, \"output_length\": 32, \"delay\": 7000}";
    let one = |name: &str| format!("{{\"session_id\": \"{name}\", \"turns\": [{turns}]}}\n");
    let file = one("a") + &one("b");
    let trace = read(&file).expect("a trace");
    assert_eq!((trace.format, trace.requests.len(), trace.sessions()), (Format::Aiperf, 6, 2));
    assert!(!trace.timed && !trace.estimated);
    let of_first = |trace: &[foretoken::serving::simulation::TraceRequest]| -> Vec<(f64, f64)> {
        let own = trace.iter().filter(|request| request.session == Some(0));
        own.map(|request| (request.input, request.after)).collect()
    };
    assert_eq!(of_first(&trace.requests), [(640.0, 0.0), (768.0, 5.0), (864.0, 12.0)]);
    assert_eq!(of_first(&trace.replay().requests), [(640.0, 0.0), (768.0, 5.0), (864.0, 12.0)]);
    // Of 2 · (640 + 768 + 864) prompt tokens, whole blocks of 64 of earlier prompts.
    let [share, ..] = trace.reuse(&tiers(1e6, 0.0, 0.0)).expect("sessions");
    assert!(near(share, (640.0 + 768.0) / 2272.0), "{share}");
    // The same turns a line each, as in AIPerf's traces.
    let lines: Vec<String> = ["a", "b"]
        .into_iter()
        .flat_map(|name| turns.split("}, ").map(move |turn| (name, turn.trim().trim_end_matches('}'))))
        .map(|(name, turn)| format!("{turn}, \"session_id\": \"{name}\"}}\n"))
        .collect();
    assert_eq!(read(&lines.concat()).expect("a trace").requests, trace.requests);
    // A session with a time begins then; lists of messages are whole prompts.
    let message = format!("{{\"role\": \"user\", \"content\": \"{}\"}}", text(100));
    let lines: Vec<String> = (1..=3)
        .map(|turn| {
            let messages = vec![message.clone(); turn].join(", ");
            let time = if turn == 1 { "\"timestamp\": 4000" } else { "\"delay\": 1000" };
            format!("{{\"session_id\": \"x\", \"messages\": [{messages}], \"output_length\": 5, {time}}}\n")
        })
        .collect();
    let trace = read(&lines.concat()).expect("a trace");
    assert!(trace.timed && trace.estimated);
    let found: Vec<(f64, f64)> =
        trace.requests.iter().map(|request| (request.time(), request.input)).collect();
    assert_eq!(found, [(4.0, 100.0), (5.0, 200.0), (6.0, 300.0)]);
}

/// Datasets that are damaged, empty or far too large are refused, with the reason.
#[test]
fn hostile_datasets_have_typed_faults() {
    let empty = |format: Format| Err(Fault::Empty { format });
    for (file, expected) in [
        ("[", Err(Fault::Unknown)),
        ("[]", Err(Fault::Unknown)),
        ("[1, \"a\", null, [[]]]", Err(Fault::Unknown)),
        ("[{\"conversations\": 3}, {\"conversations\": [{}, {}]}]", empty(Format::ShareGpt)),
        ("{\"conversations\": [{\"value\": 1}, {\"value\": {}}]}", empty(Format::ShareGpt)),
        (
            "{\"prompt\": [1, 2], \"output_tokens\": 3}",
            Err(Fault::Outputs { format: Format::VllmCustom, field: "output_tokens" }),
        ),
        ("{\"prompt\": \"\", \"output_tokens\": 3}", empty(Format::VllmCustom)),
        ("{\"prompt\": \"a\", \"output_tokens\": -3}", empty(Format::VllmCustom)),
        (
            "{\"session_id\": {}, \"turns\": 3}",
            Err(Fault::Outputs { format: Format::Aiperf, field: "output_length" }),
        ),
        ("{\"turns\": [{\"text\": \"abcd\", \"output_length\": 1e300}]}", empty(Format::Aiperf)),
        ("{\"session_id\": \"a\", \"input_length\": 1e11, \"output_length\": 1}", Err(Fault::TooLong)),
        ("{\"session_id\": \"a\", \"input_length\": -1e11, \"output_length\": 1}", empty(Format::Aiperf)),
    ] {
        assert_eq!(read(file).map(|trace| trace.requests.len()), expected, "{file}");
        assert!(expected.err().is_none_or(|fault: Fault| fault.to_string().len() > 20));
    }
    // A prompt that grows by each of its turns.
    let turns = vec!["{\"input_length\": 640, \"output_length\": 1}"; 2000].join(",");
    assert_eq!(read(&format!("{{\"session_id\": \"a\", \"turns\": [{turns}]}}")), Err(Fault::TooLong));
    // Delays that are no times, and nested lists.
    let odd = "{\"session_id\": \"a\", \"input_length\": 5, \"output_length\": 1, \"delay\": -1e9}\n\
               {\"session_id\": \"a\", \"input_length\": 5, \"output_length\": 1, \"delay\": 1e308}\n";
    let trace = read(odd).expect("a trace");
    assert!(trace.requests.iter().all(|request| request.time().is_finite() && request.after >= 0.0));
    let deep = format!("{{\"text\": {}1{}}}", "[".repeat(500), "]".repeat(500));
    assert_eq!(read(&deep), Err(Fault::Unknown));
}
