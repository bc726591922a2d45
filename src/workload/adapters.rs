//! Low-rank adapters beside frozen matrices (LoRA, Hu et al. 2021, section 4.1), and the unpacking of quantised ones.
//!
//! The output of an adapted matrix is W x + B A x: A maps the input features to `rank` features, B maps those to the
//! output features. A and B are trained in 16 bits.

use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use super::weights::Weights;
use crate::catalog::layers::{FeedForward, Layer};
use crate::system::{Matmul, Precision, Stream, Work};
use crate::units::{Bytes, Flops};

/// Adapters of every layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adapters {
    /// Features between A and B.
    pub rank: u32,
    /// Matrices that have an adapter.
    pub targets: Targets,
}

/// Matrices that have an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Targets {
    /// Every matrix of attention, or of what a layer has in its place.
    Attention,
    /// Those, and the matrices of the feed-forward blocks and of shared experts. Routed experts have none: Transformers
    /// stores them as one tensor, which PEFT's `all-linear` leaves out.
    #[default]
    Linear,
}

impl Targets {
    /// All choices, the default first.
    pub const ALL: [Self; 2] = [Self::Linear, Self::Attention];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "All but routed experts",
            Self::Attention => "Attention",
        }
    }
}

/// Vector operations that unpack one weight: table look-up and scale.
const UNPACK_FLOPS: f64 = 2.0;

impl Shard<'_> {
    /// Shows input and output features of this GPU's part of every adapted matrix of a layer.
    fn adapted(&self, layer: &Layer, targets: Targets, visit: &mut dyn FnMut(f64, f64)) {
        let tensor = self.matrix_parts();
        for mixer in layer.mixers() {
            let Some(law) = mixer.law() else { continue };
            law.matrices(u64::from(self.architecture.hidden), &mut |matrix| {
                let (rows, columns) = matrix.part(tensor);
                if columns > 0.0 {
                    visit(rows, columns);
                }
            });
        }
        let width = match (&layer.ffn, targets) {
            (_, Targets::Attention) | (FeedForward::None, _) => 0,
            (FeedForward::Dense(width), Targets::Linear) => *width,
            (FeedForward::Experts(moe), Targets::Linear) => moe.shared_ffn,
        };
        if width == 0 {
            return;
        }
        let (hidden, local) = (f64::from(self.architecture.hidden), f64::from(width) / tensor);
        for _ in 0..if self.architecture.gated { 2 } else { 1 } {
            visit(hidden, local);
        }
        visit(local, hidden);
    }

    /// Parameters of a layer's adapters on this GPU: rank × (input + output features) for each matrix.
    pub fn adapter_parameters(&self, layer: &Layer, adapters: Adapters) -> f64 {
        let mut sum = 0.0;
        self.adapted(layer, adapters.targets, &mut |rows, columns| sum += rows + columns);
        sum * f64::from(adapters.rank)
    }

    /// The forward pass of a layer's adapters: two multiplies and a sum for each matrix. If `casts` is true, kernels of their
    /// own convert the input to 32 bits and back, scale the output and add it, as PEFT's do.
    pub fn adapters(&self, layer: &Layer, adapters: Adapters, casts: bool, visit: &mut dyn FnMut(Operator)) {
        let (tokens, rank) = (self.tokens(), f64::from(adapters.rank));
        let multiply = |k, n| {
            let matmul =
                Matmul { m: tokens, n, k, count: 1.0, precision: Precision::Bf16, output: ACTIVATION };
            Work::Matmul(matmul)
        };
        self.adapted(layer, adapters.targets, &mut |rows, columns| {
            visit(Operator { name: "Adapter A", work: multiply(rows, rank), role: Role::Plain });
            visit(Operator { name: "Adapter B", work: multiply(rank, columns), role: Role::Plain });
            if casts {
                // 2 bytes in and 4 out, and 4 in and 2 out. The gradient takes the same way, and 6 bytes of its addition.
                let bytes = Bytes::new(12.0 * tokens * rows);
                let cast = Stream { bytes, flops: Flops::new(2.0 * tokens * rows), backward: 1.5 };
                visit(Operator { name: "Adapter casts", work: Work::Stream(cast), role: Role::Plain });
            }
            // Scaling reads and writes the output, and the sum reads two of its size and writes one. Fused, scaling costs
            // nothing, and neither does its gradient.
            let (tensors, backward) = if casts { (5.0, 0.4) } else { (3.0, 0.0) };
            let sum = Stream {
                bytes: Bytes::new(tensors * ACTIVATION * tokens * columns),
                flops: Flops::new(2.0 * tokens * columns),
                backward,
            };
            visit(Operator { name: "Adapter sum", work: Work::Stream(sum), role: Role::Plain });
        });
    }

    /// Unpacking of a layer's frozen matrices from `stored` to 16 bits, which each pass repeats; none if they have 16
    /// bits or more, or the format of the multiplies.
    pub fn unpack(&self, layer: &Layer, stored: Precision, visit: &mut dyn FnMut(Operator)) {
        let unpacked = Bytes::new(ACTIVATION);
        // Weights in the format of the multiplies are multiplied as they are.
        if stored.element() >= unpacked || stored == self.dense {
            return;
        }
        let Weights { projections, feed_forward, routed, .. } = self.weights(layer);
        // Weights that several layers share are unpacked at each use.
        let matrices = (projections + feed_forward + routed) / layer.weight_sets_per_layer();
        let work = Work::Stream(Stream {
            bytes: (stored.element() + unpacked) * matrices,
            flops: Flops::new(UNPACK_FLOPS * matrices),
            backward: 1.0,
        });
        visit(Operator { name: "Unpacking of weights", work, role: Role::Plain });
    }

    /// Bytes of activations that a frozen layer need not keep: inputs of the feed-forward block's matrices that have no
    /// adapter. A frozen matrix passes gradients on without its input. Routed experts never have adapters.
    pub fn unneeded(&self, layer: &Layer, targets: Targets) -> Bytes {
        let inputs = match (&layer.ffn, targets) {
            (FeedForward::Dense(width), Targets::Attention) => {
                // In a parallel block, the adapters of attention need the input of both halves.
                let shared = self.architecture.parallel_block;
                let input =
                    if shared { 0.0 } else { self.local_tokens() * f64::from(self.architecture.hidden) };
                input + self.tokens() * f64::from(*width) / self.tensor()
            }
            (FeedForward::Experts(moe), _) => {
                let width =
                    f64::from(moe.width(self.architecture.hidden)) + f64::from(moe.ffn) / self.tensor();
                self.tokens() * moe.working() * width
            }
            _ => 0.0,
        };
        Bytes::new(inputs * ACTIVATION)
    }
}
