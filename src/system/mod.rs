//! The machine: what one operator costs on one device, what one collective costs on its network.

mod all_reduce;
mod assumed;
mod assumption_set;
pub mod assumptions;
pub mod attention;
mod attention_table;
mod backend;
pub mod calibration;
mod calibration_file;
mod choice;
pub mod collective;
pub mod constants;
mod corrections;
mod cost;
pub mod decode;
mod dequantising;
pub mod device;
mod exchange;
pub mod experts;
mod host;
mod host_memory;
mod indexer;
mod instructions;
mod issue;
mod kundu;
pub mod latent;
mod library;
pub mod link_constants;
pub mod matmul;
mod measured_device;
mod mixes;
pub mod network;
mod norm;
mod panels;
pub mod precision;
pub mod prefill;
pub mod scan;
mod storage;
pub mod stream;
mod sustained;
mod tiles;

pub use all_reduce::AllReduce;
pub use assumed::Assumed;
pub use assumption_set::AssumptionSet;
pub use assumptions::{Assumptions, OverrideError};
pub use attention::Attention;
pub use backend::Backend;
pub use collective::{Collective, Operation};
pub use constants::Constant;
pub use corrections::{Corrections, MeasuredOn};
pub use cost::{Bound, Cost};
pub use dequantising::{Columns, Dequantising, Reading, UnitTimes};
pub use device::Device;
pub use exchange::Exchange;
pub use experts::{Arrival, Experts, Load};
pub use host_memory::HostMemory;
pub(crate) use host_memory::SUSTAINED as HOST_MEMORY_SHARE;
pub(crate) use indexer::SCORE;
pub use indexer::{IndexScores, Selection};
pub use instructions::Instructions;
pub use library::KernelLibrary;
pub use matmul::Matmul;
pub use network::{Fabric, Group, Network};
pub use norm::p_norm;
pub use panels::Panels;
pub use precision::Precision;
pub use scan::{Scan, ScanLibrary};
pub use stream::Stream;
pub use sustained::AttentionKernels;

use crate::catalog::Accelerator;
use crate::units::Seconds;

/// A device, its network, and the constants of the assumption set for that device.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// One accelerator.
    pub device: Device,
    /// The network between GPUs.
    pub network: Network,
    /// Efficiencies, latencies and overheads.
    pub assumptions: Assumptions,
    /// Memory of the machine that the accelerator is in.
    pub host: HostMemory,
    /// A GPU of another kind in the same machine.
    pub second: Option<Box<System>>,
    /// The system of workers that only prefill, where their device is another one.
    pub prefill: Option<Box<System>>,
}

/// Something that a GPU does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// A matrix multiply.
    Matmul(Matmul),
    /// The attention core in one kernel.
    Attention(Attention),
    /// All experts of a layer in one kernel.
    Experts(Experts),
    /// Scores of an indexer for many queries.
    IndexScores(IndexScores),
    /// Selection of keys by an indexer's scores.
    Selection(Selection),
    /// An elementwise or reduction kernel.
    Stream(Stream),
    /// A recurrence with a state of constant size.
    Scan(Scan),
    /// Communication.
    Collective(Collective),
    /// Transfer of tokens to their experts, or back.
    Exchange(Exchange),
    /// A matrix multiply in panels.
    Panels(Panels),
    /// Exposed part of the broadcasts of its operands.
    Broadcasts(Panels),
}

impl System {
    /// The system of a catalogue device under an assumption set, or with corrections to it.
    pub fn new(accelerator: &Accelerator, assumed: impl Into<Assumed>) -> Self {
        Self::with(accelerator, Assumptions::of(assumed, accelerator))
    }

    /// The system of a catalogue device with these constants.
    pub fn with(accelerator: &Accelerator, assumptions: Assumptions) -> Self {
        Self {
            device: Device::of(accelerator),
            network: Network::of(accelerator, &assumptions.links),
            assumptions,
            host: HostMemory::default(),
            second: None,
            prefill: None,
        }
    }

    /// Cost of one execution of some work, with kernels running back to back.
    pub fn cost(&self, work: &Work) -> Cost {
        let kernel = match work {
            Work::Collective(collective) => return self.network.collective(collective),
            Work::Exchange(exchange) => return self.network.exchange(exchange),
            Work::Broadcasts(panels) => return self.broadcasts(panels),
            Work::Matmul(matmul) => self.matmul(matmul),
            Work::Attention(attention) => self.attention(attention),
            Work::Experts(experts) => self.experts(experts),
            Work::IndexScores(scores) => self.index_scores(scores),
            Work::Selection(selection) => self.selection(selection),
            Work::Stream(stream) => self.stream(stream),
            Work::Scan(scan) => self.scan(scan),
            Work::Panels(panels) => self.panels(panels),
        };
        kernel.slowed(self.assumptions.corrections.kernels)
    }

    /// The cost of work if the host launches every kernel, at least the launch time, from its cost in a replayed graph.
    pub fn issued(&self, mut cost: Cost, work: &Work) -> Cost {
        let issue = &self.assumptions.issue;
        if cost.time == Seconds::ZERO {
            return cost;
        }
        let late = if matches!(work, Work::Collective(_) | Work::Exchange(_)) {
            issue.collective
        } else {
            Seconds::ZERO
        };
        let time = (cost.time + late).max(issue.kernel);
        cost.launch += time - cost.time;
        cost.time = time;
        cost.bounded()
    }
}
