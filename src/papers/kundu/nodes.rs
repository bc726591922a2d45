//! Training step of a 7B GPT on accelerators of each process node, memory type and link type.

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::SET;
use crate::catalog::{Technology, technology};
use crate::generations::frontier::{NodeCurve, NodePoint, best, saturation};
use crate::papers::{
    Begin, Chart, Computing, Data, Entry, Found, Line, Lines, Look, Origin, Point, Quantity, Question, Source,
};
use crate::scenario::{Choice, Scenario, View, link};
use crate::technology::Components;
use crate::units::format;

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "technology-nodes",
    inferred: &[
        LINEAGE,
        BEYOND,
        "Numeric values of the paper's curves were not available. The 7B model, 1,024 GPUs, memory types and link types \
         are recalled, not checked against the paper; the plan (TP 8, 512 sequences of 2048 tokens) is our choice",
        "Area and power budgets are those of DeepFlow's A100: 826 mm² and 300 W. Multiprocessors are Ampere's on every \
         node. Densities and powers of nodes are those of the Technology view, with their sources",
    ],
    begin: Begin::Steps(|| Box::new(Nodes::default())),
}];

const MEMORIES: [&str; 4] = ["hbm2", "hbm2e", "hbm3", "hbm4"];
const LINKS: [&str; 3] = ["ndr", "xdr", "gdr"];
/// The fixed memory type when links are varied, and the fixed link type when memories are varied.
const USUAL: (&str, &str) = ("hbm3", "ndr");
/// A curve counts as flat from the node after which no later node gains more than this.
const FLAT: f64 = 0.05;

/// The training task and the budgets, with a memory type and a link type.
fn question(memory: &str, links: &str) -> Scenario {
    let mut scenario = Scenario {
        view: View::Technology,
        model: Choice::Named("gpt-3-6.7b".to_owned()),
        assumptions: SET,
        ..Scenario::default()
    };
    scenario.system.gpus = 1024;
    let plan = &mut scenario.parallelism;
    (plan.tensor, plan.pipeline, plan.microbatch) = (8, 1, 1);
    (scenario.recipe.batch, scenario.recipe.sequence) = (512, 2048);
    let choice = &mut scenario.technology;
    (choice.area_mm2, choice.power_w) = (826.0, 300.0);
    "ampere".clone_into(&mut choice.core);
    (choice.memory, choice.links) = (memory.to_owned(), links.to_owned());
    scenario
}

/// Link to the accelerator of a node in the Technology view.
fn opened(memory: &str, links: &str, node: &str) -> String {
    let mut question = question(memory, links);
    node.clone_into(&mut question.technology.node);
    link::encode_at(&question, "accelerator")
}

/// Feature size of a node, nm: 7 for `N7`, 1.4 for `A14`.
fn nanometres(id: &str) -> Option<f64> {
    let angstrom = |digits: &str| digits.parse::<f64>().ok().map(|size| size / 10.0);
    id.strip_prefix('n').map_or_else(|| id.strip_prefix('a').and_then(angstrom), |digits| digits.parse().ok())
}

/// One point per node: first for each memory type, then for each link type.
#[derive(Debug, Default)]
struct Nodes(Vec<Option<NodePoint>>);

/// Memory type and link type of each curve.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let memories = MEMORIES.into_iter().map(|memory| (memory, USUAL.1));
    memories.chain(LINKS.into_iter().map(|links| (USUAL.0, links)))
}

fn point(index: usize) -> Option<NodePoint> {
    let Technology { nodes, .. } = technology();
    let node = nodes.get(index % nodes.len())?;
    let (memory, links) = lines().nth(index / nodes.len())?;
    let asked = question(memory, links).with_frontier(|asked| {
        best(&Components { node, ..asked.components }, &asked.budget, &asked.task, asked.assumed)
    });
    asked.ok()?
}

impl Computing for Nodes {
    fn progress(&self) -> (u32, u32) {
        (self.0.len() as u32, (lines().count() * technology().nodes.len()) as u32)
    }

    fn advance(&mut self) {
        self.0.push(point(self.0.len()));
    }

