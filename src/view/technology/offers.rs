//! Accelerators and deployments that fit the task, offered where the chosen accelerator is too small.

use crate::catalog::Technology;
use crate::generations::TaskKind;
use crate::generations::frontier::{NodeCurve, best};
use crate::order;
use crate::scenario::Scenario;
use crate::view::differences::difference;
use crate::view::{Link, Notice};
use crate::workload::Recompute;

/// Maximum number of memory technologies that are offered.
const MEMORIES: usize = 2;
/// Factors by which a question is varied.
const FACTORS: [u32; 4] = [2, 4, 8, 16];

/// A change of the question that lowers the memory per GPU. A larger factor lowers it further.
type Way = fn(&mut Scenario, u32);

const TRAINED: [Way; 2] = [
    |there, _| there.parallelism.recompute = Recompute::Full,
    |there, factor| {
        there.system.gpus = there.system.gpus.saturating_mul(factor);
        there.parallelism.pipeline = there.parallelism.pipeline.saturating_mul(factor);
    },
];

const SERVED: [Way; 2] = [
    |there, factor| there.inference.tensor = there.inference.tensor.saturating_mul(factor),
    |there, factor| there.inference.batch = (there.inference.batch / factor).max(1),
];

/// The fastest memory technologies of the node with which the task fits, and the smallest change of the
/// deployment of each kind with which it does.
pub(super) fn offers(question: &Scenario, known: &Technology, memories: &[NodeCurve]) -> Vec<Notice> {
    let node = known.nodes.iter().position(|node| node.id == question.technology.node);
    let fitting = known.stacks.iter().zip(memories).filter_map(|(stack, line)| {
        let point = line.points.get(node?)?.as_ref()?;
        let mut there = question.clone();
        there.technology.memory.clone_from(&stack.memory);
        Some((point.time, there))
    });
    let mut fitting: Vec<_> = fitting.collect();
    order::sort(&mut fitting, |a, b| a.0.get().total_cmp(&b.0.get()));
    let fitting = fitting.into_iter().map(|(_, there)| there).take(MEMORIES);
    let ways = if question.technology.task == TaskKind::Training { TRAINED } else { SERVED };
    let varied = ways.into_iter().filter_map(|way| {
        let there = |factor| {
            let mut there = question.clone();
            way(&mut there, factor);
            there
        };
        FACTORS.into_iter().map(there).find(fits)
    });
    let links: Vec<Link> =
        fitting.chain(varied).map(|there| Link::to(difference(question, &there), &there)).collect();
    if links.is_empty() {
        return Vec::new();
    }
    vec![Notice::new("fits", "What fits:", links)]
}

/// Returns true if an accelerator can be built that holds the task.
fn fits(question: &Scenario) -> bool {
    let found = question
        .with_frontier(|asked| best(&asked.components, &asked.budget, &asked.task, asked.assumed).is_some());
    found.unwrap_or(false)
}
