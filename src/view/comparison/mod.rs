//! Several questions side by side: the settings that differ, and their numbers with ratios to the first.

mod figures;
mod numbers;
mod searched;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::figures::figures;
pub use self::numbers::{Searched, searches};
use self::numbers::{Stated, known, numbers};
pub use self::searched::searched;
pub use super::differences::Difference;
use super::differences::{changes, differences};
use super::title::title;
use super::{Question, Views};
use crate::figure::Size;
use crate::scenario::{Problem, Scenario, link};
use crate::units::Amount;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The value.
    pub amount: Amount,
    /// Text in place of the amount, e.g. `at least 95.0 %`; empty if the amount is shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Ratio to the baseline's value. `None` for the baseline itself, where one of the two is shown as text, and where the baseline's
    /// value is not positive.
    pub ratio: Option<Amount>,
}

impl Compared {
    /// Displayed value: the text in place of the amount, if there is one, otherwise the amount.
    pub fn shown(&self) -> String {
        if self.words.is_empty() { self.amount.to_string() } else { self.words.clone() }
    }
}

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
            numbers: compared(&answers.iter().zip(questions).map(known).collect::<Vec<_>>()),
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

/// Every number that any answer has, in the order in which they first appear.
fn compared(answers: &[Vec<Stated>]) -> Vec<Number> {
    let mut labels: Vec<&str> = Vec::new();
    for Stated { label, .. } in answers.iter().flatten() {
        if !labels.contains(&label.as_str()) {
            labels.push(label.as_str());
        }
    }
    let number = |label: &str| {
        let stated: Vec<Option<&Stated>> =
            answers.iter().map(|answer| answer.iter().find(|stated| stated.label == label)).collect();
        let baseline = stated.first().copied().flatten();
        let baseline = baseline.filter(|base| base.amount.value > 0.0 && base.words.is_empty());
        let values = stated.iter().enumerate().map(|(index, stated)| {
            let Stated { amount, words, .. } = (*stated)?;
            let base = baseline.filter(|_| index > 0 && words.is_empty());
            let ratio = base.map(|base| Amount::times(amount.value / base.amount.value));
            Some(Compared { amount: *amount, words: words.clone(), ratio })
        });
        Number { label: label.to_owned(), values: values.collect() }
    };
    labels.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers::MEMORY;
    use super::*;
    use crate::view::first;
    use crate::view::inference::DECODE_COST;

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
            let ratios: Vec<_> = values.iter().map(|value| value.as_ref().expect("a number").ratio).collect();
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
        assert_eq!(number.and_then(|number| number.values[0].as_ref()).map(|value| value.amount), card);
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
        assert!(
            first.values[0].is_none() && first.values[2].as_ref().is_some_and(|value| value.ratio.is_none())
        );
        assert!(number("Step time").is_some());
        assert!(comparison.questions[3].title.starts_with("<img> on "), "{:?}", comparison.questions);
    }

    #[test]
    fn a_question_that_does_not_fit_has_its_memory() {
        let comparison = comparison("v=1~v=1&gpus=1&tp=1&pp=1");
        assert_eq!(comparison.questions[1].name, "2. 1 GPU, tensor 1 GPU");
        assert!(!comparison.refusals[1].is_empty());
        let memory = comparison.numbers.iter().find(|number| number.label == MEMORY).expect("a number");
        let needed = memory.values[1].as_ref().expect("an amount");
        assert_eq!(needed.amount.to_string(), "1.39 TiB");
    }

    #[test]
    fn words_are_compared_as_they_are_shown() {
        let sizing = "v=1&view=sizing&model=llama-3.1-8b&size.one=true&serve.ttft=4000&serve.tpot=200&serve.engine=vllm";
        let compared = comparison(&format!("{sizing}&size.users=50~{sizing}&size.users=100"));
        let met = compared.numbers.iter().find(|number| number.label == "Levels met").expect("a number");
        for value in &met.values {
            let value = value.as_ref().expect("a probability");
            assert_eq!((&*value.words, value.ratio), ("at least 95.0 %", None));
        }
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
        let ratio = step[1].as_ref().expect("a number").ratio.expect("a ratio").value;
        assert!((0.3..1.0).contains(&ratio) && step[2].is_none(), "{step:?}");
        let rates = values("Matrix rate, 16 bits");
        let rate = |place: usize| rates[place].as_ref().map(|value| value.amount.value);
        assert!(rate(0).is_none() && rate(3) > rate(2), "{rates:?}");
    }

    #[test]
    fn no_more_are_compared_than_are_read() {
        assert_eq!(comparison(&["v=1"; 20].join("~")).questions.len(), link::MAX_COMPARED);
        assert_eq!(Comparison::of(&vec![Scenario::default(); 20]).questions.len(), link::MAX_COMPARED);
        assert_eq!(Comparison::of(&[]), Comparison::default());
    }
}
