//! The Generations view: how much faster each machine trains and serves than the first, and why.

mod causes;
mod configurations;
mod deployments;
mod entry;
mod fitting;
mod plans;
mod question;
mod ranges;
mod variants;

use super::{Answer, Card, News, Notice, Part, Question, Work, Working};
use crate::figure::{self, Figure, Size};
use crate::generations::machines::Outcome;
use crate::generations::{Deployed, Generation, Machines, Measure, ServedGeneration, ServedMachines};
use crate::scenario::{MachineComparison, Problem, Scenario};
use crate::units::{Amount, format};
use causes::Causes;
use fitting::{Fitting, SUBJECT, unfit};

pub(super) use entry::ENTRY;

/// State of the view: intermediate results of the last question.
#[derive(Debug, Default)]
pub(crate) struct Generations {
    last: Option<(Scenario, Size, Known)>,
}

/// Intermediate results for a question.
#[derive(Debug)]
struct Known {
    machines: Machines,
    /// The search for offers while it goes on, and the offers.
    fitting: Option<Fitting>,
    offers: Vec<Notice>,
    causes: Option<Causes>,
    limits: Option<Vec<Part>>,
    /// Reason why the model is not served, if it is not.
    served: Result<ServedMachines, Vec<Problem>>,
}

impl Known {
    fn of(question: &Scenario) -> Result<Self, Vec<Problem>> {
        let (machines, served) = (question.machines()?, question.served_machines());
        Ok(Self { machines, fitting: None, offers: Vec::new(), causes: None, limits: None, served })
    }

    /// Steps done, and steps in all.
    fn progress(&self) -> (usize, usize) {
        let (searched, searches) = self.machines.progress();
        let (served, machines) = self.served.as_ref().map_or((0, 0), ServedMachines::progress);
        let parts = usize::from(self.causes.is_some()) + usize::from(self.limits.is_some());
        let fitting = usize::from(self.fitting.is_some());
        (searched + parts + served, searches + fitting + 2 + machines)
    }

    /// Performs one more step and returns true if there are new results to show. Each part of the answer is shown when
    /// it is complete and keeps its position, because parts are computed in display order.
    fn advance(&mut self, question: &Scenario, size: Size) -> Result<bool, Vec<Problem>> {
        if leads(question) && self.causes.is_none() {
            self.causes = Some(Causes::of(question, size));
            return Ok(true);
        }
        if !self.trained() {
            self.machines.advance();
            if self.trained() {
                self.fitting = Fitting::of(question, &self.machines.generations());
            }
            return Ok(self.trained());
        }
        if let Some(fitting) = &mut self.fitting {
            let Some(offers) = fitting.advance(question) else { return Ok(false) };
            (self.offers, self.fitting) = (offers, None);
            return Ok(true);
        }
        if let Ok(served) = &mut self.served
            && served.progress().0 < served.progress().1
        {
            served.advance();
            return Ok(served.progress().0 == served.progress().1);
        }
        if self.causes.is_none() {
            self.causes = Some(Causes::of(question, size));
        } else {
            self.limits = Some(limits(question, size)?);
        }
        Ok(true)
    }

    /// Returns true if every machine's best plan is known.
    const fn trained(&self) -> bool {
        let (done, all) = self.machines.progress();
        done == all
    }

    fn answer(&self, question: &Scenario, size: Size) -> Answer {
        let mut answer = Answer::default();
        let causes = |answer: &mut Answer| {
            if let Some(causes) = &self.causes {
                answer.parts.extend(causes.parts.clone());
            }
        };
        if leads(question) {
            if let Some(Card { label, amount: Some(amount), note, .. }) =
                self.causes.as_ref().and_then(|causes| causes.card.as_ref())
            {
                answer.lead = format!("{amount}: {label} ({note})");
            }
            answer.cards.extend(self.causes.iter().filter_map(|causes| causes.card.clone()));
            causes(&mut answer);
        }
        if !self.trained() {
            return answer;
        }
        let generations = self.machines.generations();
        if answer.lead.is_empty() {
            answer.lead = lead(question, &generations);
        }
        answer.offers.clone_from(&self.offers);
        answer.cards.extend(cards(question, &generations));
        answer.parts.extend(trained(question, &generations, size));
        match &self.served {
            Ok(served) if served.progress().0 == served.progress().1 => {
                answer.cards.extend(card_of_service(served));
                let figures = Measure::ALL.map(|measure| {
                    let opened = |row: &ServedGeneration, deployed: &Deployed| {
                        deployments::opened(question, row, deployed)
                    };
                    figure::served_speedup(served.rows(), (measure, served.floor()), &opened, size).into()
                });
                answer.parts.extend(figures);
                answer.parts.push(deployments::part(question, served).into());
            }
            Ok(_) => {}
            Err(problems) => answer.parts.push(Notice::refused("served", problems).into()),
        }
        if !leads(question) {
            causes(&mut answer);
        }
        answer.parts.extend(self.limits.iter().flatten().cloned());
        answer
    }
}

/// Returns true if the detailed comparison was requested, in which case it comes first.
fn leads(question: &Scenario) -> bool {
    question.comparison != MachineComparison::default()
}

