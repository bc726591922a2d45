//! The work between the projections of a mixer whose memory is a state of constant size.

/// Kernels that a recurrence runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecurrenceKernel {
    /// Kernels without measurements.
    #[default]
    Unmeasured,
    /// Gated delta rule: one decay per head.
    GatedDelta,
    /// Kimi delta attention: one decay per channel.
    KimiDelta,
}

/// Work of a recurrence over all heads of one layer, per token unless said.
///
/// Prompts are read in chunks: inside a chunk tokens meet as in attention, and a state passes from chunk to chunk, which
/// makes it matrix multiplies (Dao and Gu 2024, arXiv 2405.21060, section 6; Yang et al. 2024, arXiv 2412.06464,
/// section 3.3). Decode updates the state by one token, which reads and writes it whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recurrence {
    /// Elements of the state, 32 bits each.
    pub state: f64,
    /// Channels that pass a short convolution before, and its taps.
    pub convolved: (f64, f64),
    /// Elements that go in and come out, 16 bits each.
    pub streamed: f64,
    /// Tokens of a chunk; 1 if tokens are scanned one at a time.
    pub chunk: f64,
    /// Operations on matrix units where a prompt is read in chunks.
    pub products: f64,
    /// Operations on vector units where a prompt is read.
    pub scanned: f64,
    /// Operations of a decode step with one token.
    pub step: f64,
    /// The kernels that compute it, by which its constants are chosen.
    pub kernel: RecurrenceKernel,
    /// Heads with a state each; 0 where kernels are without measurements.
    pub heads: f64,
}

/// Tokens of a chunk of delta-rule kernels (fla-org/flash-linear-attention@bc3b101, ops/gated_delta_rule/chunk.py).
pub(super) const DELTA_CHUNK: f64 = 64.0;

/// Operations per token and head of a delta rule in chunks: state in, state out and correction, 6 dk dv; keys by keys, the
/// inverse applied to keys and values, queries by keys and scores by values, 2C (3 dk + 2 dv); the inverse of a unit
/// triangle, C² (arXiv 2412.06464, equations 8 to 10).
pub(super) fn delta_products(keys: f64, values: f64) -> f64 {
    let chunk = DELTA_CHUNK;
    6.0 * keys * values + 2.0 * chunk * (3.0 * keys + 2.0 * values) + chunk * chunk
}
