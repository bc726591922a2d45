//! What the second program answers, without a browser.

#![allow(clippy::unwrap_used, clippy::panic)] // A test that cannot go on has failed.

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
