//! The Generations view: speed-ups of each machine over the first, their causes, and what limits each machine.

mod plans;
mod variants;

use super::work::{Stage, staged};
use super::{Answer, Card, Notice, Part, Question, Work, Working};
use crate::figure::{self, Figure, Size};
use crate::generations::Generation;
use crate::scenario::{Problem, Scenario};
use crate::units::Amount;

/// The device whose speed-up always has a card.
const SUBJECT: &str = "b200";

const LATER: [Stage; 2] = [("waterfall", causes), ("binding", limits)];

/// The view at work.
#[derive(Debug)]
pub(crate) struct Generations;

impl Working for Generations {
    fn step(&mut self, question: &Question) -> Work {
        staged(question, first, &LATER)
    }
}

/// Cards, the speed-ups, and the plan behind each.
pub fn first(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    let generations = question.generations()?;
    Ok(Answer {
        cards: cards(&generations),
        parts: vec![figure::speedup(&generations, size).into(), plans::part(&generations).into()],
    })
}

fn cards(generations: &[Generation]) -> Vec<Card> {
    let card = |id: &str, label: String, generation: &Generation| {
        let note = match generation.same_speedup {
            Some(speedup) => format!("{} with the same plan", Amount::times(speedup)),
            None => "the same plan does not run".to_owned(),
        };
        Card::known(id, label, generation.best_speedup.map(Amount::times)).noted(note)
    };
    let subject = generations.iter().find(|generation| generation.accelerator == SUBJECT);
    let best = generations.iter().max_by(|a, b| {
        let speed = |generation: &Generation| generation.best_speedup.unwrap_or(0.0);
        speed(a).total_cmp(&speed(b))
    });
    let subject = subject.map(|it| card("speedup-b200", format!("{} over A100", it.name), it));
    let best = best.map(|it| card("speedup-best", format!("Fastest: {}", it.name), it));
    [subject, best].into_iter().flatten().collect()
}

/// One speed-up and its causes, and the same under other assumptions. A comparison that has no answer leaves the
/// rest of the view as it is.
fn causes(question: &Scenario, size: Size) -> Result<Vec<Part>, Vec<Problem>> {
    match question.waterfall() {
        Ok(found) => Ok(vec![
            figure::waterfall(&found, size).into(),
            variants::part(question, &question.variants()?).into(),
        ]),
        Err(problems) => Ok(vec![Notice::refused("waterfall", &problems).into()]),
    }
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
