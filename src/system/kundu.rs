//! Constants of arXiv 2407.14645 (Kundu et al. 2024), as far as they are public: its tool is closed.
//!
//! Known: the hierarchical roofline of its ancestor, `nanocad-lab/DeepFlow`, and that code's constants. Inferred: that
//! one utilisation holds for DRAM too, and where a tree takes over from a ring. No constant is fitted to the rows on
//! which the set is scored.

use super::assumptions::Assumptions;
use super::attention_table::AttentionTable;
use super::experts::ExpertsTable;
use super::link_constants::LinkConstants;
use super::matmul::MatmulTable;
use crate::catalog::Accelerator;
use crate::units::Seconds;

/// Share of the peak matrix rate that multiplies reach (DeepFlow's `util` of cores).
const UTILISATION: f64 = 0.75;

/// Fraction of the nominal DRAM bandwidth that kernels reach. Inferred: DeepFlow's utilisation of cores, applied to DRAM
/// too. The paper's own fraction grows with the size of a matrix-vector product and is not public. Here small products
/// are slower because each takes the launch time [`KERNEL`].
const DRAM: f64 = UTILISATION;

/// Launch of a kernel (DeepFlow).
const KERNEL: Seconds = Seconds::from_micros(9.0);

/// Latency between two GPUs, within and between domains (DeepFlow's network latency).
const STEP: Seconds = Seconds::from_micros(5.0);

/// Bytes through DRAM for each byte that a ring or a send moves: DeepFlow's step sends S/p and accesses 2 S/p.
const ACCESSES: f64 = 2.0;

impl Assumptions {
    /// Sets the constants of arXiv 2407.14645 on a device.
    ///
    /// A ring takes 2K (n-1) / (n BW) + 2 l (n-1); where that latency exceeds the transfer a double binary tree takes over,
    /// with 2 l log2 n (recalled of the paper: trees "where latency binds"). Each byte on a link also passes DRAM
    /// twice, one after the other as in DeepFlow, so that a link reaches 1 / (1 + 2 BW / DRAM) of its bandwidth.
    pub(super) fn kundu(&mut self, accelerator: &Accelerator) {
        let MatmulTable { bf16, fp8, fp8block, fp4, int8, int4 } = &mut self.matmul;
        for matmul in [bf16, fp8, fp8block, fp4, int8, int4] {
            (matmul.compute_efficiency, matmul.dram_efficiency) = (UTILISATION, DRAM);
            matmul.launch = KERNEL;
        }
        let ExpertsTable { bf16, fp8, fp8block, contiguous, masked, fp4, int4, mxfp4 } = &mut self.experts;
        for experts in [bf16, fp8, fp8block, contiguous, masked, fp4, int4, mxfp4] {
            (experts.compute_efficiency, experts.dram_efficiency) = (UTILISATION, DRAM);
            experts.launch = KERNEL;
        }
        let AttentionTable {
            prefill,
            prefill_fp8,
            decode,
            decode_fp8,
            latent_prefill,
            latent_prefill_fp8,
            latent_decode,
            latent_decode_fp8,
        } = &mut self.attention;
        for prefill in [prefill, prefill_fp8, latent_prefill, latent_prefill_fp8] {
            (prefill.matrix_efficiency, prefill.dram_efficiency) = (UTILISATION, DRAM);
            prefill.launch = KERNEL;
        }
        for decode in [decode, decode_fp8] {
            (decode.dram_efficiency, decode.launch) = (DRAM, KERNEL);
        }
        for decode in [latent_decode, latent_decode_fp8] {
            (decode.matrix_efficiency, decode.dram_efficiency) = (UTILISATION, DRAM);
            decode.launch = KERNEL;
        }
        (self.stream.dram_efficiency, self.stream.launch) = (DRAM, KERNEL);
        let reached = |gb_s: f64| 1.0 / (1.0 + ACCESSES * gb_s / (DRAM * accelerator.dram.bandwidth_gb_s));
        let LinkConstants { scale_up, scale_out, tree, .. } = &mut self.links;
        (scale_up.step, scale_up.efficiency) = (STEP, reached(accelerator.scale_up.gb_s));
        (scale_out.hop, scale_out.inner_hop, scale_out.level) = (STEP, STEP, STEP * 2.0);
        scale_out.efficiency = reached(accelerator.scale_out.gb_s);
        tree.level = STEP;
    }
}
