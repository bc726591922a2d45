//! Named sets of constants: what authors disagree on, apart from the equations.

use super::attention_table::AttentionTable;
use super::calibration::{self, Measured};
use super::constants::{Constant, Constants, constants};
use super::corrections::{Assumed, Corrections};
use super::decode::DecodeConstants;
use super::experts::{ExpertsConstants, ExpertsTable};
use super::host;
use super::host_memory;
use super::latent::LatentDecodeConstants;
use super::link_constants::{
    DirectConstants, ExchangeConstants, LinkConstants, PcieConstants, ScaleOutConstants, ScaleUpConstants,
    SwitchConstants, TreeConstants,
};
use super::matmul::{MatmulConstants, MatmulTable};
use super::prefill::PrefillConstants;
use super::scan::{ScanConstants, ScanTable};
use super::stream::StreamConstants;
use super::sustained::SustainedConstants;
use crate::catalog::{self, Accelerator};
use crate::units::{Bytes, Seconds};

/// The set of constants that an estimate uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AssumptionSet {
    /// Efficiencies fitted to measured kernels.
    #[default]
    Calibrated,
    /// Physical bound: no overheads, efficiency 1.
    Ideal,
    /// arXiv 2410.00273 (Subramanian et al. 2024): the authors' own equations, for training alone.
    Subramanian2024,
    /// arXiv 2407.14645 (Kundu et al. 2024), whose tool is closed: constants of DeepFlow, its public ancestor, in the
    /// equations of this model, none of them fitted.
    Kundu2024,
}

impl AssumptionSet {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Calibrated, Self::Ideal, Self::Subramanian2024, Self::Kundu2024];

    /// Returns true if it is a paper's, whose times are those of machines that never fail.
    pub const fn of_paper(self) -> bool {
        matches!(self, Self::Subramanian2024 | Self::Kundu2024)
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calibrated => "Calibrated on measured kernels",
            Self::Ideal => "Ideal: no overheads",
            Self::Subramanian2024 => "Subramanian et al. 2024",
            Self::Kundu2024 => "Kundu et al. 2024, with DeepFlow's constants",
        }
    }
}

/// All constants of an estimate except the hardware's peaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions {
    /// Matrix multiplies.
    pub matmul: MatmulTable,
    /// Fused attention.
    pub attention: AttentionTable,
    /// Fused experts.
    pub experts: ExpertsTable,
    /// Elementwise kernels.
    pub stream: StreamConstants,
    /// Recurrences.
    pub scan: ScanTable,
    /// Collectives.
    pub links: LinkConstants,
    /// Memory that the runtime takes on each GPU: driver context, library workspaces, communication buffers.
    pub reserve: Bytes,
    /// Fraction of the host link's bandwidth that large copies reach.
    pub host: f64,
    /// Fraction of the nominal bandwidth of host memory that decoding on the CPU reaches.
    pub host_memory: f64,
    /// Overheads of kernel launches by the host.
    pub issue: Issue,
    /// Slow-downs that benchmarks of single kernels do not show.
    pub sustained: SustainedConstants,
    /// Corrections of a calibration profile. Links and launch times already include them; kernel times are corrected
    /// when they are costed.
    pub corrections: Corrections,
}

impl Assumptions {
    /// The constants of a set for one device; calibrated ones with the profile's corrections.
    pub fn of(assumed: impl Into<Assumed>, accelerator: &Accelerator) -> Self {
        let assumed = assumed.into();
        let mut assumptions = Self::ideal();
        match assumed.set {
            AssumptionSet::Ideal => {}
            AssumptionSet::Subramanian2024 => assumptions.subramanian(),
            AssumptionSet::Kundu2024 => assumptions.kundu(accelerator),
            AssumptionSet::Calibrated => assumptions.calibrate(accelerator, Measured::All),
        }
        assumptions.corrected(assumed.corrections_of(accelerator))
    }

    /// These constants on a machine with such corrections.
    #[must_use]
    pub fn corrected(mut self, corrections: Corrections) -> Self {
        self.links = self.links.corrected(&corrections);
        self.issue.kernel = self.issue.kernel * corrections.host;
        self.issue.collective = self.issue.collective * corrections.host;
        self.corrections = corrections;
        self
    }

