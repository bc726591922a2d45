//! Activations that the backward pass needs, in bytes.
//!
//! Korthikanti et al. 2022, section 4, tensor by tensor, which also covers grouped-query attention, gated
//! and expert feed-forward blocks. For their models the sum is sbh (10 + 24/t + 5as/ht) with tensor
//! parallelism, (sbh/t)(34 + 5as/h) with sequence parallelism, without the 5as/h part where the attention
//! core is recomputed or fused, and 2sbh where the layer is.

use super::recompute::Recompute;
use super::shard::{ACTIVATION, AttentionKernel, Shard};
use crate::catalog::layers::{FeedForward, HeadNorm, Latent, Layer, Mixer};
use crate::units::Bytes;

/// A dropout mask is a byte.
const MASK: f64 = 1.0;

impl Shard<'_> {
    /// Bytes that one layer keeps for its backward pass, for one microbatch.
    pub fn saved(&self, layer: &Layer, recompute: Recompute) -> Bytes {
        let elements = self.tokens() * f64::from(self.architecture.hidden);
        // Outside the blocks: sharded with sequence parallelism only.
        let outside = if self.sequence_parallel { elements / self.tensor() } else { elements };
        if recompute == Recompute::Full {
            return Bytes::new(outside * ACTIVATION);
        }
        let halves = f64::from(u8::from(layer.mixer.is_some()) + u8::from(layer.ffn != FeedForward::None));
        // A parallel block has one norm and one input for both of its halves.
        let blocks = if self.architecture.parallel_block { halves.min(1.0) } else { halves };
        let mask = if self.dropout { MASK } else { 0.0 };
        let input = self.kept_input.get();
        let bytes = match recompute {
            // The layer's input, and what every second multiply gave.
            Recompute::Operators => ACTIVATION * (1.0 + blocks * (1.0 - recompute.multiplies())),
            // Inputs of the norms, and the residuals' masks.
            Recompute::Outputs => blocks * (ACTIVATION + mask),
            // Inputs of the norms and of the blocks, and the residuals' masks.
            _ => blocks * (ACTIVATION + input + mask),
        };
        let mixers = layer.mixers().map(|mixer| self.saved_mixer(&mixer, recompute, mask));
        let mixers = mixers.fold(Bytes::ZERO, |sum, saved| sum + saved);
        Bytes::new(bytes * outside) + mixers + self.saved_feed_forward(layer, recompute)
    }

    /// Queries, keys, values, the inputs of their norms, the attention core's output, and the scores if they are written to memory and kept; or
    /// the inputs of a recurrence.
    fn saved_mixer(&self, mixer: &Mixer, recompute: Recompute, mask: f64) -> Bytes {
        let local = |heads: u32| f64::from(heads) / self.tensor();
        // Queries, keys and values that are expanded again from their latents.
        let expanded = if recompute == Recompute::Outputs { 0.0 } else { 1.0 };
        let (heads, core, widths) = match mixer {
            Mixer::Latent(Latent { heads, widths: mla, .. }) => {
                let heads = local(*heads);
                let query = f64::from(mla.qk_nope + mla.qk_rope);
                let latents = f64::from(mla.q_lora + mla.kv_lora + mla.qk_rope);
                let (core, rest) = (heads * f64::from(mla.v), heads * (2.0 * query + f64::from(mla.v)));
                (heads, core, core + rest * expanded + latents)
            }
            Mixer::Attention(shape) => {
                let heads = local(shape.heads);
                let width = f64::from(shape.head_dim) + f64::from(shape.value());
                let gate = shape.gate_width() as f64 / self.tensor();
                let kv_heads = self.shared(shape.own_kv_heads());
                let normed = if shape.qk_norm == HeadNorm::None {
                    0.0
                } else {
                    f64::from(shape.head_dim) * (heads + kv_heads)
                };
                (heads, heads * f64::from(shape.value()), width * heads + width * kv_heads + gate + normed)
            }
            Mixer::Compressed(shape) => {
                let heads = local(shape.heads);
                let dim = f64::from(shape.head_dim);
                let output = f64::from(shape.o_groups) * f64::from(shape.o_lora) / self.tensor();
                (heads, heads * dim, 2.0 * heads * dim + dim + f64::from(shape.q_lora) + output)
            }
            recurrent => {
                return Bytes::new(self.tokens() * self.saved_recurrent(recurrent) * ACTIVATION);
            }
        };
        // The core's output is kept whole, and again as the next multiply's input where that has another format.
        let kept = 1.0 - recompute.multiplies();
        let widths = core + (widths - core) * kept;
        let copy = if self.kept_input.get() < ACTIVATION { core * self.kept_input.get() } else { 0.0 };
        let streams = self.tokens() * (widths * ACTIVATION + copy);
        let scores = self.batch * heads * self.queries * self.keys;
        let core = match (self.kernel, recompute) {
            // The log-sum-exp of each row, 32-bit.
            (AttentionKernel::Flash | AttentionKernel::Flash2, _) => 4.0 * self.batch * heads * self.queries,
            (AttentionKernel::Unfused, Recompute::None | Recompute::Outputs) => {
                // Softmax output, and with dropout its mask and its output.
                scores * if self.dropout { 2.0 * ACTIVATION + mask } else { ACTIVATION }
            }
            (AttentionKernel::Unfused, _) => 0.0,
        };
        Bytes::new(streams + core)
    }

    /// The activation function's input and output, the latter as the next multiply's input, and the tokens of each expert.
    fn saved_feed_forward(&self, layer: &Layer, recompute: Recompute) -> Bytes {
        let inputs = if self.architecture.gated { 2.0 } else { 1.0 };
        // The output of the activation function is no output of a matrix multiply.
        let kept = match recompute {
            Recompute::Operators => inputs * (1.0 - recompute.multiplies()) * ACTIVATION,
            Recompute::Outputs => inputs * ACTIVATION,
            _ => inputs * ACTIVATION + self.kept_input.get(),
        };
        let (width, dispatched) = match &layer.ffn {
            FeedForward::Experts(moe) => {
                let working = moe.working();
                let width = working * f64::from(moe.ffn) + f64::from(moe.shared_ffn);
                // Each expert's copy of its tokens.
                (width, self.tokens() * working * f64::from(moe.width(self.architecture.hidden)))
            }
            FeedForward::Dense(width) => (f64::from(*width), 0.0),
            FeedForward::None => (0.0, 0.0),
        };
        let activations = self.tokens() * width * kept / self.tensor();
        Bytes::new(activations) + self.kept_input * dispatched
    }
}
