//! Answers of the service, without a browser.

use foretoken::figure::Size;
use foretoken::scenario::{Scenario, View, link};
use foretoken::service::{Ask, Reply, Request, Said, Service, Step};
use foretoken::view::{Answer, News, Part, numbers};

pub(crate) fn request(id: u32, link: &str) -> Request {
    Request { id, ask: Ask::Answer { link: link.to_owned(), size: Size::Wide, workers: 1 } }
}

/// Every reply until there is nothing to do; news hold all that was known then.
pub(crate) fn all(service: &mut Service, file: &str) -> Vec<Said> {
    let mut said = Vec::new();
    let mut known = Answer::default();
    loop {
        match service.step() {
            Step::Idle => return said,
            Step::Busy => {}
            Step::Tell(reply) => {
                assert_eq!(Reply::from_bytes(&reply.to_bytes()).as_ref(), Some(&reply));
                let mut reply = reply.said;
                if let Said::Partial { news, .. } | Said::Answer(news) = &mut reply {
                    known.take(news.clone());
                    *news = News::Whole(known.clone());
                }
                said.push(reply);
            }
            Step::Fetch(name) => {
                assert_eq!(name, "validation.csv");
                service.supply(Ok(file));
            }
        }
    }
}

/// All replies to a question of a service that was never asked.
pub(crate) fn replies(link: &str) -> Vec<Said> {
    let mut service = Service::default();
    service.ask(request(1, link));
    all(&mut service, "")
}

pub(crate) fn ids(answer: &Answer) -> Vec<&str> {
    answer.parts.iter().map(Part::id).collect()
}

/// The last reply, which has to be an answer whose cards and parts have names of their own.
pub(crate) fn answered(said: &[Said]) -> &Answer {
    let Some(Said::Answer(News::Whole(answer))) = said.last() else { panic!("{:?}", said.last()) };
    let mut names = [ids(answer), answer.cards.iter().map(|card| card.id.as_str()).collect()];
    for names in &mut names {
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }
    for card in &answer.cards {
        let listed = View::ALL.into_iter().any(|view| numbers(view).contains(&&*card.id));
        assert!(listed, "the number {} is not in the entry of its view", card.id);
    }
    for part in &answer.parts {
        for row in part.table().iter().flat_map(|table| &table.rows) {
            assert_eq!(row.cells.len(), part.table().unwrap().columns.len(), "{}", part.id());
        }
    }
    answer
}

#[test]
fn the_first_reply_has_cards_and_figures_and_later_ones_only_add() {
    for view in ["training", "inference", "generations"] {
        let said = replies(&format!("v=1&view={view}"));
        // Generations search for each machine's plans before there is something to show.
        let wait = |said: &&Said| view == "generations" && matches!(said, Said::Progress { .. });
        let begins = said.iter().find(|said| !wait(said));
        let Some(Said::Partial { news: News::Whole(first), .. }) = begins else { panic!("{begins:?}") };
        assert!(first.cards.len() > 1 && first.figures().count() > 0, "{view}");
        let (mut shown, mut last) = (first.clone(), 0);
        for said in &said {
            let answer = match said {
                Said::Progress { done, of } => {
                    assert!(*done >= last && done < of, "{view}");
                    last = *done;
                    continue;
                }
                Said::Partial { done, of, news: News::Whole(answer) } => {
                    assert!(*done >= last && done < of, "{view}");
                    last = *done;
                    answer
                }
                Said::Answer(News::Whole(answer)) => answer,
                other => panic!("{other:?}"),
            };
            assert_eq!(answer.cards.get(..shown.cards.len()), Some(&shown.cards[..]), "{view}");
            assert!(answer.cards.len() == shown.cards.len() || view == "generations", "{view}");
            assert_eq!(answer.parts.get(..shown.parts.len()), Some(&shown.parts[..]), "{view}");
            shown = answer.clone();
        }
        answered(&said);
    }
}

