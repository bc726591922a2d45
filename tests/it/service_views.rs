//! Answers of the service in Validation, Search and Technology, without a browser.

use foretoken::scenario::{View, link};
use foretoken::service::{Ask, Reply, Request, Said, Service, Step};
use foretoken::view::{Answer, News, Part, TablePart, contents};

use crate::service::{all, answered, ids, offered, replies, request};

const HEADER: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,link,peer,\
                      peer_predicted,predicted\n";

/// Measured kernels of this name.
fn rows(count: usize, name: &str) -> String {
    let row = |index: usize| {
        format!("k{index},{name},{name},b200,{name},kernel,FP8,A,latency_us,10,false,,,,{}\n", index + 5)
    };
    HEADER.to_owned() + &(0..count).map(row).collect::<Vec<_>>().concat()
}

fn validation(id: u32) -> Request {
    request(id, "v=1&view=validation&errors.of=kernel")
}

fn csv(answer: &Answer, id: &str) -> String {
    let Some(table) = answer.part(id).and_then(Part::table) else { panic!("no {id}: {:?}", ids(answer)) };
    table.to_csv()
}

fn shown(answer: &Answer, id: &str) -> String {
    let Some(card) = answer.card(id) else { panic!("no {id}: {:?}", answer.cards) };
    card.shown()
}

/// Links of a table's first column.
fn links(answer: &Answer, id: &str) -> Vec<String> {
    let table = answer.part(id).and_then(Part::table).unwrap();
    table.rows.iter().filter_map(|row| row.cells[0].link.clone()).collect()
}

fn table<'a>(answer: &'a Answer, id: &str) -> &'a TablePart {
    let Some(Part::Table(part)) = answer.part(id) else { panic!("no {id}") };
    part
}

/// The page lists the usual sections while the first answer of a view is computed, so that the list stays as it is.
#[test]
fn a_first_answer_has_the_sections_that_are_listed_before_it() {
    let small = [
        "training",
        "inference",
        "technology",
        "validation",
        "search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096&search.gpus_max=16",
        "generations&model=gpt-3-13b&gpus=64&tp=8&pp=1&batch=256&seq=2048&serve.tp=1",
        "sizing&model=llama-3.1-8b&serve.engine=vllm",
    ];
    for question in small {
        let link = format!("v=1&view={question}");
        let view = link::decode(&link).scenario.view;
        let mut service = Service::default();
        service.ask(request(1, &link));
        let said = all(&mut service, include_str!("../../public/validation.csv"));
        let answer = answered(&said);
        let none: [&str; 0] = [];
        let before = contents(view, &none.into_iter(), false);
        assert_eq!(contents(view, &ids(answer).into_iter(), true), before, "{view:?}");
    }
}

#[test]
fn an_answer_shows_its_progress_and_has_files() {
    let mut service = Service::default();
    service.ask(validation(1));
    let said = all(&mut service, &rows(100, "lab"));
    assert_eq!(said[0], Said::Progress { done: 40, of: 100 });
    let answer = answered(&said);
    assert_eq!(shown(answer, "rows"), "100");
    assert_eq!(ids(answer), ["scatter", "histogram", "groups", "rows"]);
    let pager = table(answer, "rows").pager.clone().unwrap();
    assert_eq!((pager.page, pager.pages, pager.previous), (1, 5, None));
    assert!(pager.next.unwrap().contains("errors.page=2"));
    let scatter = answer.figures().next().unwrap();
    assert!(scatter.standalone_svg().starts_with("<svg"));
    assert!(csv(answer, "scatter").starts_with("Row,") && csv(answer, "groups").starts_with("Source,"));
    assert!(
        table(answer, "groups").finding.contains("another program computed count only in a group without")
    );
}

#[test]
fn a_filter_can_be_removed_and_its_group_is_marked() {
    let mut service = Service::default();
    service.ask(request(1, "v=1&view=validation&errors.of=kernel&errors.source=lab"));
    let said = all(&mut service, &rows(3, "lab"));
    let answer = answered(&said);
    let Some(Part::Notice(filters)) = answer.part("filters") else { panic!("{:?}", ids(answer)) };
    assert_eq!((filters.links.len(), &*filters.links[0].text), (1, "Source: lab ×"));
    assert!(!filters.links[0].link.contains("errors.source"), "{filters:?}");
    let group = &table(answer, "groups").table.rows[0];
    assert!(group.current && !group.cells[0].link.as_ref().unwrap().contains("errors.source"), "{group:?}");
}

