//! All constants of an estimate, and how they are overridden.

use super::attention_table::AttentionTable;
use super::constants::{Constant, Constants};
use super::corrections::Corrections;
use super::decode::DecodeConstants;
use super::experts::{ExpertsConstants, ExpertsTable};
use super::host;
use super::issue::Issue;
use super::latent::LatentDecodeConstants;
use super::link_constants::{
    DirectConstants, ExchangeConstants, LinkConstants, PcieConstants, ScaleOutConstants, ScaleUpConstants,
    SwitchConstants, TreeConstants,
};
use super::matmul::{MatmulConstants, MatmulTable};
use super::prefill::PrefillConstants;
use super::scan::ScanTable;
use super::stream::StreamConstants;
use super::sustained::SustainedConstants;
use crate::catalog;
use crate::units::Bytes;

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
    /// These constants on a machine with such corrections.
    #[must_use]
    pub fn corrected(mut self, corrections: Corrections) -> Self {
        self.links = self.links.corrected(&corrections);
        self.issue.kernel = self.issue.kernel * corrections.host;
        self.issue.collective = self.issue.collective * corrections.host;
        self.corrections = corrections;
        self
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
        let groups: [(&'static str, &mut dyn Constants); 34] = [
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
            ("experts.contiguous", &mut experts.contiguous),
            ("experts.masked", &mut experts.masked),
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
                contiguous: experts,
                masked: experts,
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
            Self::Unknown { key, nearest } => {
                write!(formatter, "there is no constant `{key}`{}", catalog::suggestion(nearest.as_deref()))
            }
            Self::Range { key, value, low, high } => {
                write!(formatter, "{key} is {value}, but must lie between {low} and {high}")
            }
        }
    }
}

impl std::error::Error for OverrideError {}

/// How [`Assumptions::reserve`] is listed among the constants.
const RESERVED: Constant = Constant { name: "reserve", unit: "B", low: 0.0, high: 64e9, fitted: false };
