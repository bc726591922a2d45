//! Words and digits of answers: numbers of things, and values that are nearly zero or whole.

use foretoken::view::{Answer, Part};

use crate::service::{answered, replies};

fn answer(link: &str) -> Answer {
    answered(&replies(link)).clone()
}

fn shown(answer: &Answer, card: &str) -> String {
    answer.card(card).unwrap_or_else(|| panic!("no {card}")).shown()
}

#[test]
fn one_token_is_one_step() {
    let answer = answer("v=1&model=llama-3.1-8b&gpus=8&tp=8&pp=1&batch=64&tokens=1");
    assert!(answer.lead.contains(" on 1 token with "), "{}", answer.lead);
    let days = answer.card("days").expect("a card");
    assert_eq!(days.label, "Time to 1 token");
    assert!(days.note.starts_with("1 step"), "{}", days.note);
    // A plan of a search takes a step as well.
    let best = &answer.offers.first().expect("an offer").text;
    assert!(!best.contains("µs") && !best.contains("$0.0000"), "{best}");
}

#[test]
fn one_user_and_one_request_are_singular() {
    let sizing = "v=1&view=sizing&model=llama-3.1-8b&size.one=true&serve.engine=vllm";
    let one = answer(&format!("{sizing}&size.users=1"));
    assert!(one.lead.contains(" carries 1 user ("), "{}", one.lead);
    let request = answer(&format!("{sizing}&size.load=concurrency&serve.concurrency=1"));
    assert_eq!(shown(&request, "in-flight"), "1");
}

#[test]
fn an_exact_result_is_written_alike_in_the_list_and_inside() {
    let sweep = answer("v=1&view=papers&result=sweeps-gpt3");
    assert_eq!(sweep.lead, "Mean error of less than 0.001 % against 256 published values");
    assert_eq!(shown(&sweep, "mean"), "less than 0.001 %");
}

#[test]
fn figures_of_hardware_are_in_plain_sentences() {
    let answer = answer("v=1&view=inference&model=llama-3.1-8b&serve.tp=2");
    let mut limits = 0;
    for part in &answer.parts {
        let Part::Figure(figure) = part else { continue };
        let texts = [&figure.finding, &figure.svg].into_iter().chain(&figure.assumptions);
        for text in texts {
            for riddle in ["takes over", "GiB have room", "floor none", " times as "] {
                assert!(!text.contains(riddle), "{}: {text}", figure.id);
            }
            limits += usize::from(text.contains("limited by"));
        }
    }
    assert!(limits > 0);
    let costs = self::answer("v=1");
    let rows = &costs.part("costs").and_then(Part::table).expect("a table").rows;
    let numeric = rows[1].cells[1].text.chars().all(|digit| digit.is_ascii_digit() || digit == ',');
    assert_eq!((&*rows[1].cells[0].text, numeric), ("GPU-hours", true), "{:?}", rows[1]);
}

#[test]
fn times_in_read_outs_have_three_digits() {
    let answer = answer("v=1&view=inference&model=llama-3.1-8b&serve.tp=2");
    let links = answer.figures().find(|figure| figure.id == "link-latency").expect("a figure");
    let times: Vec<&str> =
        links.reads.iter().filter_map(|read| read.text.split_once("Latency ")?.1.split(' ').next()).collect();
    assert!(times.len() > 5, "{:?}", links.reads);
    for time in times {
        assert_eq!(time.chars().filter(char::is_ascii_digit).count(), 3, "{time}");
    }
}
