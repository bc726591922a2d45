//! `torchrun`: the number of GPUs of a training job, and the nodes that they are in.

use super::flag::Sets::{Neutral, NeutralSwitch, Value};
use super::flag::{Arguments, Flag, flag};
use super::found::Found;
use super::line::Line;
use super::writer::Writer;

const FLAGS: &[Flag] = &[
    flag(&["--nproc_per_node"], Value),
    flag(&["--nnodes"], Value),
    flag(&["--node_rank"], Neutral),
    flag(&["--master_addr"], Neutral),
    flag(&["--master_port"], Neutral),
    flag(&["--rdzv_backend"], Neutral),
    flag(&["--rdzv_endpoint"], Neutral),
    flag(&["--rdzv_id"], Neutral),
    flag(&["-m", "--module"], NeutralSwitch),
];

/// GPUs of a node where a scale-up domain has as many or fewer.
const NODE: u32 = 8;

/// GPUs of a node where a scale-up domain spans several nodes, as in a rack of GB200 NVL72.
const TRAY: u32 = 4;

/// The nodes of a training job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nodes {
    /// Number of nodes.
    pub(super) count: u32,
    /// GPUs of each node: one process each.
    pub(super) each: u32,
}

impl Nodes {
    /// The nodes of a question's job: as few as hold its GPUs, with the same number of GPUs in each.
    pub(super) fn of(writer: &Writer<'_>) -> Self {
        let gpus = writer.question.system.gpus.max(1);
        let domain = writer.question.machine().map_or(NODE, |system| system.network.domain);
        let most = if domain > NODE { TRAY } else { NODE };
        let each = (1..=most).rev().find(|each| gpus.is_multiple_of(*each)).unwrap_or(1);
        Self { count: gpus / each, each }
    }
}

/// The start of a `torchrun` command, up to its script. On several nodes, lines before it tell what to run where: the nodes
/// find one another at the address in `HEAD` and agree on their ranks.
pub(super) fn start(writer: &mut Writer<'_>, script: &str) -> Line {
    let Nodes { count, each } = Nodes::of(writer);
    if count == 1 {
        return Line::new(format!("torchrun --nproc_per_node {each} {script}"));
    }
    writer.line("HEAD=HOST  # set to the address of one of the nodes");
    writer.line(&format!("# Run this on each of the {count} nodes, or once with srun before torchrun:"));
    Line::new(format!(
        "torchrun --nproc_per_node {each} --nnodes {count} --rdzv_backend c10d --rdzv_endpoint \"$HEAD:29500\" {script}"
    ))
}

/// Reads the number of GPUs from the words before the script.
pub(super) fn read(before: &[String], found: &mut Found<'_>) {
    let given = Arguments::of(FLAGS, before);
    if let Some(each) = given.number("--nproc_per_node") {
        found.facts.whole("system.gpus", each * given.degree("--nnodes"));
    }
}
