//! Attention over many queries: blocks of query rows spread over multiprocessors.

use super::attention::{Attention, BACKWARD_PRODUCTS, COLUMNS};
use super::constants::constants;
use super::norm::{LARGEST, p_norm};
use super::precision::Precision;
use super::{Cost, System};
use crate::units::{Bytes, Flops, Seconds};

constants! {
    /// Attention over many queries: blocks of query rows spread over multiprocessors.
    PrefillConstants {
        /// Fraction of the peak matrix rate; may exceed 1 where softmax dominates.
        matrix_efficiency: f64 = 1.0, 0.01..=1.5 "", fitted;
        /// Time of one score's softmax on one multiprocessor.
        softmax: Seconds = 0.0, 2.5e-12..=2e-9 "s", fitted;
        /// Time of starting one block.
        block: Seconds = 0.0, 1e-8..=6e-5 "s", fitted;
        /// Query rows per block.
        block_rows: f64 = 128.0, 16.0..=512.0 "rows", given;
        /// 1 if query heads that share keys share blocks, otherwise 0.
        packed: f64 = 0.0, 0.0..=1.0 "", given;
        /// 1 if latent attention works on the latent itself instead of expanded keys and values, otherwise 0.
        absorbed: f64 = 0.0, 0.0..=1.0 "", given;
        /// Time that every kernel takes.
        launch: Seconds = 0.0, 3e-6..=3e-5 "s", fitted;
        /// Fraction of DRAM bandwidth; above 1 where part of the traffic stays in L2.
        dram_efficiency: f64 = 1.0, 0.05..=2.0 "", fitted;
        /// Throughput of the backward kernel relative to this one.
        backward_efficiency: f64 = 1.0, 0.3..=1.2 "", given;
        /// Exponent of the p-norm of the mean and the longest multiprocessor's time.
        overlap: f64 = LARGEST, 1.0..=8.0 "", fitted;
    }
}

/// Query heads of a block of sparse latent attention over prompts. `flash_mla_sparse_fwd` takes 64 or 128 heads, and engines pad the
/// heads that a GPU of a tensor group has to one of these (deepseek-ai/FlashMLA@9241ae3; vllm-project/vllm#57673;
/// sgl-project/sglang#35104).
const GATHERED_HEADS: f64 = 64.0;

impl System {
    /// Time of attention over many queries, in blocks of query rows (FlashAttention-2: Dao 2023, arXiv 2307.08691). A
    /// score takes the root of the summed squares of its multiplies and its exponential, since they overlap in part; the
    /// time is at least that of the longest block. The constants are fitted to measured kernels (`make kernels`).
    pub(super) fn prefill(&self, attention: &Attention, constants: &PrefillConstants) -> Cost {
        let processors = self.device.multiprocessors;
        // With an 8-bit KV cache the kernel multiplies 8-bit operands; a latent is always widened.
        let narrow = attention.is_narrow() && !attention.is_latent();
        let precision = if narrow { Precision::Fp8 } else { attention.precision.for_attention() };
        let peak = self.device.rate(precision);
        let (queries, rows) = (attention.queries, constants.block_rows);
        let absorbed = constants.absorbed > 0.5 && attention.is_latent() && !attention.backward;
        let (dims, kv_heads, bytes) = if absorbed {
            let rotated = attention.qk_dim - attention.v_dim;
            let query = 2.0 * attention.cached_dim - rotated;
            // All heads' queries and outputs, and the latent written and read back.
            let per_token = Bytes::new(2.0) * (attention.heads * query);
            let latent = attention.kv_element * (2.0 * attention.cached_dim);
            (query, 1.0, (per_token + latent) * (attention.batch * queries))
        } else {
            (attention.qk_dim + attention.v_dim, attention.kv_heads, attention.bytes())
        };
        // Time of one score on one multiprocessor.
        let multiply = Flops::new(2.0 * dims) / (peak * (constants.matrix_efficiency / processors));
        let score = libm::hypot(multiply.get(), constants.softmax.get());
        let shared = attention.heads / kv_heads;
        let packs = absorbed || constants.packed > 0.5;
        let packed = if packs { libm::ceil(queries * shared / rows) / shared } else { f64::MAX };
        let blocks = libm::ceil(queries / rows).min(packed);
        let padded = (blocks * rows).min(libm::ceil(queries / COLUMNS) * COLUMNS);
        // Blocks on the diagonal and at a window's edge compute their columns whole.
        let whole =
            if attention.causal { attention.keys - (queries - COLUMNS) / 2.0 } else { attention.keys };
        let mean = attention.window.map_or(whole, |window| whole.min(window + 0.5 * (COLUMNS + rows)));
        let edge = attention.window.map_or(attention.keys, |window| window + COLUMNS + rows);
        let longest = attention.keys.min(edge).max(COLUMNS);
        // Where each query has keys of its own, a block holds the heads of one query.
        let together = if attention.gathers() { GATHERED_HEADS } else { 1.0 };
        let heads = attention.batch * libm::ceil(attention.heads / together) * together;
        let spread = heads * (score * padded * mean + blocks * constants.block.get()) / processors;
        let filled = if absorbed { padded * shared } else { padded };
        let critical = score * rows.min(filled) * longest + constants.block.get();
        let gradient =
            if attention.backward { BACKWARD_PRODUCTS / constants.backward_efficiency } else { 1.0 };
        let compute = Seconds::new(p_norm(spread, critical, constants.overlap) * gradient);
        let dram = bytes / (self.device.dram * constants.dram_efficiency);
        Cost {
            flops: attention.flops(),
            bytes,
            time: compute + dram + constants.launch,
            compute,
            dram,
            launch: constants.launch,
            ..Cost::default()
        }
        .bounded()
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog;
    use crate::system::{Assumed, AssumptionSet, Attention, Precision, System};
    use crate::units::Bytes;

    /// Prompts of 8,192 tokens in latent attention with these heads, each query of which selects `window` keys, if any.
    fn time(heads: f64, window: Option<f64>) -> f64 {
        let accelerator = catalog::accelerator("h200-sxm").expect("a device");
        let system = System::new(accelerator, Assumed::from(AssumptionSet::Calibrated));
        let selects = window.is_some();
        let attention = Attention {
            batch: 1.0,
            heads,
            kv_heads: if selects { 1.0 } else { heads },
            qk_dim: if selects { 576.0 } else { 192.0 },
            v_dim: if selects { 512.0 } else { 128.0 },
            cached_dim: 576.0,
            queries: 8192.0,
            keys: 8192.0,
            window,
            causal: true,
            precision: Precision::Bf16,
            kv_element: Bytes::new(2.0),
            backward: false,
        };
        system.attention(&attention).time.get()
    }

    #[test]
    fn heads_are_padded_where_each_query_has_keys_of_its_own() {
        let selected = |heads| time(heads, Some(2048.0));
        assert!(selected(8.0) > 0.9 * selected(64.0), "{} of {}", selected(8.0), selected(64.0));
        assert!(selected(128.0) > 1.8 * selected(64.0));
        assert!(time(8.0, None) < 0.2 * time(64.0, None));
    }
}
