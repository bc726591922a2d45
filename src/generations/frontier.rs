//! The best accelerator for a workload by process node, memory technology and links, at equal budgets.

use serde::Serialize;

use super::task::Task;
use crate::catalog::technology::{Fabric, Node, Stack};
use crate::estimate::Shares;
use crate::system::{Assumed, System};
use crate::technology::{Budget, Components, Die, DiePart, Resource, allocate};
use crate::units::{Energy, Seconds};

/// The best accelerator of a node, a memory and links for a workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodePoint {
    /// Name of the process node.
    pub node: String,
    /// Name of the memory technology.
    pub memory: String,
    /// Name of the links.
    pub fabric: String,
    /// Time of the workload.
    pub time: Seconds,
    /// Shares of that time by limiting resource.
    pub binding: Shares,
    /// Energy per token: operations, DRAM and link traffic, and static power. Idle units are assumed to draw no power,
    /// so this is a lower bound.
    pub energy_per_token: Energy,
    /// Die with its allocated budgets.
    pub die: Die,
}

/// Points along the nodes, with one memory and one kind of links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeCurve {
    /// Name of the line: its memory or its links.
    pub name: String,
    /// One per node; `None` where the workload does not fit or nothing can be built.
    pub points: Vec<Option<NodePoint>>,
}

impl NodeCurve {
    /// Shares by limiting resource on each node, by the node's name.
    pub fn bindings(&self) -> Vec<(String, Shares)> {
        self.points.iter().flatten().map(|point| (point.node.clone(), point.binding)).collect()
    }
}

/// The best accelerator of a components for a workload; `None` where the workload fits none.
pub fn best(
    components: &Components<'_>,
    budget: &Budget,
    task: &Task<'_>,
    assumed: impl Into<Assumed>,
) -> Option<NodePoint> {
    let assumed = assumed.into();
    let (die, accelerator, time) =
        allocate(components, budget, |accelerator| task.time(&System::new(accelerator, assumed)))?;
    let system = System::new(&accelerator, assumed);
    let binding = task.binding(&system);
    let traffic = task.traffic(&system);
    let always_on = die.budgets.power.get(DiePart::Uncore) * f64::from(budget.dies);
    let energy = components.operation(die.clock) * traffic.flops.get()
        + components.transfer(traffic.dram)
        + components.send(traffic.links)
        + always_on * time;
    Some(NodePoint {
        node: components.node.name.clone(),
        memory: components.stack.name(),
        fabric: components.fabric.name.clone(),
        time,
        binding: if die.bound == Resource::Power { binding.limited_by_power() } else { binding },
        energy_per_token: energy / task.tokens_per_gpu(),
        die,
    })
}

/// One line per memory technology, along the nodes.
pub fn by_memory(
    components: &Components<'_>,
    nodes: &[Node],
    stacks: &[Stack],
    budget: &Budget,
    task: &Task<'_>,
    assumed: impl Into<Assumed>,
) -> Vec<NodeCurve> {
    let assumed = assumed.into();
    let line = |stack| {
        let point = |node| best(&Components { node, stack, ..*components }, budget, task, assumed);
        NodeCurve { name: Stack::name(stack), points: nodes.iter().map(point).collect() }
    };
    stacks.iter().map(line).collect()
}

/// One line per kind of links, along the nodes.
pub fn by_fabric(
    components: &Components<'_>,
    nodes: &[Node],
    fabrics: &[Fabric],
    budget: &Budget,
    task: &Task<'_>,
    assumed: impl Into<Assumed>,
) -> Vec<NodeCurve> {
    let assumed = assumed.into();
    let line = |fabric: &Fabric| {
        let point = |node| best(&Components { node, fabric, ..*components }, budget, task, assumed);
        NodeCurve { name: fabric.name.clone(), points: nodes.iter().map(point).collect() }
    };
    fabrics.iter().map(line).collect()
}

/// Index of the first node after which no later node is faster by more than `gain`, a fraction: the saturation of a
/// line. `None` if the last step still gains more, or without points.
pub fn saturation(line: &NodeCurve, gain: f64) -> Option<usize> {
    let last = line.points.last()?.as_ref()?.time;
    let enough =
        |point: &Option<NodePoint>| point.as_ref().is_some_and(|point| point.time <= last * (1.0 + gain));
    let first = line.points.iter().position(enough)?;
    (first + 1 < line.points.len()).then_some(first)
}
