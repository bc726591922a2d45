//! The Technology view: the best accelerator of each node, memory and links for a task, point by point.

mod entry;
mod offers;
mod parts;
mod tables;

use super::{News, Question, Work, Working};
use crate::catalog::Technology;
use crate::generations::frontier::{NodeCurve, NodePoint, best};
use crate::scenario::{Problem, Scenario};
use crate::technology::Components;
use parts::Parts;

pub(super) use entry::ENTRY;

/// The view at work: the points of the last question that are known.
#[derive(Debug, Default)]
pub(crate) struct Frontiers {
    last: Option<(Scenario, Known)>,
}

#[derive(Debug)]
struct Known {
    technology: Technology,
    /// Node after node, for one memory after the other and then for one kind of links after the other.
    points: Vec<Option<NodePoint>>,
}

impl Known {
    /// Points of the lines over memories, and of all lines.
    fn sizes(&self) -> (usize, usize) {
        let Technology { nodes, stacks, fabrics, .. } = &self.technology;
        (nodes.len() * stacks.len(), nodes.len() * (stacks.len() + fabrics.len()))
    }

    /// Node, memory and links of a point.
    fn components<'a>(&'a self, chosen: &Components<'a>, index: usize) -> Option<Components<'a>> {
        let Technology { nodes, stacks, fabrics, .. } = &self.technology;
        let node = nodes.get(index % nodes.len())?;
        let line = index / nodes.len();
        Some(match stacks.get(line) {
            Some(stack) => Components { node, stack, ..*chosen },
            None => Components { node, fabric: fabrics.get(line - stacks.len())?, ..*chosen },
        })
    }

    /// Lines over memories and over kinds of links, computed so far.
    fn lines(&self) -> (Vec<NodeCurve>, Vec<NodeCurve>) {
        let Technology { nodes, stacks, fabrics, .. } = &self.technology;
        let mut found = self.points.chunks(nodes.len());
        let mut line = |name| NodeCurve { name, points: found.next().unwrap_or_default().to_vec() };
        let memories = stacks.iter().map(|stack| line(stack.name())).collect();
        let links = fabrics.iter().map(|fabric| line(fabric.name.clone())).collect();
        (memories, links)
    }
}

impl Working for Frontiers {
    fn step(&mut self, question: &Question) -> Work {
        self.advance(question).unwrap_or_else(Work::Refused)
    }
}

impl Frontiers {
    /// Computes one more point. The lines over memories are shown as soon as they are complete.
    fn advance(&mut self, question: &Question) -> Result<Work, Vec<Problem>> {
        let scenario = &question.scenario;
        let known = match &mut self.last {
            Some((last, known)) if last == scenario => known,
            last => {
                let known = Known { technology: scenario.technologies()?, points: Vec::new() };
                &mut last.insert((scenario.clone(), known)).1
            }
        };
        let (part, all) = known.sizes();
        let done = known.points.len();
        if done < all {
            let found = scenario.with_frontier(|asked| {
                let components = known.components(&asked.components, done)?;
                best(&components, &asked.budget, &asked.task, asked.assumed)
            })?;
            known.points.push(found);
        }
        let done = known.points.len();
        let answer = || {
            let (memories, links) = known.lines();
            let parts = Parts { scenario, technology: &known.technology, memories, links };
            News::Whole(parts.answer(question))
        };
        Ok(match done {
            _ if done >= all => Work::Done(answer()),
            _ if done >= part && question.shown.is_none() => Work::Partial(done as u32, all as u32, answer()),
            _ => Work::Progress(done as u32, all as u32),
        })
    }
}
