//! What the second program answers, without a browser.

use foretoken::answer::Format;
use foretoken::worker::{Ask, Desk, Reply, Request, Said, Step};

const HEADER: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,link,peer,\
                      peer_predicted,predicted\n";

fn rows(count: usize, name: &str) -> String {
    let row = |index: usize| {
        format!("k{index},{name},{name},b200,{name},kernel,FP8,A,latency_us,10,false,,,,{}\n", index + 5)
    };
    HEADER.to_owned() + &(0..count).map(row).collect::<Vec<_>>().concat()
}

fn question(id: u32) -> Request {
    let link = "v=1&view=validation&errors.of=kernel".to_owned();
    Request { id, ask: Ask::Answer { link, narrow: false } }
}

/// Everything that a desk says until it has nothing to do.
fn all(desk: &mut Desk, file: &str) -> Vec<Said> {
    let mut said = Vec::new();
    loop {
        match desk.step() {
            Step::Idle => return said,
            Step::Tell(reply) => said.push(reply.said),
            Step::Fetch(name) => {
                assert_eq!(name, "validation.csv");
                desk.supply(Ok(file));
            }
        }
    }
}

#[test]
fn an_answer_shows_its_progress_and_has_files() {
    let mut desk = Desk::default();
    desk.ask(question(1));
    let said = all(&mut desk, &rows(100, "lab"));
    assert_eq!(said[0], Said::Progress { done: 40, of: 100 });
    let Some(Said::Answer { headline, figures }) = said.last() else { panic!("{said:?}") };
    assert!(headline.contains(r#"data-answer="rows">100<"#), "{headline}");
    for part in ["data-figure=\"scatter\"", "data-figure=\"histogram\"", "Page 1 of 5"] {
        assert!(figures.contains(part), "{part}");
    }
    for (of, format, begins) in [
        ("scatter", Format::Svg, "<svg"),
        ("histogram", Format::Png, "<svg"),
        ("scatter", Format::Csv, "Row,"),
        ("groups", Format::Csv, "Source,"),
    ] {
        let Ask::Answer { link, narrow } = question(1).ask else { panic!("no question") };
        desk.ask(Request { id: 1, ask: Ask::File { link, narrow, of: of.to_owned(), format } });
        let Some(Said::File { text, .. }) = all(&mut desk, "").pop() else { panic!("no {of}") };
        assert!(text.starts_with(begins), "{text}");
    }
}

#[test]
fn a_newer_question_replaces_an_older_and_stop_ends_it() {
    let mut desk = Desk::default();
    desk.ask(question(1));
    assert_eq!(desk.step(), Step::Fetch("validation.csv"));
    desk.supply(Ok(&rows(100, "lab")));
    assert!(matches!(desk.step(), Step::Tell(Reply { id: 1, .. })));
    desk.ask(question(2));
    assert!(matches!(desk.step(), Step::Tell(Reply { id: 2, .. })));
    desk.ask(Request { id: 3, ask: Ask::Stop });
    assert_eq!(desk.step(), Step::Idle);
}

#[test]
fn a_missing_file_is_said_and_asked_for_again() {
    let mut desk = Desk::default();
    for _ in 0..2 {
        desk.ask(question(1));
        assert_eq!(desk.step(), Step::Fetch("validation.csv"));
        desk.supply(Err("it is not there".to_owned()));
        let Step::Tell(Reply { said: Said::Fault { message }, .. }) = desk.step() else { panic!("no fault") };
        assert!(message.ends_with("it is not there"), "{message}");
    }
}

#[test]
fn nothing_in_a_file_becomes_markup() {
    let mut desk = Desk::default();
    desk.ask(question(1));
    let said = all(&mut desk, &rows(3, "\"<img src=x onerror='a()'>&\"\"\""));
    let Some(Said::Answer { figures, .. }) = said.last() else { panic!("{said:?}") };
    assert!(!figures.contains("<img") && figures.contains("&lt;img"));
    desk.ask(Request { id: 2, ask: Ask::Constants { link: "v=1&gpu=<b>".to_owned() } });
    let Some(Said::Constants { form }) = all(&mut desk, "").pop() else { panic!("no form") };
    assert!(!form.contains("<b>"), "{form}");
}

#[test]
fn an_empty_file_has_an_answer_too() {
    let mut desk = Desk::default();
    desk.ask(question(1));
    let said = all(&mut desk, HEADER);
    assert!(matches!(said.last(), Some(Said::Answer { figures, .. }) if figures.contains("Nothing to draw")));
}

/// A search that takes some steps.
fn search(rest: &str) -> Request {
    let link = format!("v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096{rest}");
    Request { id: 7, ask: Ask::Answer { link, narrow: false } }
}

/// Addresses of the links whose ids begin so.
fn links(markup: &str, id: &str) -> Vec<String> {
    let parts = markup.split("<a id=\"").skip(1).filter(|part| part.starts_with(id));
    parts
        .filter_map(|part| Some(part.split("href=\"#").nth(1)?.split('"').next()?.replace("&amp;", "&")))
        .collect()
}

#[test]
fn a_search_shows_what_it_knows_and_each_plan_opens_as_a_question() {
    let mut desk = Desk::default();
    desk.ask(search("&search.fixed=tensor_kind+context_kind+recompute_layers+offload"));
    let said = all(&mut desk, "");
    let mut last = 0;
    for said in &said[..said.len() - 1] {
        let (Said::Progress { done, of } | Said::Partial { done, of, .. }) = said else { panic!("{said:?}") };
        assert!(*done >= last && done <= of);
        last = *done;
    }
    assert!(
        said.iter().any(|said| matches!(said, Said::Partial { figures, .. } if figures.contains("plan-1")))
    );
    let Some(Said::Answer { headline, figures }) = said.last() else { panic!("{said:?}") };
    assert!(headline.contains(r#"data-answer="feasible""#) && headline.contains(r#"data-answer="mfu""#));
    for part in
        ["data-figure=\"plans\"", "data-figure=\"scaling\"", "data-table=\"stopped\"", "data-table=\"axes\""]
    {
        assert!(figures.contains(part), "{part}");
    }
    let plans = links(figures, "plan-");
    assert_eq!(plans.len(), 20);
    let mut steps = Vec::new();
    for link in plans {
        let decoded = foretoken::scenario::link::decode(&link);
        assert_eq!(decoded.problems, [], "{link}");
        let estimate = decoded.scenario.training().unwrap();
        steps.push(estimate.step.get());
    }
    assert!(steps.is_sorted(), "{steps:?}");
    for (of, begins) in
        [("ranking", "Plan,"), ("plans", "Plan,"), ("scaling", "GPUs,"), ("stopped", "Reason,")]
    {
        let Ask::Answer { link, narrow } = search("").ask else { panic!("no question") };
        let format = Format::Csv;
        desk.ask(Request { id: 1, ask: Ask::File { link, narrow, of: of.to_owned(), format } });
        let Some(Said::File { text, .. }) = all(&mut desk, "").pop() else { panic!("no {of}") };
        assert!(text.starts_with(begins), "{text}");
    }
    // Each axis can be fixed or freed.
    let (fix, free) = (links(figures, "fix-"), links(figures, "free-"));
    assert_eq!((fix.len() + free.len(), free.len()), (foretoken::search::AXES.len(), 4));
    assert!(fix[0].contains("search.fixed=tensor+"), "{}", fix[0]);
}

#[test]
fn a_search_can_be_called_off_and_goes_on_when_it_is_asked_again() {
    let mut desk = Desk::default();
    desk.ask(search("&search.gpus_min=16&search.gpus_max=16&search.fixed=tensor_kind+context_kind+recompute_layers+offload"));
    let Step::Tell(Reply {
        said: Said::Progress { done: first, .. } | Said::Partial { done: first, .. },
        ..
    }) = desk.step()
    else {
        panic!("done")
    };
    desk.ask(Request { id: 8, ask: Ask::Stop });
    assert_eq!(desk.step(), Step::Idle);
    desk.ask(search("&search.gpus_min=16&search.gpus_max=16&search.fixed=tensor_kind+context_kind+recompute_layers+offload"));
    let Step::Tell(Reply { said: Said::Progress { done, .. } | Said::Partial { done, .. }, .. }) =
        desk.step()
    else {
        panic!("done")
    };
    assert!(done > first, "{done} {first}");
}

#[test]
fn a_search_without_plans_says_why_and_where_there_are_some() {
    let mut desk = Desk::default();
    // 37 GPUs are more than there are layers, and a prime.
    desk.ask(Request {
        id: 1,
        ask: Ask::Answer {
            link: "v=1&view=search&model=llama-3.1-8b&gpus=37&batch=64&seq=4096&search.gpus_max=37"
                .to_owned(),
            narrow: true,
        },
    });
    let Some(Said::Answer { headline, figures }) = all(&mut desk, "").pop() else { panic!("no answer") };
    assert!(headline.contains(r#"data-answer="below">36 GPUs<"#), "{headline}");
    assert!(headline.contains(r#"data-answer="above">38 GPUs<"#), "{headline}");
    assert!(figures.contains("Replicas, microbatch and batch"), "{figures}");
    for (rest, field) in
        [("&search.fixed=tensors", "search.fixed"), ("&gpu=mi355x&search.by=cost&gpu.id=x", "search.by")]
    {
        desk.ask(search(rest));
        let Some(Said::Refusal { problems }) = all(&mut desk, "").pop() else { panic!("{rest}") };
        assert_eq!(problems[0].field, field);
    }
}

#[test]
fn features_of_systems_are_shown_map_by_map() {
    let mut desk = Desk::default();
    desk.ask(search("&search.of=features"));
    let figures = loop {
        match desk.step() {
            Step::Tell(Reply { said: Said::Progress { of, .. }, .. }) => assert_eq!(of, 4 * 64 + 2 * 24),
            Step::Tell(Reply { said: Said::Partial { figures, .. }, .. }) => break figures,
            other => panic!("{other:?}"),
        }
    };
    assert!(figures.contains(r#"data-figure="dram-llm""#) && !figures.contains("dram-vit"));
    assert!(links(&figures, "search-plans")[0].contains("view=search"));
}

/// A question about accelerators that nobody has built.
fn technology(rest: &str) -> Request {
    let link = format!("v=1&view=technology{rest}");
    Request { id: 9, ask: Ask::Answer { link, narrow: false } }
}

/// The number of a headline card.
fn card(headline: &str, id: &str) -> String {
    let after = headline.split(&format!("data-answer=\"{id}\">")).nth(1);
    let Some(shown) = after.and_then(|rest| rest.split('<').next()) else { panic!("no {id}: {headline}") };
    shown.to_owned()
}

#[test]
fn accelerators_of_every_node_are_built_for_the_task() {
    for rest in ["", "&tech.task=prefill&tech.node=n3", "&tech.task=decode&tech.memory=hbm4&tech.dies=2"] {
        let mut desk = Desk::default();
        desk.ask(technology(rest));
        let said = all(&mut desk, "");
        // Eight nodes with each of six memories and of four kinds of links.
        assert_eq!(said.len(), 80);
        for (done, said) in said[..79].iter().enumerate() {
            let (Said::Progress { done: at, of } | Said::Partial { done: at, of, .. }) = said else {
                panic!("{said:?}")
            };
            assert_eq!((*at, *of), (done as u32 + 1, 80));
        }
        assert!(matches!(&said[47], Said::Partial { figures, .. } if figures.contains("binding-map")));
        let Some(Said::Answer { headline, figures }) = said.last() else { panic!("{said:?}") };
        let times: f64 = card(headline, "speedup").trim_end_matches(" ×").parse().unwrap();
        assert!((1.0..20.0).contains(&times), "{rest}: {headline}");
        for part in ["peak", "dram", "energy", "binds"] {
            assert!(!card(headline, part).is_empty());
        }
        for part in [
            "data-figure=\"node-speedup\"",
            "data-figure=\"node-speedup-links\"",
            "data-figure=\"node-energy\"",
            "data-figure=\"binding-map\"",
            "data-figure=\"binding-shares\"",
            "data-table=\"account\"",
            "data-table=\"built\"",
            "data-table=\"numbers\"",
        ] {
            assert!(figures.contains(part), "{rest}: {part}");
        }
        for (of, begins) in [
            ("node-speedup-links", "Memory,"),
            ("account", "Part,"),
            ("built", "Figure of a die,"),
            ("numbers", "Number,"),
        ] {
            let Ask::Answer { link, narrow } = technology(rest).ask else { panic!("no question") };
            let format = Format::Csv;
            desk.ask(Request { id: 1, ask: Ask::File { link, narrow, of: of.to_owned(), format } });
            let Some(Said::File { text, .. }) = all(&mut desk, "").pop() else { panic!("no {of}") };
            assert!(text.starts_with(begins), "{text}");
        }
    }
}

#[test]
fn scaling_numbers_are_the_visitors_to_change() {
    let answer = |rest: &str| {
        let mut desk = Desk::default();
        desk.ask(technology(&format!("&tech.task=decode{rest}")));
        let Some(Said::Answer { headline, figures }) = all(&mut desk, "").pop() else { panic!("{rest}") };
        (headline, figures)
    };
    let (usual, faster) = (answer(""), answer("&constants.technology.hbm3e.gb_s=2000"));
    let bandwidth = |headline: &str| card(headline, "dram");
    assert_ne!(bandwidth(&usual.0), bandwidth(&faster.0));
    let mut desk = Desk::default();
    let link = "v=1&view=technology&constants.technology.hbm3e.gb_s=2000".to_owned();
    desk.ask(Request { id: 2, ask: Ask::Constants { link } });
    let Some(Said::Constants { form }) = all(&mut desk, "").pop() else { panic!("no form") };
    assert!(
        form.contains("data-reset=\"technology.hbm3e.gb_s\"") && form.contains("Confidence: low"),
        "{form}"
    );
}

#[test]
fn an_accelerator_that_cannot_be_is_refused_with_the_field() {
    let mut desk = Desk::default();
    for (rest, field) in [
        ("&tech.node=n6", "technology.node"),
        ("&tech.memory=%3Cb%3E", "technology.memory"),
        ("&tech.area=1", "technology.area_mm2"),
        ("&tech.power=10", "technology.area_mm2"),
        ("&precision=fp4&tech.core=hopper", "recipe.precision"),
        ("&constants.technology.n5.logicdensity=1", "constants.technology.n5.logicdensity"),
        ("&constants.technology.n5.speed=1e9", "constants.technology.n5.speed"),
        ("&tp=7", "parallelism.tensor"),
        ("&assumptions=subramanian-2024", "assumptions"),
    ] {
        desk.ask(technology(rest));
        let Some(Said::Refusal { problems }) = all(&mut desk, "").pop() else { panic!("{rest}") };
        assert_eq!(problems[0].field, field, "{rest}: {problems:?}");
    }
}