    /// The calibrated constants that a device would have if only these devices had been measured: those of the nearest, and
    /// the median sustained clock over all generations. They give the estimate for devices without a fit.
    pub fn unmeasured(accelerator: &Accelerator, measured: Measured) -> Self {
        let mut assumptions = Self::ideal();
        assumptions.calibrate(accelerator, measured);
        assumptions.sustained = SustainedConstants::unmeasured(accelerator);
        assumptions
    }

    fn calibrate(&mut self, accelerator: &Accelerator, measured: Measured) {
        self.reserve = RESERVE;
        self.host = host::share(accelerator);
        self.host_memory = host_memory::SUSTAINED;
        self.links.switch = SwitchConstants::nccl(accelerator);
        self.links.pcie = PcieConstants::of(accelerator);
        self.issue = if accelerator.year < FASTER_HOSTS { ISSUE } else { ISSUE.faster(HOST_SPEED) };
        self.sustained = SustainedConstants::of(accelerator);
        self.scan = ScanTable::measured(accelerator);
        calibration::apply(self, accelerator, measured);
        self.links.exchange = self.links.exchange.deep_ep();
    }

    /// Links of arXiv 2410.00273: 0.7 of both bandwidths, 2.5 and 5 microseconds per hop (the authors' systems/*.json).
    /// Its kernels have no constants that differ by sort.
    fn subramanian(&mut self) {
        let LinkConstants { scale_up, scale_out, .. } = &mut self.links;
        (scale_up.efficiency, scale_up.step) = (0.7, Seconds::from_micros(2.5));
        (scale_out.efficiency, scale_out.hop) = (0.7, Seconds::from_micros(5.0));
    }

    /// These constants, some of them with other values: pairs of a key such as `matmul.bf16.launch` and a value in
    /// its unit. The last value of a key counts.
    pub fn with<'a>(
        mut self,
        overrides: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Self, OverrideError> {
        for (key, number) in overrides {
            let mut outcome = None;
            self.constants(&mut |group, constant, value| {
                let rest = key.strip_prefix(group).and_then(|rest| rest.strip_prefix('.'));
                if rest != Some(constant.name) {
                    return;
                }
                let (low, high) = (constant.low, constant.high);
                outcome = Some(if (low..=high).contains(&number) {
                    *value = number;
                    Ok(())
                } else {
                    Err(OverrideError::Range { key: key.to_owned(), value: number, low, high })
                });
            });
            outcome.unwrap_or_else(|| Err(self.unknown(key)))?;
        }
        Ok(self)
    }

    fn unknown(&mut self, key: &str) -> OverrideError {
        let mut keys = Vec::new();
        self.constants(&mut |group, constant, _| keys.push(format!("{group}.{}", constant.name)));
        let nearest = catalog::nearest(key, keys.iter().map(String::as_str)).map(str::to_owned);
        OverrideError::Unknown { key: key.to_owned(), nearest }
    }

