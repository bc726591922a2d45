//! The protocol between the page and the service.

use serde::{Deserialize, Serialize};

use crate::figure::Size;
use crate::json;
use crate::scenario::Problem;
use crate::sizing::Share;
use crate::view::News;

/// Message from the page to the service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Number of the request, which its replies repeat.
    pub id: u32,
    /// The request.
    pub ask: Ask,
}

/// Kinds of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// The answer to the question of a link, in its view. It replaces the question before it.
    Answer {
        /// The question, as the address has it, without `#`; then the questions that are pinned, or for Validation the
        /// collected rows, joined by `~`.
        link: String,
        /// The shape of the space that figures are drawn for.
        size: Size,
        /// Number of workers on the question, this one included.
        workers: u32,
    },
    /// Work on a question that another worker answers. It replaces the question before it, and has only `Share` replies.
    Help {
        /// The question.
        link: String,
        /// Index of this worker among those on the question; that with index 0 answers.
        index: u32,
        /// Number of workers on the question.
        workers: u32,
    },
    /// A result of another worker on the same question. It has no reply.
    Share(Share),
    /// A trace of requests to keep in place of the one before, for questions that name it. It has no reply.
    Trace {
        /// Content of the file.
        text: String,
    },
    /// An end to the last question.
    Stop,
}

/// Message from the service to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The number of the request.
    pub id: u32,
    /// The reply.
    pub said: Said,
}

/// Kinds of replies. A question to answer gets any number of `Progress`, `Partial` and
/// `Share` replies, then one of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Progress of the answer; the parts shown so far remain valid.
    Progress {
        /// Steps done.
        done: u32,
        /// Steps in all.
        of: u32,
    },
    /// A part of the answer.
    Partial {
        /// Steps done.
        done: u32,
        /// Steps in all.
        of: u32,
        /// The change since the last reply.
        news: News,
    },
    /// The answer is complete with these news.
    Answer(News),
    /// Problems of the question; never empty.
    Refused(Vec<Problem>),
    /// A result for the other workers on the question.
    Share(Share),
    /// Failure of the service; the question itself has no problem.
    Fault {
        /// One sentence without a full stop.
        message: String,
    },
}