#[test]
fn later_replies_of_views_in_stages_send_what_is_new_alone() {
    for view in ["training", "inference"] {
        let mut service = Service::default();
        service.ask(request(1, &format!("v=1&view={view}")));
        let mut news = Vec::new();
        while let Step::Tell(reply) = service.step() {
            if let Said::Partial { news: new, .. } | Said::Answer(new) = reply.said {
                news.push(new);
            }
        }
        assert!(matches!(&news[0], News::Whole(_)), "{view}");
        assert!(news.len() > 1 && news[1..].iter().all(|news| !matches!(news, News::Whole(_))), "{view}");
    }
}

#[test]
fn a_training_answer_has_its_costs_and_bound() {
    let said = replies("v=1");
    let answer = answered(&said);
    assert_eq!(
        ids(answer),
        [
            "step-breakdown",
            "memory",
            "roofline",
            "operators",
            "timeline",
            "memory-timeline",
            "sensitivity",
            "plan-sensitivity",
            "costs",
            "bound",
            "launch",
            "published"
        ]
    );
    let csv = |id: &str| answer.part(id).unwrap().table().unwrap().to_csv();
    assert!(csv("operators").starts_with("Operator,Phase,Limited by,Shape,Count,Time each (s),"));
    assert!(csv("costs").contains("\r\nGPU-hours,"), "{}", csv("costs"));
    let money = &answer.part("costs").unwrap().table().unwrap().rows[2];
    assert!(money.cells[2].text.starts_with('$'), "{money:?}");
    let range = answer.card("step").unwrap().range.as_ref().unwrap();
    assert!(range.low.value < range.high.value && range.link.contains("view=validation"), "{range:?}");
}

#[test]
fn a_question_without_an_answer_is_refused_with_the_field() {
    for (link, field) in
        [("v=1&tp=7", "parallelism.tensor"), ("v=1&view=inference&serve.ep=3", "inference.expert")]
    {
        let Some(Said::Refused(problems)) = replies(link).pop() else { panic!("{link}") };
        assert_eq!(problems[0].field, field, "{problems:?}");
    }
}

/// The questions that an answer's offers open.
pub(crate) fn offered(answer: &Answer) -> Vec<Scenario> {
    let links = answer.offers.iter().flat_map(|offer| &offer.links);
    links.map(|offer| link::decode(&offer.link).scenario).collect()
}

#[test]
fn what_does_not_fit_says_so_and_offers_what_does() {
    for (asked, field) in [
        ("v=1&view=inference&serve.tp=1&model=gpt-3-175b", "inference.tensor"),
        ("v=1&view=inference&model=deepseek-v3&serve.tp=8&serve.precision=fp8block", "inference.tensor"),
        ("v=1&view=inference&model=qwen3-32b&serve.tp=1&serve.batch=4096", "inference.batch"),
        ("v=1&view=training&gpus=64&tp=1&pp=1", "parallelism.pipeline"),
        ("v=1&view=training&gpus=8&tp=8&pp=1", "parallelism.pipeline"),
    ] {
        let said = replies(asked);
        let answer = answered(&said);
        assert!(answer.lead.starts_with("Does not fit on "), "{asked}: {}", answer.lead);
        assert_eq!(answer.problems[0].field, field, "{asked}");
        assert!(answer.part("memory").is_some(), "{asked}: {:?}", ids(answer));
        let offers = offered(answer);
        assert!(!offers.is_empty(), "{asked}");
        for offer in offers.iter().filter(|offer| offer.view != View::Search) {
            assert_eq!(offer.problems(), [], "{asked} offers {}", link::encode(offer));
        }
    }
}

