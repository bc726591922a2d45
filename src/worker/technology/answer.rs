//! The Technology view's answer: the chosen accelerator, curves over nodes, what binds, and the numbers behind it.

use crate::answer::{self, Files, html};
use crate::catalog::Technology;
use crate::figure::{self, Figure, Size};
use crate::generations::frontier::{NodeCurve, NodePoint};
use crate::scenario::Scenario;
use crate::units::format;

/// The node that speed-ups of the headline begin with.
const FIRST: &str = "n7";

/// What an answer shows.
pub(super) struct Answer<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) technology: &'a Technology,
    /// One line per memory, with the chosen links.
    pub(super) memories: Vec<NodeCurve>,
    /// One line per kind of links, with the chosen memory.
    pub(super) links: Vec<NodeCurve>,
}

impl Answer<'_> {
    /// All that is known.
    pub(super) fn all(&self, size: Size) -> answer::Answer {
        let figures = self.figures(size);
        let tables = [self.account(), self.built(), self.numbers()];
        let [account, built, numbers] = &tables;
        let markup =
            [html::each(&figures, html::figure), account.0.clone(), built.0.clone(), numbers.0.clone()];
        answer::Answer {
            headline: self.headline(),
            figures: markup.concat(),
            files: Files {
                figures,
                tables: ["account", "built", "numbers"]
                    .into_iter()
                    .zip(tables.map(|(_, table)| table))
                    .collect(),
                ..Files::default()
            },
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

    fn headline(&self) -> String {
        let choice = &self.scenario.technology;
        let Some(point) = self.chosen() else {
            let note = "no accelerator of this node and memory holds it: use more GPUs or a better memory";
            return html::card("speedup", choice.task.name(), "does not fit", note);
        };
        let dies = f64::from(choice.dies);
        let (die, first) = (&point.die, self.point(FIRST));
        let stacks = die.allocation.stacks * choice.dies;
        let cores = die.multiprocessors * choice.dies;
        let binds = point.binding.largest();
        let speedup = first.map(|first| first.time / point.time);
        [
            html::card(
                "peak",
                "Matrix rate, 16 bits",
                &format::flop_rate(die.matrix * dies),
                &format!("{cores} multiprocessors at {} GHz", format::digits(die.clock.to_giga())),
            ),
            html::card(
                "dram",
                "DRAM",
                &format::bandwidth(die.dram * dies),
                &format!("{stacks} stacks of {}", point.memory),
            ),
            html::card(
                "speedup",
                "Speed-up over N7",
                &speedup.map_or_else(|| "–".to_owned(), |times| format!("{} ×", format::digits(times))),
                &format!(
                    "{}: {} with {} and {}",
                    choice.task.name(),
                    format::time(point.time),
                    point.memory,
                    point.fabric
                ),
            ),
            html::card(
                "energy",
                "Energy per token",
                &format!("{} mJ", format::digits(point.energy_per_token.get() * 1e3)),
                "At least: what waits is taken to draw nothing",
            ),
            html::card(
                "binds",
                "Binds most",
                binds.name(),
                &format!("{} of the time", format::percent(point.binding.get(binds))),
            ),
        ]
        .concat()
    }

    fn figures(&self, size: Size) -> Vec<Figure> {
        let task = self.scenario.technology.task.name();
        let mut figures =
            vec![named(figure::node_speedup(task, &self.memories, size), "", "with each memory")];
        if self.links.iter().any(|line| !line.points.is_empty()) {
            figures.push(named(
                figure::node_speedup(task, &self.links, size),
                "node-speedup-links",
                "with each kind of links",
            ));
        }
        figures.push(figure::node_energy(task, &self.memories, size));
        figures.push(figure::binding_map(task, &self.memories, size));
        if let Some(line) = self.line() {
            let drawn = figure::binding_shares(task, &line.bindings(), size);
            figures.push(Figure {
                title: format!("{task}: what binds in each node, with {}", line.name),
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

/// A figure that says with what its lines differ, under another name where it has one.
fn named(figure: Figure, id: &'static str, with: &str) -> Figure {
    let title = format!("{}, {with}", figure.title);
    let id = if id.is_empty() { figure.id.clone() } else { id.into() };
    let mut assumptions = figure.assumptions.clone();
    let first = figure.table.rows.first();
    if let Some([memory, links, node, ..]) = first.map(|row| row.cells.as_slice()) {
        assumptions.push(format!("1 × is {} with {} and {}", node.shown(), memory.shown(), links.shown()));
    }
    Figure { id, title, assumptions, ..figure }
}
