//! Several questions side by side: the settings that differ, and their numbers with ratios to the first.

mod figures;
mod searched;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::figures::figures;
pub use self::searched::searched;
pub use super::differences::Difference;
use super::differences::{changes, differences};
use super::inference::DECODE_COST;
use super::title::title;
use super::{Answer, Question, Views};
use crate::figure::Size;
use crate::scenario::{Problem, Scenario, View, link};
use crate::units::{Amount, Unit};

/// Questions side by side. Every list with an entry a question has them in the order of the questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The questions, the baseline first.
    pub questions: Vec<Asked>,
    /// The settings in which the questions differ.
    pub settings: Vec<Difference>,
    /// The numbers of their answers.
    pub numbers: Vec<Number>,
    /// Reason why a question has no answer; empty if it has one.
    pub refusals: Vec<Vec<Problem>>,
}

/// One of the questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Model and hardware, e.g. `Llama 3.1 70B on 512 × H100 SXM`.
    pub title: String,
    /// Unique short name for figures: its number and the settings that differ, e.g. `2. tensor 4 GPUs`.
    pub name: String,
    /// The question, as a link without `#`.
    pub link: String,
}

/// A number that some of the answers have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// Quantity, e.g. `Step time`.
    pub label: String,
    /// Each question's value; absent where its answer has none.
    pub values: Vec<Option<Compared>>,
}

/// A value and its ratio to the baseline's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The value.
    pub amount: Amount,
    /// Ratio to the baseline's value; `None` for the baseline, and if the baseline has no positive value.
    pub ratio: Option<Amount>,
}

/// The answer of a view that [searches], or the reasons why there is none. Until it is complete, it is empty.
pub type Searched = Result<Arc<Answer>, Vec<Problem>>;

impl Comparison {
    /// Compares at most [`link::MAX_COMPARED`] questions. Searches run to their end.
    pub fn of(questions: &[Scenario]) -> Self {
        let mut views = Views::default();
        let unread = |name: &str| Err(format!("{name} is not read for a comparison"));
        Self::with(questions, &mut |question| {
            views.whole(Question::new(question.clone(), Size::Narrow), &unread).map(Arc::new)
        })
    }

    /// Compares at most [`link::MAX_COMPARED`] questions; `search` answers those that are [searched](searches).
    pub fn with(questions: &[Scenario], search: &mut dyn FnMut(&Scenario) -> Searched) -> Self {
        let questions = at_most(questions);
        let answers: Vec<_> = questions.iter().map(|question| numbers(question, search)).collect();
        let settings = differences(questions);
        Self {
            questions: asked(questions, &settings),
            settings,
            numbers: compared(&answers),
            refusals: answers.into_iter().map(|answer| answer.err().unwrap_or_default()).collect(),
        }
    }
}

/// The questions of a list that are compared: the first [`link::MAX_COMPARED`].
fn at_most(questions: &[Scenario]) -> &[Scenario] {
    questions.get(..link::MAX_COMPARED).unwrap_or(questions)
}

/// The questions with names made of the first settings that differ, or of model and hardware if none differs.
fn asked(questions: &[Scenario], settings: &[Difference]) -> Vec<Asked> {
    let named = |(index, question): (usize, &Scenario)| Asked {
        title: title(question),
        name: format!("{}. {}", index + 1, changes(index, question, settings)),
        link: link::encode(question),
    };
    questions.iter().enumerate().map(named).collect()
}

/// Returns true if a search answers the question: that of every view but those with an estimate and those of published results.
/// The numbers to compare are then those of the cards.
pub fn searches(question: &Scenario) -> bool {
    !matches!(question.view, View::Training | View::Inference) && !question.view.is_published()
}

type Numbers = Result<Vec<(String, Amount)>, Vec<Problem>>;

/// The numbers of a question's answer, or why it has none.
fn numbers(question: &Scenario, search: &mut dyn FnMut(&Scenario) -> Searched) -> Numbers {
    if searches(question) {
        let answer = search(question)?;
        return Ok(answer.cards.iter().filter_map(|card| Some((card.label.clone(), card.amount?))).collect());
    }
    let numbers = estimated(question)?;
    Ok(numbers.into_iter().map(|(label, amount)| (label.to_owned(), amount)).collect())
}