#[test]
fn a_newer_question_replaces_an_older_and_stop_ends_it() {
    let mut service = Service::default();
    service.ask(validation(1));
    assert_eq!(service.step(), Step::Fetch("validation.csv"));
    service.supply(Ok(&rows(100, "lab")));
    assert!(matches!(service.step(), Step::Tell(Reply { id: 1, .. })));
    service.ask(validation(2));
    assert!(matches!(service.step(), Step::Tell(Reply { id: 2, .. })));
    service.ask(Request { id: 3, ask: Ask::Stop });
    assert_eq!(service.step(), Step::Idle);
}

#[test]
fn a_missing_file_is_a_fault_and_fetched_again() {
    let mut service = Service::default();
    for _ in 0..2 {
        service.ask(validation(1));
        assert_eq!(service.step(), Step::Fetch("validation.csv"));
        service.supply(Err("it is not there".to_owned()));
        let Step::Tell(Reply { said: Said::Fault { message }, .. }) = service.step() else {
            panic!("no fault")
        };
        assert!(message.ends_with("it is not there"), "{message}");
    }
}

#[test]
fn what_a_file_or_a_link_holds_stays_text() {
    const HOSTILE: &str = "<img src=x onerror='a()'>&\"";
    let mut service = Service::default();
    service.ask(validation(1));
    let said = all(&mut service, &rows(3, "\"<img src=x onerror='a()'>&\"\"\""));
    let answer = answered(&said);
    assert!(answer.figures().all(|figure| !figure.svg.contains("<img")));
    assert_eq!(table(answer, "groups").table.rows[0].cells[0].text, HOSTILE);
    let link = links(answer, "groups").remove(0);
    assert!(!link.contains(['<', '"', '\'', ' ']), "{link}");
    let decoded = foretoken::scenario::link::decode(&link);
    assert_eq!((decoded.scenario.errors.source.as_str(), decoded.problems), (HOSTILE, Vec::new()));
}

#[test]
fn an_empty_file_has_an_answer_too() {
    let mut service = Service::default();
    service.ask(validation(1));
    let said = all(&mut service, HEADER);
    let answer = answered(&said);
    assert!(answer.figures().all(|figure| figure.svg.contains("No values to show")));
    assert_eq!((shown(answer, "rows").as_str(), shown(answer, "mean").as_str()), ("0", "–"));
}

/// A search that takes some steps.
fn search(rest: &str) -> String {
    format!("v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096{rest}")
}

const FIXED: &str = "&search.fixed=tensor_kind+context_kind+recompute_layers+offload";

#[test]
fn a_search_shows_what_it_knows_and_each_plan_opens_as_a_question() {
    let said = replies(&search(FIXED));
    let mut last = 0;
    for said in &said[..said.len() - 1] {
        let (Said::Progress { done, of } | Said::Partial { done, of, .. }) = said else { panic!("{said:?}") };
        assert!(*done >= last && done <= of);
        last = *done;
    }
    assert!(
        said.iter()
            .any(|said| matches!(said, Said::Partial { news: News::Whole(answer), .. } if !links(answer, "ranking").is_empty()))
    );
    let answer = answered(&said);
    for card in ["feasible", "mfu", "step", "cost"] {
        assert!(shown(answer, card) != "–", "{card}");
    }
    // The plan fits, but not at the upper end of its memory's range, as its Training question says.
    for card in ["step", "memory"] {
        assert!(answer.card(card).is_some_and(|card| card.range.is_some()), "{card}");
    }
    assert!(answer.lead.ends_with("; it may not fit, by its memory's range"), "{}", answer.lead);
    assert!(answer.card("memory").is_some_and(|card| card.note.ends_with("may not fit, by its range")));
    assert_eq!(ids(answer), ["plans", "ranking", "scaling", "stopped", "axes", "search-features"]);
    let plans = links(answer, "ranking");
    assert_eq!(plans.len(), 20);
    let mut steps = Vec::new();
    for link in plans {
        let decoded = foretoken::scenario::link::decode(&link);
        assert_eq!(decoded.problems, [], "{link}");
        steps.push(decoded.scenario.training().unwrap().step.get());
    }
    assert!(steps.is_sorted(), "{steps:?}");
    for (of, begins) in
        [("ranking", "Plan,"), ("plans", "Plan,"), ("scaling", "GPUs,"), ("stopped", "Reason,")]
    {
        assert!(csv(answer, of).starts_with(begins), "{of}");
    }
    // Each axis can be fixed or freed.
    let axes = &table(answer, "axes").table.rows;
    let fixed = axes.iter().filter(|row| row.cells[3].text == "try all").count();
    assert_eq!((axes.len(), fixed), (foretoken::search::AXES.len(), 4));
    let first = axes[0].cells[3].link.as_deref().expect("a link");
    assert!(first.contains("search.fixed=tensor+"), "{axes:?}");
}

