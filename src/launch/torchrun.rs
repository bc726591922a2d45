//! `torchrun`: the number of GPUs of a training job.

use super::flag::Sets::{Neutral, NeutralSwitch, Value};
use super::flag::{Arguments, Flag, flag};
use super::read::Found;

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

/// GPUs per node of a multi-node job.
const SERVER: u32 = 8;

/// The start of a `torchrun` command for this number of GPUs.
pub(super) fn start(gpus: u32, script: &str) -> String {
    match gpus {
        gpus if gpus > SERVER && gpus.is_multiple_of(SERVER) => {
            format!("torchrun --nproc_per_node {SERVER} --nnodes {} {script}", gpus / SERVER)
        }
        gpus => format!("torchrun --nproc_per_node {gpus} {script}"),
    }
}

/// Reads the number of GPUs from the words before the script.
pub(super) fn read(before: &[String], found: &mut Found<'_>) {
    let given = Arguments::of(FLAGS, before);
    if let Some(each) = given.number("--nproc_per_node") {
        found.facts.whole("system.gpus", each * given.degree("--nnodes"));
    }
}