/// The numbers of an estimate.
fn estimated(question: &Scenario) -> Result<Vec<(&'static str, Amount)>, Vec<Problem>> {
    let rate = |rate| Amount::new(rate, Unit::Rate);
    match question.view {
        View::Training => question.training().map(|estimate| {
            let device = question.system.accelerator().ok();
            let bill = device.map(|device| question.bill(&device, question.system.gpus, estimate.run));
            let run = bill.map_or(estimate.run, |bill| bill.time);
            let mut numbers = vec![
                ("Step time", Amount::time(estimate.step)),
                ("MFU", Amount::percent(estimate.mfu)),
                ("Tokens per second", rate(estimate.tokens_per_second)),
                ("Tokens per second per GPU", rate(estimate.tokens_per_second_per_gpu)),
                ("Time to the token budget", Amount::time(run)),
                ("Memory per GPU", Amount::memory(estimate.memory.total())),
            ];
            let (usd, kwh) = bill.map_or((None, None), |bill| (bill.usd, bill.kwh));
            numbers.extend(usd.map(|usd| ("Cost of the run", Amount::usd(usd))));
            numbers.extend(kwh.map(|kwh| ("Energy of the run", Amount::new(kwh, Unit::KilowattHours))));
            numbers
        }),
        View::Inference => question.inference().map(|estimate| {
            // The first output token is the prefill's, and has no price of its own.
            let bill = question.token_bill(&estimate).filter(|_| question.inference.output > 1);
            let mut numbers = vec![
                ("Time to first token", Amount::time(estimate.ttft)),
                ("Time per output token", Amount::time(estimate.tpot)),
                ("Request latency", Amount::time(estimate.latency)),
                ("Output tokens per second", rate(estimate.tokens_per_second)),
                ("Largest batch", Amount::count(estimate.largest_batch)),
                ("Memory per GPU", Amount::memory(estimate.memory.total())),
            ];
            let (usd, joules) =
                bill.map_or((None, None), |bill| (bill.usd_per_million_output, bill.joules_per_output));
            numbers.extend(usd.map(|usd| (DECODE_COST, Amount::usd(usd))));
            numbers
                .extend(joules.map(|joules| ("Energy per output token", Amount::new(joules, Unit::Joules))));
            numbers
        }),
        _ => Err(vec![Problem::new("view", "results of papers and measured rows are not compared")]),
    }
}

