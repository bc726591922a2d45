//! A search that several workers share: its answer is that of one worker, however many there are and whenever they begin.

use foretoken::figure::Size;
use foretoken::service::{Ask, Reply, Request, Said, Service, Step};
use foretoken::sizing::{Fleet, Share};
use foretoken::view::Answer;

use crate::service::{all as replies, answered, request};

/// A small model, whose search is short, with percentiles to hold, so that fleets get replicas by simulation.
const ASKED: &str = "v=1&view=sizing&model=llama-3.1-8b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30\
                     &serve.engine=vllm&size.percentile=p95&size.users=200";

/// The answer and the number of steps of one worker.
fn alone(link: &str) -> (Answer, usize) {
    let mut service = Service::default();
    service.ask(request(1, link));
    let said = replies(&mut service, "");
    (answered(&said).clone(), said.len())
}

/// Services on one question, the first of which answers, with what was told so far.
struct Workers {
    services: Vec<Service>,
    /// True for services that were asked.
    asked: Vec<bool>,
    shares: Vec<(usize, String)>,
    steps: usize,
}

impl Workers {
    /// Workers of which the first one was asked.
    fn ask(link: &str, workers: u32) -> Self {
        let mut services: Vec<Service> = (0..workers).map(|_| Service::default()).collect();
        let ask = Ask::Answer { link: link.to_owned(), size: Size::Wide, workers };
        services[0].ask(Request { id: 7, ask });
        let asked = (0..workers).map(|place| place == 0).collect();
        Self { services, asked, shares: Vec::new(), steps: 0 }
    }

    /// Asks a helper, and tells it what is known.
    fn join(&mut self, place: usize, link: &str) {
        self.asked[place] = true;
        let workers = self.services.len() as u32;
        let helper = &mut self.services[place];
        let ask = Ask::Help { link: link.to_owned(), index: place as u32, workers };
        helper.ask(Request { id: 7, ask });
        for (_, share) in &self.shares {
            helper.ask(Request::from_text(share).expect("a request"));
        }
    }

    /// Number of simulated fleets that were told.
    fn simulated(&self) -> usize {
        self.shares.iter().filter(|(_, share)| share.contains("\"simulated\":{\"rank\"")).count()
    }

    /// Takes a step of one worker, and tells the others what it found. Returns the answer at the end.
    fn step(&mut self, place: usize) -> Option<Said> {
        self.steps += usize::from(place == 0);
        let Step::Tell(reply) = self.services[place].step() else { return None };
        let Reply { id, said } = Reply::from_bytes(&reply.to_bytes()).expect("a reply");
        if let Said::Share(share) = said {
            let share = Request { id, ask: Ask::Share(share) }.to_text();
            for (_, other) in self.services.iter_mut().enumerate().filter(|(other, _)| *other != place) {
                // Ignored by those that were not asked yet.
                other.ask(Request::from_text(&share).expect("a request"));
            }
            self.shares.push((place, share));
            return None;
        }
        matches!(said, Said::Answer(_)).then_some(said)
    }
}

#[test]
fn workers_that_share_a_search_give_the_answer_of_one() {
    let asked = ASKED.to_owned();
    for link in [asked.clone(), asked + "&size.disaggregated=true&size.one=true"] {
        let (expected, steps) = alone(&link);
        for workers in [2, 4] {
            let mut team = Workers::ask(&link, workers);
            let mut turn = 0;
            let said = loop {
                // The last helper begins when fleets are simulated already; the others take more steps than the first worker
                // from time to time.
                turn += 1;
                for place in 1..workers as usize {
                    let begins = if place == 3 { team.simulated() > 0 } else { turn >= place };
                    if begins && !team.asked[place] {
                        team.join(place, &link);
                    }
                    for _ in 0..=usize::from(turn % 5 == place) {
                        assert_eq!(team.step(place), None);
                    }
                }
                if let Some(said) = team.step(0) {
                    break said;
                }
            };
            assert_eq!(answered(&[said]), &expected, "{workers} workers");
            assert!(team.shares.iter().any(|(place, _)| *place > 0));
            // Each fleet is simulated once, and by the end some of the last ones twice.
            assert!(team.simulated() <= 50 + 2 * workers as usize, "{} simulations", team.simulated());
            let most = if link.contains("one=true") { steps * 9 / 10 } else { steps * 2 / 3 };
            assert!(team.steps < most, "{workers} workers: {} of {steps} steps", team.steps);
        }
    }
}

#[test]
fn results_of_other_questions_are_ignored() {
    let (expected, _) = alone(ASKED);
    let mut service = Service::default();
    service.ask(Request { id: 1, ask: Ask::Answer { link: ASKED.to_owned(), size: Size::Wide, workers: 2 } });
    let strange = Share::Simulated { rank: 9_999, fleet: Box::<Fleet>::default() };
    for id in [0, 1] {
        service.ask(Request { id, ask: Ask::Share(strange.clone()) });
    }
    let said: Vec<Said> =
        replies(&mut service, "").into_iter().filter(|said| !matches!(said, Said::Share(_))).collect();
    assert_eq!(answered(&said), &expected);
}