    fn found(&self) -> Found {
        let nodes = technology().nodes.len();
        let mut known = self.0.chunks(nodes);
        let mut curves = |ids: &[&str], name: &dyn Fn(&NodePoint) -> String| -> Vec<NodeCurve> {
            let curve = |id: &&str| {
                let points = known.next().unwrap_or_default().to_vec();
                let name = points.iter().flatten().next().map_or_else(|| id.to_uppercase(), name);
                NodeCurve { name, points }
            };
            ids.iter().map(curve).collect()
        };
        let memories = curves(&MEMORIES, &|point| point.memory.clone());
        let links = curves(&LINKS, &|point| point.fabric.clone());
        let questions = vec![Question {
            text: "This question in the Technology view".to_owned(),
            link: link::encode(&question(USUAL.0, USUAL.1)),
        }];
        let charts = vec![
            chart(
                ("nodes-memory", "memory"),
                &MEMORIES.map(|memory| (memory, USUAL.1)),
                &memories,
                format!("Links: {} of the Technology view", USUAL.1.to_uppercase()),
            ),
            chart(
                ("nodes-links", "links"),
                &LINKS.map(|links| (USUAL.0, links)),
                &links,
                format!("Memory: {}", USUAL.0.to_uppercase()),
            ),
        ];
        Found { charts, questions, ..Found::default() }
    }
}

/// A chart of curves, each with the ids of its memory and link types.
fn chart(
    (id, by): (&'static str, &str),
    built: &[(&str, &str)],
    curves: &[NodeCurve],
    assumed: String,
) -> Chart {
    let reference = curves.first().and_then(|curve| curve.points.iter().flatten().next());
    let first = reference.map(|point| (point.time, format!("{} with {}", point.node, curves[0].name)));
    let nodes = &technology().nodes;
    let line = |(place, (curve, (memory, links))): (u8, (&NodeCurve, &(&str, &str)))| {
        let mut points: Vec<Point> = nodes
            .iter()
            .zip(&curve.points)
            .filter_map(|(node, point)| {
                let ours = point.as_ref().and_then(|point| Some(first.as_ref()?.0 / point.time));
                let what = point.as_ref().map_or_else(String::new, |point| {
                    let (binding, stacks) = (point.binding.largest(), point.die.allocation.stacks);
                    format!("{}: {stacks} stacks, limited most by {}", point.node, binding.name())
                });
                let link = point.as_ref().map(|_| opened(memory, links, &node.id));
                Some(Point { x: nanometres(&node.id)?, ours, published: None, what, link })
            })
            .collect();
        points.reverse();
        Line { name: curve.name.clone(), look: Look { colour: place, dash: place }, points }
    };
    let said = |curve: &NodeCurve| {
        let last = curve.points.last()?.as_ref()?;
        let gain = first.as_ref()?.0 / last.time;
        let flat = saturation(curve, FLAT).and_then(|place| nodes.get(place));
        let flat = flat.map_or_else(String::new, |node| format!(", flat from {} on", node.name));
        Some(format!("{} {}{flat}", curve.name, format::times(gain)))
    };
    let said: Vec<String> = curves.iter().filter_map(said).collect();
    let of = first.as_ref().map_or("the first node", |first| first.1.as_str());
    Chart {
        id: id.into(),
        title: format!("Speed-up of a training step against process node, by {by}"),
        finding: format!("The last node over {of}: {}.", said.join("; ")),
        source: Source { origin: Origin::Predicted, place: "arXiv 2407.14645" },
        data: Data::Lines(Lines {
            x: Quantity { name: "Process node", unit: "nm", logarithmic: true },
            y: Quantity { name: "Speed-up", unit: "", logarithmic: false },
            lines: (0..).zip(curves.iter().zip(built)).map(line).collect(),
            limits: Vec::new(),
            posts: Vec::new(),
        }),
        assumptions: vec![
            assumed,
            "On each node, area, power and die edge are allocated so that the step is fastest".to_owned(),
            format!("Flat: no later node gains more than {}", format::percent(FLAT)),
        ],
    }
}