    /// Shows every constant with the key of its group, always in the same order, groups one after another.
    pub fn constants(&mut self, visit: &mut dyn FnMut(&'static str, &Constant, &mut f64)) {
        let Self { matmul, attention, experts, stream, scan, links, reserve, host, issue, sustained, .. } =
            self;
        let groups: [(&'static str, &mut dyn Constants); 32] = [
            ("matmul.bf16", &mut matmul.bf16),
            ("matmul.fp8", &mut matmul.fp8),
            ("matmul.fp8block", &mut matmul.fp8block),
            ("matmul.fp4", &mut matmul.fp4),
            ("matmul.int8", &mut matmul.int8),
            ("matmul.int4", &mut matmul.int4),
            ("prefill.bf16", &mut attention.prefill),
            ("prefill.fp8", &mut attention.prefill_fp8),
            ("decode.bf16", &mut attention.decode),
            ("decode.fp8", &mut attention.decode_fp8),
            ("latent-prefill.bf16", &mut attention.latent_prefill),
            ("latent-prefill.fp8", &mut attention.latent_prefill_fp8),
            ("latent-decode.bf16", &mut attention.latent_decode),
            ("latent-decode.fp8", &mut attention.latent_decode_fp8),
            ("experts.bf16", &mut experts.bf16),
            ("experts.fp8", &mut experts.fp8),
            ("experts.fp8block", &mut experts.fp8block),
            ("experts.fp4", &mut experts.fp4),
            ("experts.int4", &mut experts.int4),
            ("experts.mxfp4", &mut experts.mxfp4),
            ("stream", stream),
            ("links.scale-up", &mut links.scale_up),
            ("links.scale-out", &mut links.scale_out),
            ("links.direct", &mut links.direct),
            ("links.switch", &mut links.switch),
            ("links.pcie", &mut links.pcie),
            ("links.tree", &mut links.tree),
            ("links.exchange", &mut links.exchange),
            ("issue", issue),
            ("sustained", sustained),
            ("scan", &mut scan.gated),
            ("scan-kimi", &mut scan.kimi),
        ];
        for (group, constants) in groups {
            constants.constants(&mut |constant, value| visit(group, constant, value));
        }
        visit("memory", &RESERVED, reserve.get_mut());
        visit("host", &host::SHARE, host);
    }

    /// Meanings of the constants of a group, in their order.
    pub(super) fn meanings(group: &str) -> &'static [&'static str] {
        match calibration::kind(group) {
            "matmul" => MatmulConstants::MEANINGS,
            "prefill" | "latent-prefill" => PrefillConstants::MEANINGS,
            "decode" => DecodeConstants::MEANINGS,
            "latent-decode" => LatentDecodeConstants::MEANINGS,
            "experts" => ExpertsConstants::MEANINGS,
            "stream" => StreamConstants::MEANINGS,
            "scan" | "scan-kimi" => ScanConstants::MEANINGS,
            "links.scale-up" => ScaleUpConstants::MEANINGS,
            "links.scale-out" => ScaleOutConstants::MEANINGS,
            "links.direct" => DirectConstants::MEANINGS,
            "links.switch" => SwitchConstants::MEANINGS,
            "links.pcie" => PcieConstants::MEANINGS,
            "links.tree" => TreeConstants::MEANINGS,
            "links.exchange" => ExchangeConstants::MEANINGS,
            "issue" => Issue::MEANINGS,
            "sustained" => SustainedConstants::MEANINGS,
            "memory" => RESERVES,
            "host" => host::MEANINGS,
            _ => &[],
        }
    }

    /// Source of the constants of a group that is not fitted per device.
    pub(super) fn source(group: &str) -> &'static str {
        match group {
            "issue" => "Published A100 latencies of FasterTransformer, 15 of 63 rows fitted",
            "sustained" => "Published training steps, a fifth of them, by generation",
            "links.switch" => "NCCL's own tuner (NVIDIA/nccl@5067397, src/graph/tuning.cc and topo.h)",
            "links.pcie" => {
                "Two GPUs: all-reduces over two L40S (ai-dynamo/aiconfigurator@095f58a); more: published throughput of TensorRT-LLM on L40S and A100 PCIe, 20 of 154 rows fitted"
            }
            "links.tree" => "None in what was measured: the library's choice has trees in it",
            "host" => "Measured copies, of this link or of PCIe 5: stas00/ml-engineering@744d01e, network",
            "scan" => {
                "Measured kernels of gated delta nets under vLLM 0.24, Triton's under SGLang 0.5.14 (ai-dynamo/aiconfigurator@095f58a), by generation; other recurrences take them over"
            }
            "scan-kimi" => {
                "Measured kernels of Kimi delta attention under vLLM 0.1.dev19262, Triton's under SGLang 0.5.16 (ai-dynamo/aiconfigurator@095f58a), by generation"
            }
            "memory" => "An estimate: what multi-GPU jobs hold before their first tensor",
            _ => "",
        }
    }