impl Working for Generations {
    fn step(&mut self, question: &Question) -> Work {
        self.advance(question).unwrap_or_else(Work::Refused)
    }
}

impl Generations {
    fn advance(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let (scenario, size) = (&question.scenario, question.size);
        let known = match &mut self.last {
            Some((last, drawn, known)) if last == scenario && *drawn == size => known,
            last => &mut last.insert((scenario.clone(), size, Known::of(scenario)?)).2,
        };
        let new = known.limits.is_some() || known.advance(scenario, size)?;
        let (done, of) = known.progress();
        Ok(if done == of {
            Work::Done(News::Whole(known.answer(scenario, size)))
        } else if new {
            Work::Partial(done as u32, of as u32, News::Whole(known.answer(scenario, size)))
        } else {
            Work::Progress(done as u32, of as u32)
        })
    }
}

/// Cards, the speed-ups in training, and the plan behind each.
pub fn first(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    let generations = question.generations()?;
    Ok(Answer {
        lead: lead(question, &generations),
        cards: cards(question, &generations),
        parts: trained(question, &generations, size),
        ..Answer::default()
    })
}

fn trained(question: &Scenario, generations: &[Generation], size: Size) -> Vec<Part> {
    let opened = |generation: &Generation, outcome: &Outcome| plans::opened(question, generation, outcome);
    vec![figure::speedup(generations, &opened, size).into(), plans::part(question, generations).into()]
}

/// States the training speed-up of the subject over the first machine, each at its own best, and with the same plan.
fn lead(question: &Scenario, generations: &[Generation]) -> String {
    let model = question.architecture().map_or("the model", |model| &model.name);
    let subject = generations.iter().find(|generation| generation.accelerator == SUBJECT);
    let (Some(first), Some(subject)) = (generations.first(), subject) else { return String::new() };
    let Some(best) = subject.best_speedup.map(Amount::times) else {
        let machine = unfit(generations).map_or("one of the machines", |machine| &machine.name);
        return format!(
            "No plan to train {model} fits on {} × {machine}",
            Amount::count(question.system.gpus)
        );
    };
    let same = subject.same_speedup.map_or_else(
        || "the same plan does not run".to_owned(),
        |same| format!("{} with the same plan", Amount::times(same)),
    );
    let at_best = |generation: &Generation| {
        let format = generation.best.as_ref().map(|best| best.precision.name());
        format!("{}{}", generation.name, format.map_or_else(String::new, |format| format!(" in {format}")))
    };
    let range = ranges::at_best(question, first, subject);
    let range = range.map_or_else(String::new, |range| format!(" ({range})"));
    let (subject, first) = (at_best(subject), at_best(first));
    format!("{subject} trains {model} {best}{range} as fast as {first}, each at its own best; {same}")
}

fn cards(question: &Scenario, generations: &[Generation]) -> Vec<Card> {
    let card = |id: &str, label: String, generation: &Generation| {
        let note = match generation.same_speedup {
            Some(speedup) => format!("{} with the same plan", Amount::times(speedup)),
            None => "the same plan does not run".to_owned(),
        };
        let range = generations.first().and_then(|first| ranges::at_best(question, first, generation));
        Card { range, ..Card::known(id, label, generation.best_speedup.map(Amount::times)).noted(note) }
    };
    let subject = generations.iter().find(|generation| generation.accelerator == SUBJECT);
    let best = generations.iter().max_by(|a, b| {
        let speed = |generation: &Generation| generation.best_speedup.unwrap_or(0.0);
        speed(a).total_cmp(&speed(b))
    });
    let subject = subject
        .map(|it| card("speedup-b200", format!("{} over A100, training, each at its best", it.name), it));
    let best =
        best.map(|it| card("speedup-best", format!("Fastest in training at its best: {}", it.name), it));
    [subject, best].into_iter().flatten().collect()
}

/// Card of the subject's best served throughput relative to the first machine's best.
fn card_of_service(served: &ServedMachines) -> Option<Card> {
    let rows = served.rows();
    let first = rows.first()?;
    let subject = rows.iter().find(|row| row.accelerator == SUBJECT)?;
    let over = |of: fn(&ServedGeneration, Measure) -> Option<Deployed>| {
        Some(of(subject, Measure::Served)?.value / of(first, Measure::Served)?.value)
    };
    let same = over(ServedGeneration::same).map_or_else(
        || "the same deployment does not run".to_owned(),
        |same| format!("{} with the same deployment", Amount::times(same)),
    );
    let note = format!("output tokens per second per GPU, each at its best; {same}");
    let label = format!(
        "{} over A100, serving at {} tokens/s per user",
        subject.name,
        format::digits(served.floor())
    );
    Some(Card::known("served-b200", label, over(ServedGeneration::best).map(Amount::times)).noted(note))
}

/// Shares of the time by what limits it, on each machine.
fn limits(question: &Scenario, size: Size) -> Result<Vec<Part>, Vec<Problem>> {
    let workloads = question.bindings()?.into_iter().filter(|(_, machines)| !machines.is_empty());
    Ok(workloads
        .map(|(workload, machines)| {
            let drawn = figure::binding_shares(workload, &machines, size);
            Figure { id: format!("binding-{}", workload.to_ascii_lowercase()).into(), ..drawn }.into()
        })
        .collect())
}
