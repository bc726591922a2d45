//! Cards and figures of the Technology view: the chosen accelerator, curves over nodes, what limits.

use super::offers::offers;
use crate::catalog::Technology;
use crate::figure::{self, Figure};
use crate::generations::frontier::{NodeCurve, NodePoint};
use crate::scenario::Scenario;
use crate::units::{Amount, Unit, format};
use crate::view::{Answer, Card, Part, Question};

/// The node that speed-ups of the headline begin with.
const FIRST: &str = "n7";

/// Everything that an answer is made from.
pub(super) struct Parts<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) technology: &'a Technology,
    /// One line per memory, with the chosen links.
    pub(super) memories: Vec<NodeCurve>,
    /// One line per kind of links, with the chosen memory.
    pub(super) links: Vec<NodeCurve>,
}

impl Parts<'_> {
    /// Everything that is known so far.
    pub(super) fn answer(&self, question: &Question) -> Answer {
        let tables = [self.budgets(), self.built(), self.numbers()].map(Part::from);
        let unfit = self.chosen().is_none();
        Answer {
            lead: self.lead(),
            offers: if unfit { offers(self.scenario, self.technology, &self.memories) } else { Vec::new() },
            cards: self.cards(),
            parts: self.figures(question).into_iter().map(Part::from).chain(tables).collect(),
            ..Answer::default()
        }
    }

    /// The line with the chosen memory and links.
    fn line(&self) -> Option<&NodeCurve> {
        let chosen = self.technology.stack(&self.scenario.technology.memory)?;
        self.memories.iter().find(|line| line.name == chosen.name())
    }

    fn point(&self, node: &str) -> Option<&NodePoint> {
        let place = self.technology.nodes.iter().position(|known| known.id == node)?;
        self.line()?.points.get(place)?.as_ref()
    }

    /// The chosen accelerator.
    pub(super) fn chosen(&self) -> Option<&NodePoint> {
        self.point(&self.scenario.technology.node)
    }

    /// States the speed-up of the chosen accelerator over that of the first node, or its time where there is none.
    fn lead(&self) -> String {
        let choice = &self.scenario.technology;
        let Some(point) = self.chosen() else {
            return format!("{} of this job does not fit on an accelerator of this node", choice.task.name());
        };
        let speed = match self.point(FIRST).filter(|first| first.node != point.node) {
            Some(first) => {
                format!("is {} as fast as on {}", Amount::times(first.time / point.time), first.node)
            }
            None => format!("takes {}", Amount::time(point.time)),
        };
        format!("{} of this job on {} with {} {speed}", choice.task.name(), point.node, point.memory)
    }

    fn cards(&self) -> Vec<Card> {
        let choice = &self.scenario.technology;
        let Some(point) = self.chosen() else {
            let note =
                "too large for every accelerator of this node and memory: use more GPUs or a larger memory";
            return vec![Card::words("speedup", choice.task.name(), "does not fit").noted(note)];
        };
        let dies = f64::from(choice.dies);
        let (die, first) = (&point.die, self.point(FIRST));
        let stacks = die.allocation.stacks * choice.dies;
        let cores = die.multiprocessors * choice.dies;
        let binds = point.binding.largest();
        let speedup = first.map(|first| Amount::times(first.time / point.time));
        let (time, task) = (Amount::time(point.time), choice.task.name());
        vec![
            Card::new("peak", "Matrix rate, 16 bits", Amount::new((die.matrix * dies).get(), Unit::FlopRate))
                .noted(format!("{cores} multiprocessors at {} GHz", format::digits(die.clock.to_giga()))),
            Card::new("dram", "DRAM", Amount::new((die.dram * dies).get(), Unit::Bandwidth))
                .noted(format!("{stacks} stacks of {}", point.memory)),
            Card::known("speedup", "Speed-up over N7", speedup)
                .noted(format!("{task}: {time} with {} and {}", point.memory, point.fabric)),
            Card::new("energy", "Energy per token", Amount::new(point.energy_per_token.get(), Unit::Joules))
                .noted("A lower bound: idle units are assumed to draw no power"),
            Card::words("binds", "Limited most by", binds.name())
                .noted(format!("{} of the time", Amount::percent(point.binding.get(binds)))),
        ]
    }

    fn figures(&self, question: &Question) -> Vec<Figure> {
        let size = question.size;
        let task = self.scenario.technology.task.name();
        let mut speedup =
            figure::node_speedup(task, &self.memories, &question.searched("node-speedup"), size);
        speedup.compared = self.line().map_or_else(Vec::new, figure::node_times);
        let mut figures = vec![named(speedup, "", ("with each memory", &self.memories))];
        if self.links.iter().any(|line| !line.points.is_empty()) {
            figures.push(named(
                figure::node_speedup(task, &self.links, &[], size),
                "node-speedup-links",
                ("with each kind of links", &self.links),
            ));
        }
        figures.push(figure::node_energy(task, &self.memories, size));
        figures.push(figure::binding_map(task, &self.memories, size));
        if let Some(line) = self.line() {
            let drawn = figure::binding_shares(task, &line.bindings(), size);
            figures.push(Figure {
                title: format!("{task}: limiting resource on each node, with {}", line.name),
                ..drawn
            });
        }
        for figure in &mut figures {
            figure.assumptions.push(format!("Multiprocessors as in {}, whatever the node", self.core()));
        }
        figures
    }

    fn core(&self) -> &str {
        self.technology.core(&self.scenario.technology.core).map_or("?", |core| core.name.as_str())
    }
}

/// A figure whose title ends with `with`, the parameter that its lines vary; `id` replaces its id unless it is empty.
fn named(figure: Figure, id: &'static str, (with, lines): (&str, &[NodeCurve])) -> Figure {
    let title = format!("{}, {with}", figure.title);
    let id = if id.is_empty() { figure.id.clone() } else { id.into() };
    let mut assumptions = figure.assumptions.clone();
    if let Some(NodePoint { node, memory, fabric, .. }) =
        lines.iter().flat_map(|line| &line.points).flatten().next()
    {
        assumptions.push(format!("1× is {node} with {memory} and {fabric}"));
    }
    Figure { id, title, assumptions, ..figure }
}