#[test]
fn a_search_can_be_stopped_and_goes_on_when_its_question_returns() {
    let link = search(&format!("&search.gpus_min=16&search.gpus_max=16{FIXED}"));
    let mut service = Service::default();
    let mut done = || {
        service.ask(request(7, &link));
        let Step::Tell(Reply { said: Said::Progress { done, .. } | Said::Partial { done, .. }, .. }) =
            service.step()
        else {
            panic!("done")
        };
        service.ask(Request { id: 8, ask: Ask::Stop });
        assert_eq!(service.step(), Step::Idle);
        done
    };
    let first = done();
    assert!(done() > first);
}

#[test]
fn a_search_without_plans_gives_reasons_and_the_nearest_numbers_of_gpus() {
    // 37 GPUs are more than there are layers, and a prime.
    let said = replies("v=1&view=search&model=llama-3.1-8b&gpus=37&batch=64&seq=4096&search.gpus_max=37");
    let answer = answered(&said);
    assert_eq!(
        (shown(answer, "below"), shown(answer, "above")),
        ("36 GPUs".to_owned(), "38 GPUs".to_owned())
    );
    assert!(csv(answer, "stopped").contains("\"Replicas, microbatch and batch\""));
    for (rest, field) in
        [("&search.fixed=tensors", "search.fixed"), ("&gpu=mi355x&search.by=cost&gpu.id=x", "search.by")]
    {
        let Some(Said::Refused(problems)) = replies(&search(rest)).pop() else { panic!("{rest}") };
        assert_eq!(problems[0].field, field);
    }
}

/// Where no plan fits, offers are questions with an answer: other numbers of GPUs, and recipes of less memory.
#[test]
fn a_search_without_plans_offers_questions_that_fit() {
    for (gpus, ids) in [(37, vec!["best-plan"]), (1, vec!["best-plan", "leaner-recipe"])] {
        let said = replies(&format!(
            "v=1&view=search&model=llama-3.1-8b&gpus={gpus}&batch=64&seq=4096&search.gpus_max={gpus}"
        ));
        let answer = answered(&said);
        assert!(answer.lead.starts_with("No plan fits on "), "{}", answer.lead);
        assert_eq!(answer.offers.iter().map(|offer| offer.id.as_str()).collect::<Vec<_>>(), ids);
        for offer in offered(answer) {
            assert_eq!((offer.problems(), offer.view), (vec![], View::Training), "{}", link::encode(&offer));
        }
    }
    let fits = replies("v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096&search.gpus_max=16");
    assert_eq!(answered(&fits).offers, []);
}

#[test]
fn generations_that_do_not_fit_offer_numbers_of_gpus_that_do() {
    let said = replies("v=1&view=generations&model=gpt-3-175b&gpus=8&tp=8&pp=1&batch=1536&seq=2048");
    let answer = answered(&said);
    assert!(answer.lead.starts_with("No plan to train GPT-3 175B fits on 8 × "), "{}", answer.lead);
    let offers = offered(answer);
    assert!(!offers.is_empty());
    for offer in offers {
        assert!(offer.view == View::Generations && offer.system.gpus > 8, "{}", link::encode(&offer));
        let rows = offer.machines().expect("machines").generations();
        for id in ["a100-sxm-80gb", "b200"] {
            let row = rows.iter().find(|row| row.accelerator == id).expect(id);
            assert!(row.best.is_some(), "{id}: {}", link::encode(&offer));
        }
    }
}