    pub(crate) fn ideal() -> Self {
        let (matmul, experts) = (MatmulConstants::ideal(), ExpertsConstants::ideal());
        let (prefill, decode) = (PrefillConstants::ideal(), DecodeConstants::ideal());
        let latent_decode = LatentDecodeConstants::ideal();
        Self {
            matmul: MatmulTable {
                bf16: matmul,
                fp8: matmul,
                fp8block: matmul,
                fp4: matmul,
                int8: matmul,
                int4: matmul,
            },
            attention: AttentionTable {
                prefill,
                prefill_fp8: prefill,
                decode,
                decode_fp8: decode,
                latent_prefill: prefill,
                latent_prefill_fp8: prefill,
                latent_decode,
                latent_decode_fp8: latent_decode,
            },
            experts: ExpertsTable {
                bf16: experts,
                fp8: experts,
                fp8block: experts,
                fp4: experts,
                int4: experts,
                mxfp4: experts,
            },
            stream: StreamConstants::ideal(),
            scan: ScanTable::ideal(),
            links: LinkConstants {
                scale_up: ScaleUpConstants::ideal(),
                scale_out: ScaleOutConstants::ideal(),
                direct: DirectConstants::ideal(),
                switch: SwitchConstants::ideal(),
                pcie: PcieConstants::ideal(),
                tree: TreeConstants::ideal(),
                exchange: ExchangeConstants::ideal(),
            },
            reserve: Bytes::ZERO,
            host: 1.0,
            host_memory: 1.0,
            issue: Issue::ideal(),
            sustained: SustainedConstants::ideal(),
            corrections: Corrections::NONE,
        }
    }
}

/// Why a constant cannot have a value.
#[derive(Clone, Debug, PartialEq)]
pub enum OverrideError {
    /// There is no such constant.
    Unknown {
        /// The id as given.
        key: String,
        /// The key that resembles it most.
        nearest: Option<String>,
    },
    /// The value is not sensible.
    Range {
        /// The constant.
        key: String,
        /// The value as given, in the constant's unit.
        value: f64,
        /// The lowest sensible value.
        low: f64,
        /// The highest sensible value.
        high: f64,
    },
}

impl std::fmt::Display for OverrideError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { key, nearest: None } => write!(formatter, "there is no constant {key}"),
            Self::Unknown { key, nearest: Some(nearest) } => {
                write!(formatter, "there is no constant {key}: did you mean {nearest}?")
            }
            Self::Range { key, value, low, high } => {
                write!(formatter, "{key} is {value}, but must lie between {low} and {high}")
            }
        }
    }
}

impl std::error::Error for OverrideError {}

/// Meaning of [`RESERVE`].
const RESERVES: &[&str] = &["Memory that driver, libraries and communication buffers take on each GPU."];

/// As [`RESERVE`] is listed.
const RESERVED: Constant = Constant { name: "reserve", unit: "B", low: 0.0, high: 64e9, fitted: false };

/// CUDA context, library workspaces and NCCL buffers: about what `nvidia-smi` shows before the first tensor of
/// a multi-GPU job (1 to 2 GiB on A100 and H100).
const RESERVE: Bytes = Bytes::from_gib(1.5);

constants! {
    /// The cost of launching kernels from the host instead of replaying a recorded graph.
    Issue {
        /// Host time per kernel: none takes less.
        kernel: Seconds = 0.0, 0.0..=1e-4 "s", given;
        /// Wait of a collective for members whose hosts are late.
        collective: Seconds = 0.0, 0.0..=1e-4 "s", given;
    }
}

impl Issue {
    /// These issue times on a host whose single-core speed is `speed` times that of the reference host.
    fn faster(self, speed: f64) -> Self {
        Self { kernel: self.kernel / speed, collective: self.collective / speed }
    }
}

/// Year of the first devices that came with hosts of another generation.
const FASTER_HOSTS: u16 = 2022;

/// Speed at which one host thread of a DGX H100 (Sapphire Rapids, 3.8 GHz) launches kernels, relative to a DGX A100
/// (EPYC 7742, 3.4 GHz), from single-thread scores. Geekbench 5: 1,257 on a Xeon 8468 of 3.8 GHz, 1,249 on an EPYC 7763
/// (@BenchLeaks, September 2022). Cinebench R23: 1,215 on an EPYC of the 7763's generation and clock, 990 to 1,000 on a
/// 7702P of 3.35 GHz (hardwaretimes.com on AMD's Milan). Hence 1.006 × 1.221 × 3.35 / 3.4, rounded. Not fitted.
const HOST_SPEED: f64 = 1.21;

/// Fitted to FasterTransformer's published A100 latencies (FP16, batch 1 to 4, tensor parallelism 1 to 8), whole
/// microseconds that minimise the mean error on the 15 rows whose number is a multiple of 5: 7.7 % on those, 8.0 %
/// on the other 48.
const ISSUE: Issue = Issue { kernel: Seconds::from_micros(16.0), collective: Seconds::from_micros(10.0) };
