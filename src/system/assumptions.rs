//! Named sets of constants: what authors disagree on, apart from the equations.

use serde::{Deserialize, Serialize};

use super::attention::{AttentionConstants, DecodeConstants, PrefillConstants};
use super::calibration::calibration_for;
use super::collective::{DirectConstants, LinkConstants, ScaleOutConstants, ScaleUpConstants};
use super::matmul::{MatmulConstants, MatmulTable};
use super::stream::StreamConstants;
use crate::catalog::Accelerator;
use crate::units::{Bytes, Seconds};

/// Which constants an estimate uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionSet {
    /// Efficiencies fitted to measured kernels.
    #[default]
    Calibrated,
    /// No overheads, efficiency 1: the physical bound.
    Ideal,
}

impl AssumptionSet {
    /// All sets.
    pub const ALL: [Self; 2] = [Self::Calibrated, Self::Ideal];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calibrated => "Calibrated on measured kernels",
            Self::Ideal => "Ideal: no overheads",
        }
    }
}

/// All constants that an estimate depends on beside the hardware's peaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions {
    /// Matrix multiplies.
    pub matmul: MatmulTable,
    /// Fused attention.
    pub attention: AttentionConstants,
    /// Elementwise kernels.
    pub stream: StreamConstants,
    /// Collectives.
    pub links: LinkConstants,
    /// Memory that the runtime takes on each GPU: driver context, library workspaces, communication buffers.
    pub reserve: Bytes,
    /// What it costs that a host issues every kernel.
    pub issue: Issue,
}

impl Assumptions {
    /// The constants of a set for one device.
    pub fn of(set: AssumptionSet, accelerator: &Accelerator) -> Self {
        match set {
            AssumptionSet::Calibrated => Self::calibrated(accelerator),
            AssumptionSet::Ideal => Self::ideal(),
        }
    }

    fn calibrated(accelerator: &Accelerator) -> Self {
        let calibration = calibration_for(accelerator);
        Self {
            matmul: calibration.matmul.clone(),
            attention: calibration.attention.clone(),
            stream: calibration.stream.clone(),
            links: calibration.links,
            reserve: RESERVE,
            issue: ISSUE,
        }
    }

    fn ideal() -> Self {
        let matmul = MatmulConstants {
            compute_efficiency: 1.0,
            dram_efficiency: 1.0,
            dram_ramp: Seconds::ZERO,
            quantisation: 0.0,
            launch: Seconds::ZERO,
            tiling: None,
            error: None,
        };
        Self {
            matmul: MatmulTable { bf16: matmul, fp8: None, fp4: None },
            attention: AttentionConstants {
                prefill: PrefillConstants {
                    matrix_efficiency: 1.0,
                    softmax: Seconds::ZERO,
                    block: Seconds::ZERO,
                    block_rows: 128.0,
                    packed: false,
                    launch: Seconds::ZERO,
                    dram_efficiency: 1.0,
                    backward_efficiency: 1.0,
                    overlap: LARGEST,
                    error: None,
                },
                decode: DecodeConstants {
                    dram_efficiency: 1.0,
                    launch: Seconds::ZERO,
                    head: Seconds::ZERO,
                    key: Seconds::ZERO,
                    split: Seconds::ZERO,
                    regroup: Seconds::ZERO,
                    overlap: LARGEST,
                    error: None,
                },
            },
            stream: StreamConstants { dram_efficiency: 1.0, launch: Seconds::ZERO },
            links: LinkConstants {
                scale_up: ScaleUpConstants {
                    start: Seconds::ZERO,
                    step: Seconds::ZERO,
                    efficiency: 1.0,
                    gather_loss: 0.0,
                    reduce_loss: 0.0,
                    ramp: Seconds::ZERO,
                },
                scale_out: ScaleOutConstants {
                    start: Seconds::ZERO,
                    hop: Seconds::ZERO,
                    inner_hop: Seconds::ZERO,
                    chunk_step: Seconds::ZERO,
                    chunk: Bytes::ZERO,
                    overlap: 1.0,
                    level: Seconds::ZERO,
                    long_level: Seconds::ZERO,
                    long: Bytes::ZERO,
                    efficiency: 1.0,
                    lone_loss: 0.0,
                },
                direct: DirectConstants {
                    start: Seconds::ZERO,
                    peer: Seconds::ZERO,
                    one_shot: 1.0,
                    second: Seconds::ZERO,
                    two_shot: 1.0,
                    limit: Bytes::ZERO,
                },
            },
            reserve: Bytes::ZERO,
            issue: Issue { kernel: Seconds::ZERO, collective: Seconds::ZERO },
        }
    }
}

/// CUDA context, library workspaces and NCCL buffers: about what `nvidia-smi` shows before the first tensor of
/// a multi-GPU job (1 to 2 GiB on A100 and H100).
const RESERVE: Bytes = Bytes::from_gib(1.5);

/// An exponent at which a p-norm is the larger of its arguments.
const LARGEST: f64 = 64.0;

/// The cost of issuing kernels from the host rather than replaying a recorded graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Issue {
    /// Host time per kernel: none takes less.
    pub kernel: Seconds,
    /// What a collective waits beyond its own time for members whose hosts are late.
    pub collective: Seconds,
}

/// Fitted to FasterTransformer's published A100 latencies (FP16, batch 1 to 4, tensor parallelism 1 to 8), whole
/// microseconds that minimise the mean error on the 15 rows whose number is a multiple of 5: 7.7 % on those, 8.0 %
/// on the other 48.
const ISSUE: Issue = Issue { kernel: Seconds::from_micros(16.0), collective: Seconds::from_micros(10.0) };
