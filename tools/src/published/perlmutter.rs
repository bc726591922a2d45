//! Collectives timed by nccl-tests on nodes of four A100 with one 200 Gb/s adapter per GPU (Perlmutter).

use super::ReadError;
use foretoken::scenario::{Choice, SystemChoice};
use foretoken::system::{AllReduce, Collective, Group, KernelLibrary, Operation, Work};
use foretoken::units::Bytes;
use foretoken::validation::{Case, Family, Quantity, Question, Skip, Tier};

/// The header of the table: nccl-tests' columns, then nodes, GPUs per node and operation.
const HEADER: &str = "size,count,root,time-o,algbw-o,busbw-o,numwrongo,time-i,algbw-i,busbw-i,numwrongi,num_nodes,gpus_per_node,op";

/// Scale-out bandwidth per GPU and direction, GB/s: one Slingshot adapter of 200 Gb/s.
const ADAPTER_GB_S: f64 = 25.0;

/// Returns true if a line is the header of the table.
pub(super) fn is_header(line: &str) -> bool {
    line.trim() == HEADER
}

/// The cases of the table.
pub(super) fn cases(text: &str) -> Result<Vec<Case>, ReadError> {
    let rows = text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
    rows.map(|(index, line)| {
        case(line).ok_or_else(|| ReadError::Line(index + 1, "not a row of collectives".to_owned()))
    })
    .collect()
}

fn case(line: &str) -> Option<Case> {
    let parts: Vec<&str> = line.trim().split(',').collect();
    let (&bytes, &micros) = (parts.first()?, parts.get(3)?);
    let (&nodes, &per_node, &name) = (parts.get(11)?, parts.get(12)?, parts.get(13)?);
    let (size, inside): (u32, u32) = (nodes.parse().ok()?, per_node.parse().ok()?);
    let group = Group::new(size.checked_mul(inside)?, inside.max(1));
    let operation = match name {
        "allreduce" => Ok(Operation::AllReduce),
        "allgather" => Ok(Operation::AllGather),
        "reducescatter" => Ok(Operation::ReduceScatter),
        other => Err(Skip::NotModelled(other.to_owned())),
    };
    let size: f64 = bytes.parse().ok()?;
    let system = SystemChoice {
        accelerator: Choice::Named("a100-sxm-40gb".to_owned()),
        scale_up_domain: Some(4),
        scale_out_gb_s: Some(ADAPTER_GB_S),
        ..SystemChoice::default()
    };
    let question = operation.map(|operation| {
        let collective =
            Collective { operation, bytes: Bytes::new(size), group, algorithm: AllReduce::Library };
        Question::Work {
            system: Box::new(system),
            work: Work::Collective(collective),
            library: KernelLibrary::Usual,
        }
    });
    Some(Case {
        id: format!("perlmutter-{name}-{nodes}x{per_node}-{bytes}"),
        source: "nccl-perlmutter".to_owned(),
        origin: "NCCL on Perlmutter, ShashankSubramanian/transformer-perf-estimates@54278b0".to_owned(),
        device: "a100-sxm-40gb".to_owned(),
        model: name.to_owned(),
        family: Family::Kernel,
        precision: String::new(),
        tier: Tier::A,
        question,
        measured: vec![(Quantity::Latency, micros.parse().ok()?)],
        used_in_fit: false,
    })
}