#[test]
fn an_accelerator_that_is_too_small_offers_what_fits() {
    for rest in ["&model=gpt-3-175b&gpus=8&tp=8&pp=1", "&tech.task=decode&model=gpt-3-175b&serve.tp=1"] {
        let said = replies(&format!("v=1&view=technology{rest}"));
        let answer = answered(&said);
        assert_eq!(shown(answer, "speedup"), "does not fit");
        assert!(answer.lead.contains(" does not fit on "), "{}", answer.lead);
        let offers = offered(answer);
        assert!(!offers.is_empty(), "{rest}");
        for offer in offers {
            let said = replies(&link::encode(&offer));
            assert_ne!(shown(answered(&said), "speedup"), "does not fit", "{}", link::encode(&offer));
        }
    }
}

/// A search on the equations of arXiv 2410.00273: GPT3-1T on B200 in domains of 8.
const PUBLISHED: &str = "v=1&view=search&assumptions=subramanian-2024&model=gpt3-1t&gpu=subramanian-b200-nvs8&gpus=16384\
                         &batch=4096&seq=2048&dropout=true&gradients=bf16&tokens=1e12";

#[test]
fn the_space_of_a_paper_is_searched() {
    let said = replies(PUBLISHED);
    assert!(said.iter().any(|said| matches!(said, Said::Partial { .. })));
    let answer = answered(&said);
    assert_eq!(ids(answer), ["plans", "ranking", "scaling", "strategies", "search-features"]);
    assert!(answer.card("feasible").is_some_and(|card| card.note.contains("of 79,385 on 16,384 GPUs")));
    let rows = &table(answer, "strategies").table.rows;
    let last: Vec<Vec<&str>> =
        rows[rows.len() - 3..].iter().map(|row| row.cells.iter().map(|cell| &*cell.text).collect()).collect();
    assert_eq!(last[0][1..3], ["1D TP", "2,027"]);
    let plan = "SUMMA 8 × 1, 8 panels, PP 128, DP 16, microbatch 1, in NVS: TP 8 × 1";
    assert_eq!((last[1][2], last[1][4]), ("54,662", plan));
    assert_eq!([last[0][7], last[1][7], last[2][7]], ["4.461", "4.404", "4.086"]);
    let best = links(answer, "ranking").remove(0);
    let opened = link::decode(&best).scenario.training().unwrap();
    assert_eq!(Some(opened.step.get()), table(answer, "ranking").table.rows[0].cells[1].value);
    let Some(Said::Refused(problems)) = replies(&PUBLISHED.replace("gpt3-1t", "llama-3.1-8b")).pop() else {
        panic!("a model without equations")
    };
    assert_eq!(problems[0].field, "model");
}