#[test]
fn training_offers_the_plan_that_a_search_finds() {
    let asked = "v=1&view=training&model=llama-3.1-8b&gpus=64&tp=8&pp=4&batch=256&seq=4096&tokens=1e12";
    let said = replies(asked);
    let answer = answered(&said);
    let scenario = link::decode(asked).scenario;
    assert!(answer.lead.contains("with 64 × H100 SXM 80 GB: TP 8, PP 4, DP 2"), "{}", answer.lead);
    assert!(answer.lead.contains('$') && answer.lead.contains(" days ("), "{}", answer.lead);
    let mut search = scenario.search().unwrap();
    search.run();
    let best = search.asked().best().unwrap();
    let offer = &offered(answer)[0];
    assert_eq!((offer.parallelism, offer.view), (best.plan, View::Training));
    assert_eq!(offer.training().unwrap().step, best.step);
    assert!(answer.offers[0].text.contains("as fast"), "{}", answer.offers[0].text);
    // The offered plan itself is offered nothing faster.
    let again = replies(&link::encode(offer));
    assert!(answered(&again).offers[0].text.contains("is faster"), "{:?}", answered(&again).offers);
}

/// A training step has its terms beside those of a pinned question, also those that only the latter has.
#[test]
fn a_pinned_step_is_drawn_beside_the_question() {
    let (asked, pinned) = ("v=1&gpus=64&tp=8&pp=1&recompute=full", "v=1&gpus=64&tp=8&pp=2&recompute=full");
    let figure = |link: &str| {
        let said = replies(link);
        let Some(Part::Figure(figure)) = answered(&said).part("step-breakdown") else { panic!("{link}") };
        figure.clone()
    };
    let (alone, beside) = (figure(asked), figure(&format!("{asked}~{pinned}")));
    assert_eq!((&alone.finding, alone.svg.contains("pinned: ")), (&beside.finding, false));
    assert!(beside.svg.contains("pinned: pipeline 2 stages"), "{}", beside.svg);
    let own = figure(pinned).table;
    let rows = beside.table.rows.iter().filter(|row| row.cells[0].text.starts_with("pinned: "));
    let rows: Vec<_> = rows.map(|row| &row.cells[1..]).collect();
    assert_eq!(rows, own.rows.iter().map(|row| &row.cells[..]).collect::<Vec<_>>());
    let read = |term: &str| beside.reads.iter().any(|read| read.text.starts_with(term));
    assert!(
        read("Pipeline bubble") && !alone.reads.iter().any(|read| read.text.starts_with("Pipeline bubble"))
    );
}

/// Pinned questions follow the question in the request; their curves are drawn with names that say how they differ.
#[test]
fn pinned_questions_are_drawn_beside_the_question() {
    let asked = "v=1&view=inference&model=llama-3.1-8b&serve.tp=2&serve.batch=8";
    let pinned = "v=1&view=inference&model=llama-3.1-8b&serve.tp=4&serve.batch=8";
    let names = |link: &str, figure: &str| -> Vec<String> {
        let said = replies(link);
        let Some(Part::Figure(figure)) = answered(&said).part(figure) else { panic!("{figure}") };
        let pinned = figure.svg.matches("pinned: ").count();
        let named = figure.series.iter().map(|series| series.name.clone());
        named.chain([pinned.to_string()]).collect()
    };
    let alone = names(asked, "load");
    let beside = names(&format!("{asked}~{pinned}"), "load");
    assert_eq!(beside[..2], alone[..2]);
    assert_eq!(beside[2..4], ["TTFT, pinned: tensor 4 GPUs", "TPOT, pinned: tensor 4 GPUs"]);
    for figure in ["load", "dram-latency", "tradeoff", "link-latency", "capacity"] {
        let count = |link: &str| names(link, figure).pop().expect("a count");
        assert_eq!(count(asked), "0", "{figure}");
        assert_ne!(count(&format!("{asked}~{pinned}")), "0", "{figure}");
        // And named in the table, thus in the CSV file.
        let said = replies(&format!("{asked}~{pinned}"));
        let Some(Part::Figure(drawn)) = answered(&said).part(figure) else { panic!("{figure}") };
        let csv = drawn.table.to_csv();
        assert!(
            csv.contains("pinned: tensor 4 GPUs,") && csv.to_lowercase().contains("this question,"),
            "{csv}"
        );
        // The question itself, another view and a question without an answer add nothing.
        for other in [asked, "v=1&view=training", "v=1&view=inference&serve.ep=3"] {
            assert_eq!(names(&format!("{asked}~{other}"), figure), names(asked, figure), "{other}");
        }
    }
}