/// Every number that any answer has, in the order in which they first appear.
fn compared(answers: &[Numbers]) -> Vec<Number> {
    let mut labels: Vec<&str> = Vec::new();
    for (label, _) in answers.iter().flatten().flatten() {
        if !labels.contains(&label.as_str()) {
            labels.push(label.as_str());
        }
    }
    let number = |label: &str| {
        let of = |answer: &Numbers| -> Option<Amount> {
            let (_, amount) = answer.as_ref().ok()?.iter().find(|(known, _)| known == label)?;
            Some(*amount)
        };
        let baseline = answers.first().and_then(of).filter(|amount| amount.value > 0.0);
        let values = answers.iter().enumerate().map(|(index, answer)| {
            let amount = of(answer)?;
            let ratio = baseline.filter(|_| index > 0).map(|base| Amount::times(amount.value / base.value));
            Some(Compared { amount, ratio })
        });
        Number { label: label.to_owned(), values: values.collect() }
    };
    labels.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::first;

    fn comparison(links: &str) -> Comparison {
        let questions: Vec<_> = link::decode_all(links).into_iter().map(|decoded| decoded.scenario).collect();
        Comparison::of(&questions)
    }

    #[test]
    fn ratios_are_to_the_first() {
        let comparison =
            comparison("v=1&recompute=full&tp=8~v=1&recompute=full&tp=4~v=1&recompute=full&tp=8");
        let [difference] = &comparison.settings[..] else { panic!("{:?}", comparison.settings) };
        assert_eq!(
            (&*difference.name, &difference.shown[..]),
            ("Parallelism: Tensor", &["8 GPUs".to_owned(), "4 GPUs".to_owned(), "8 GPUs".to_owned()][..])
        );
        assert_eq!(comparison.numbers.len(), 8);
        for Number { label, values } in &comparison.numbers {
            let ratios: Vec<_> = values.iter().map(|value| value.expect("a number").ratio).collect();
            assert_eq!((ratios[0], ratios[2]), (None, Some(Amount::times(1.0))), "{label}");
            assert!(ratios[1].is_some_and(|ratio| ratio.value > 0.0), "{label}");
        }
        assert_eq!(comparison.questions[1].link, "v=1&tp=4&recompute=full");
    }

    #[test]
    fn a_run_takes_as_long_as_in_its_answer() {
        let question = link::decode("v=1").scenario;
        let card =
            first(&question, Size::Narrow).expect("an answer").card("days").and_then(|card| card.amount);
        let compared = Comparison::of(std::slice::from_ref(&question));
        let number = compared.numbers.iter().find(|number| number.label == "Time to the token budget");
        assert_eq!(number.and_then(|number| number.values[0]).map(|value| value.amount), card);
        let figures = figures(&[question], Size::Wide);
        let runs = figures.iter().find(|figure| figure.id == "compared-runs").expect("a figure");
        let drawn = runs.table.rows.iter().find(|row| row.cells[1].text == "512 GPUs").expect("a point");
        let days = card.expect("a time").value;
        assert!(drawn.cells.iter().any(|cell| cell.value == Some(days)), "{drawn:?}");
    }

    #[test]
    fn a_question_without_an_answer_has_its_problems() {
        let comparison = comparison("v=1~v=1&tp=7~v=1&view=inference&serve.tp=4~v=1&model=%3Cimg%3E");
        let counts: Vec<_> = comparison.refusals.iter().map(Vec::len).collect();
        assert_eq!((counts[0], counts[2]), (0, 0));
        assert_eq!(comparison.refusals[1][0].field, "parallelism.tensor");
        assert!(!comparison.refusals[3].is_empty());
        let number = |label: &str| comparison.numbers.iter().find(|number| number.label == label);
        let first = number("Time to first token").expect("a number");
        assert!(first.values[0].is_none() && first.values[2].is_some_and(|value| value.ratio.is_none()));
        assert!(number("Step time").is_some());
        assert!(comparison.questions[3].title.starts_with("<img> on "), "{:?}", comparison.questions);
    }

    #[test]
    fn the_cost_of_decoding_has_the_name_of_its_card() {
        let link = "v=1&view=inference";
        let answer = first(&link::decode(link).scenario, Size::Narrow).expect("an answer");
        let card = answer.card("usd-output").expect("a price").label.clone();
        assert_eq!(card, DECODE_COST);
        assert!(comparison(link).numbers.iter().any(|number| number.label == card));
    }

    #[test]
    fn answers_of_searches_are_compared_by_their_cards() {
        let search = "v=1&view=search&model=llama-3.1-8b&batch=64&seq=4096";
        let of = |gpus: u32| format!("{search}&gpus={gpus}&search.gpus_max={gpus}");
        let technology = "v=1&view=technology&tech.task=decode";
        let found = comparison(&format!("{}~{}~{technology}~{technology}&tech.node=n3", of(16), of(32)));
        assert!(found.refusals.iter().all(Vec::is_empty), "{:?}", found.refusals);
        let values = |label: &str| {
            let number = found.numbers.iter().find(|number| number.label == label).expect(label);
            number.values.clone()
        };
        let step = values("Step time");
        let ratio = step[1].expect("a number").ratio.expect("a ratio").value;
        assert!((0.3..1.0).contains(&ratio) && step[2].is_none(), "{step:?}");
        let rates = values("Matrix rate, 16 bits");
        let rate = |place: usize| rates[place].map(|value| value.amount.value);
        assert!(rate(0).is_none() && rate(3) > rate(2), "{rates:?}");
    }

    #[test]
    fn no_more_are_compared_than_are_read() {
        assert_eq!(comparison(&["v=1"; 20].join("~")).questions.len(), link::MAX_COMPARED);
        assert_eq!(Comparison::of(&vec![Scenario::default(); 20]).questions.len(), link::MAX_COMPARED);
        assert_eq!(Comparison::of(&[]), Comparison::default());
    }
}