#[test]
fn features_of_systems_are_shown_map_by_map() {
    let mut service = Service::default();
    service.ask(request(1, &search("&search.of=features")));
    let answer = loop {
        match service.step() {
            Step::Tell(Reply { said: Said::Progress { of, .. }, .. }) => assert_eq!(of, 2 * (8 + 64 + 24)),
            Step::Tell(Reply { said: Said::Partial { news: News::Whole(answer), .. }, .. }) => break answer,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ids(&answer), ["search-plans", "dram-llm"]);
    // The sweeps are of the paper's two models, whatever the question's model, GPU and number of GPUs.
    assert!(answer.lead.contains("only under that paper's assumptions"), "{}", answer.lead);
    let Some(Part::Notice(back)) = answer.parts.first() else { panic!("{:?}", ids(&answer)) };
    assert!(back.links[0].link.contains("view=search"));
}

#[test]
fn accelerators_of_every_node_are_built_for_the_task() {
    for rest in ["", "&tech.task=prefill&tech.node=n3", "&tech.task=decode&tech.memory=hbm4&tech.dies=2"] {
        let said = replies(&format!("v=1&view=technology{rest}"));
        // Eight nodes with each of six memories and of four kinds of links.
        assert_eq!(said.len(), 80);
        for (done, said) in said[..79].iter().enumerate() {
            let (Said::Progress { done: at, of } | Said::Partial { done: at, of, .. }) = said else {
                panic!("{said:?}")
            };
            assert_eq!((*at, *of), (done as u32 + 1, 80));
        }
        assert!(
            matches!(&said[47], Said::Partial { news: News::Whole(answer), .. } if answer.part("binding-map").is_some())
        );
        let answer = answered(&said);
        let speedup = answer.card("speedup").unwrap().amount.unwrap().value;
        assert!((1.0..20.0).contains(&speedup), "{rest}: {speedup}");
        for card in ["peak", "dram", "energy", "binds"] {
            assert!(!shown(answer, card).is_empty());
        }
        assert_eq!(
            ids(answer),
            [
                "node-speedup",
                "node-speedup-links",
                "node-energy",
                "binding-map",
                "binding-shares",
                "account",
                "built",
                "numbers"
            ]
        );
        for (of, begins) in [
            ("node-speedup-links", "Memory,"),
            ("account", "Part,"),
            ("built", "Figure of a die,"),
            ("numbers", "Number,"),
        ] {
            assert!(csv(answer, of).starts_with(begins), "{of}");
        }
    }
}

#[test]
fn a_speed_up_is_over_another_node() {
    let lead = |node: &str| {
        let said = replies(&format!("v=1&view=technology&tech.task=decode&tech.node={node}"));
        answered(&said).lead.clone()
    };
    assert!(lead("n5").ends_with("as fast as on N7"), "{}", lead("n5"));
    assert!(lead("n7").contains(" on N7 with HBM3E takes "), "{}", lead("n7"));
}

#[test]
fn scaling_numbers_can_be_changed() {
    let bandwidth = |rest: &str| {
        let said = replies(&format!("v=1&view=technology&tech.task=decode{rest}"));
        let answer = answered(&said);
        let changed = table(answer, "numbers").table.rows.iter().filter(|row| row.current).count();
        (shown(answer, "dram"), changed)
    };
    let (usual, faster) = (bandwidth(""), bandwidth("&constants.technology.hbm3e.gb_s=2000"));
    assert_ne!(usual.0, faster.0);
    assert_eq!((usual.1, faster.1), (0, 1));
}

#[test]
fn an_accelerator_that_cannot_be_is_refused_with_the_field() {
    let mut service = Service::default();
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
        service.ask(request(1, &format!("v=1&view=technology{rest}")));
        let Some(Said::Refused(problems)) = all(&mut service, "").pop() else { panic!("{rest}") };
        assert_eq!(problems[0].field, field, "{rest}: {problems:?}");
    }
}

#[test]
fn a_comparison_that_has_no_answer_leaves_the_rest() {
    let said = replies("v=1&view=generations&to=nothing");
    let answer = answered(&said);
    let Some(Part::Notice(notice)) = answer.part("waterfall") else { panic!("{:?}", ids(answer)) };
    assert!(notice.text.contains("is not in the catalogue"), "{notice:?}");
    assert!(answer.part("binding-training").is_some());
}

/// A measured training step of 20 s with what another estimator says to it.
fn estimated(id: &str, source: &str, fitted: bool, peer: &str) -> String {
    format!("{id},{source},x,h100-sxm,{id},dense,BF16,A,iter_time_s,20,{fitted},v=1,{peer},\n")
}

#[test]
fn estimators_are_compared_on_the_rows_that_both_answer() {
    let rows = [
        HEADER.to_owned(),
        estimated("a", "lab", false, "Peer,18"),
        estimated("b", "lab", false, "Peer,22"),
        estimated("c", "lab", false, ","),
        estimated("d", "other lab", false, "Peer,20"),
        estimated("e", "lab", true, "Peer,200"),
    ];
    let mut service = Service::default();
    service.ask(request(1, "v=1&view=validation&errors.of=step"));
    let said = all(&mut service, &rows.concat());
    let answer = answered(&said);
    let league = &table(answer, "league").table;
    let numbers = |row: usize| [2, 3].map(|column: usize| league.rows[row].cells[column].value.unwrap());
    let names: Vec<&str> = league.rows.iter().map(|row| row.cells[1].text.as_str()).collect();
    assert_eq!(names, ["Foretoken", "Peer", "Foretoken", "Peer", "Foretoken", "Peer"]);
    let predicted = foretoken::scenario::Scenario::default().training().unwrap().step.get();
    let [count, mean] = numbers(0);
    assert!((count - 3.0).abs() < 1e-12 && (mean - 100.0 * (predicted / 20.0 - 1.0).abs()).abs() < 1e-9);
    let [count, mean] = numbers(1);
    assert!((count - 3.0).abs() < 1e-12 && (mean - 20.0 / 3.0).abs() < 1e-9, "{mean}");
    assert_eq!(league.rows[2].cells[0].text, "lab");
    assert!(csv(answer, "league").starts_with("Source,Estimator,Rows"));
}