impl Request {
    /// The request as JSON text.
    pub fn to_text(&self) -> String {
        // A request has no map and no number that JSON lacks: writing it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The request of a JSON text, if that is one.
    pub fn from_text(text: &str) -> Option<Self> {
        json::from_text(text).ok()
    }
}

impl Reply {
    /// The reply as JSON in UTF-8: its memory can be handed from the worker to the page, which a string's cannot.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A reply has no map, and its numbers are exact text: writing it cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The reply of a JSON text in UTF-8, if that is one.
    pub fn from_bytes(text: &[u8]) -> Option<Self> {
        json::from_text(std::str::from_utf8(text).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use crate::figure::{Cell, Column, Comparable, Figure, Read, Row, Series, Table};
    use crate::launch::Command;
    use crate::scenario::Scenario;
    use crate::sizing::Fleet;
    use crate::units::{Amount, Unit};
    use crate::view::{self, Answer, Card, Commands, Link, Notice, Pager, Part, Range, TablePart};

    /// An example of each variant, from a function that gives the first one and the one after each. The functions match all
    /// variants, so that a new one does not compile until it has an example.
    fn each<T>(after: fn(Option<&T>) -> Option<T>) -> impl Iterator<Item = T> {
        iter::successors(after(None), move |last| after(Some(last)))
    }

    fn ask(last: Option<&Ask>) -> Option<Ask> {
        let link = || "v=1&model=%3Cimg%3E\u{7}\"".to_owned();
        match last {
            None => Some(Ask::Answer { link: link(), size: Size::Narrow, workers: 1 }),
            Some(Ask::Answer { .. }) => Some(Ask::Help { link: link(), index: 1, workers: 2 }),
            Some(Ask::Help { .. }) => share(None).map(Ask::Share),
            Some(Ask::Share(_)) => Some(Ask::Trace { text: "{\"timestamp\": 0}\n".to_owned() }),
            Some(Ask::Trace { .. }) => Some(Ask::Stop),
            Some(Ask::Stop) => None,
        }
    }

    fn said(last: Option<&Said>) -> Option<Said> {
        match last {
            None => Some(Said::Progress { done: 1, of: 2 }),
            Some(Said::Progress { .. }) => news(None).map(|news| Said::Partial { done: 1, of: 2, news }),
            Some(Said::Partial { .. }) => news(None).map(Said::Answer),
            Some(Said::Answer(_)) => {
                Some(Said::Refused(vec![Problem::new("field", "message"), Problem::new("", "<b>")]))
            }
            Some(Said::Refused(_)) => share(None).map(Said::Share),
            Some(Said::Share(_)) => Some(Said::Fault { message: "broken".to_owned() }),
            Some(Said::Fault { .. }) => None,
        }
    }

    fn share(last: Option<&Share>) -> Option<Share> {
        match last {
            None => {
                let device = serde_json::json!({
                    "device": 1, "tried": 2, "fleets": [Fleet::default()], "miss": null, "readers": [],
                });
                Some(Share::Device(json::from_text(&device.to_string()).expect("fleets of a device")))
            }
            Some(Share::Device(_)) => Some(Share::Simulated { rank: 3, fleet: Box::default() }),
            Some(Share::Simulated { .. }) => None,
        }
    }

    fn news(last: Option<&News>) -> Option<News> {
        match last {
            None => Some(News::Whole(answer())),
            Some(News::Whole(_)) => Some(News::More(answer().parts)),
            Some(News::More(_)) => Some(News::Offers(answer().offers)),
            Some(News::Offers(_)) => None,
        }
    }

    fn part(last: Option<&Part>) -> Option<Part> {
        match last {
            None => Some(figure().into()),
            Some(Part::Figure(_)) => Some(table().into()),
            Some(Part::Table(_)) => Some(notice().into()),
            Some(Part::Notice(_)) => Some(commands().into()),
            Some(Part::Commands(_)) => None,
        }
    }

    fn figure() -> Figure {
        let read = Read { x: 1.0 / 3.0, y: 0.5, extent: (0.0, 2.0), ..Read::default() };
        let series = Series { number: 3, name: "S".to_owned(), ..Series::default() };
        let at = Some(Amount::new(f64::INFINITY, Unit::Memory));
        let compared = vec![Comparable { at, ..Comparable::default() }, Comparable::default()];
        Figure { id: "f".into(), reads: vec![read], series: vec![series], compared, ..Figure::default() }
    }

    fn table() -> TablePart {
        let mut table = Table::under([Column::of("A", "s"), Column::new("B").file_only()]);
        let cells = vec![Cell::number(1.0 / 3.0, "third").opening("v=1").noted("note"), Cell::none()];
        table.rows.push(Row { group: Some("Group".to_owned()), current: true, cells });
        let pager = Pager { page: 2, pages: 2, previous: Some("v=1".to_owned()), next: None };
        let part = TablePart::new("t", "T", "F", table);
        TablePart { shown_rows: Some(1), pager: Some(pager), saved: false, ..part }
    }

    fn notice() -> Notice {
        let link = Link::at("x ×", "v=1".to_owned()).hinted("remove");
        Notice::new("n", "Filters", vec![Link { address: "https://arxiv.org/".to_owned(), ..link }])
    }

    fn commands() -> Commands {
        let command = Command {
            tool: "vLLM".to_owned(),
            version: "v1".to_owned(),
            text: "vllm serve \\\n  'a b'\n".to_owned(),
            notes: vec!["note".to_owned()],
        };
        let (id, title, finding) = ("c".to_owned(), "C".to_owned(), "F".to_owned());
        Commands { id, title, finding, commands: vec![command] }
    }

    /// An answer with everything that one can have.
    fn answer() -> Answer {
        let mut answer = view::first(&Scenario::default(), Size::Wide).expect("an answer");
        let range = Range {
            value: Amount::new(0.5, Unit::Seconds),
            low: Amount::new(0.1 + 0.2, Unit::Seconds),
            high: Amount::new(f64::INFINITY, Unit::Seconds),
            why: "rows".to_owned(),
            link: "v=1".to_owned(),
        };
        answer.offers.push(notice());
        answer.problems.push(Problem::new("field", "message"));
        answer.cards.push(Card { range: Some(range), ..Card::words("x", "X", "</script>\u{2028}") });
        answer.parts.extend(each(part));
        answer
    }

    #[test]
    fn requests_arrive_as_they_were_sent() {
        for ask in each(ask).chain(each(share).map(Ask::Share)) {
            let request = Request { id: 7, ask };
            assert_eq!(Request::from_text(&request.to_text()), Some(request));
        }
    }

    #[test]
    fn replies_arrive_as_they_were_sent() {
        let partial = each(news).map(|news| Said::Partial { done: 1, of: 2, news });
        for said in each(said).chain(partial).chain(each(share).map(Said::Share)) {
            let reply = Reply { id: u32::MAX, said };
            assert_eq!(Reply::from_bytes(&reply.to_bytes()), Some(reply));
        }
    }

    #[test]
    fn anything_else_is_no_message() {
        for text in
            ["", "null", "[1]", "{\"id\":1}", "{\"id\":-1,\"ask\":\"stop\"}", "{\"id\":1,\"ask\":\"shout\"}"]
        {
            assert_eq!(Request::from_text(text), None);
            assert_eq!(Reply::from_bytes(text.as_bytes()), None);
        }
    }
}