/// The visitor's rows are those of the cohort that the filters choose, in the last row.
#[test]
fn the_league_has_those_of_the_visitors_rows_that_pass_the_filters() {
    let rows = [
        HEADER.to_owned(),
        estimated("a", "lab", false, "Peer,18"),
        estimated("b", "other", false, "Peer,22"),
    ];
    let ask = |rest: &str| {
        let own = "v=1&gpu=h200-sxm&precision=fp8&framework=megatron&measured.step=30";
        let collected = "v=1&view=inference&measured.ttft=80";
        let mut service = Service::default();
        service.ask(request(
            1,
            &format!("v=1&view=validation&errors.of=step&measured.step=25{rest}~{own}~{collected}"),
        ));
        answered(&all(&mut service, &rows.concat())).clone()
    };
    let of = |answer: &Answer| -> Vec<(f64, f64)> {
        let league = &table(answer, "league").table;
        let own = league.rows.iter().filter(|row| row.cells[0].text == "Your measurements");
        own.map(|row| (row.cells[2].value.unwrap(), row.cells[3].value.unwrap())).collect()
    };
    let error = |link: &str, measured: f64| {
        let predicted = foretoken::scenario::link::decode(link).scenario.training().unwrap().step.get();
        100.0 * (predicted / measured - 1.0).abs()
    };
    let first = error("v=1", 25.0);
    let second = error("v=1&gpu=h200-sxm&precision=fp8&framework=megatron", 30.0);
    let near = |found: &[(f64, f64)], count: f64, mean: f64| {
        assert!(
            matches!(found, [(rows, error)] if (rows - count).abs() < 1e-12 && (error - mean).abs() < 1e-6),
            "{found:?} {mean}"
        );
    };
    near(&of(&ask("")), 2.0, f64::midpoint(first, second));
    for filter in ["device=h100-sxm", "bits=16", "precision=BF16", "source=lab&errors.device=h100-sxm"] {
        near(&of(&ask(&format!("&errors.{filter}"))), 1.0, first);
    }
    for filter in ["generation=Hopper", "family=dense", "source=lab"] {
        near(&of(&ask(&format!("&errors.{filter}"))), 2.0, f64::midpoint(first, second));
    }
    // A mark of the figure shows each of the visitor's rows, whatever the filters.
    let filtered = ask("&errors.device=h100-sxm");
    assert_eq!(csv(&filtered, "scatter").matches("your measurements,your measurements").count(), 2);
}

#[test]
fn an_own_measurement_is_a_mark_among_published_rows_and_counted_nowhere() {
    let rows = [HEADER.to_owned(), estimated("a", "lab", false, ","), estimated("b", "lab", false, ",")];
    let ask = |rest: &str| {
        let mut service = Service::default();
        service.ask(request(1, &format!("v=1&view=validation&errors.of=step{rest}")));
        answered(&all(&mut service, &rows.concat())).clone()
    };
    let (without, with) = (ask(""), ask("&measured.step=25"));
    let finding = |answer: &Answer| answer.figures().next().unwrap().finding.clone();
    assert_eq!(finding(&without), finding(&with));
    assert!(with.figures().next().unwrap().svg.contains("your measurement"));
    let last = csv(&with, "scatter").lines().last().unwrap().to_owned();
    assert!(last.starts_with("your measurement,your measurement,25,"), "{last}");
    assert!(!csv(&without, "scatter").contains("your measurement"));
}
