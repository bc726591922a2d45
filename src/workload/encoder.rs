//! Layers and projector of an encoder as operators: patches of images or positions of audio on one GPU of a tensor group.

use super::kernels::stream;
use super::layer::NORM_FLOPS;
use super::operator::{Operator, Role};
use super::shard::ACTIVATION;
use crate::catalog::layers::{Blocks, CONFORMER, Matrix, Projector};
use crate::system::{AllReduce, Attention, Collective, Group, Matmul, Operation, Precision, Work};
use crate::units::Bytes;

/// Operations per element of an activation function (8 for GeLU, as the authors' code of arXiv 2410.00273 counts).
pub(super) const ACTIVATION_FLOPS: f64 = 8.0;

/// Passes of 16-bit elements through memory at a norm: a norm, then a residual.
const NORM_ACCESSES: f64 = 5.0;

/// Passes of 16-bit elements through memory between the matrices of a conformer's convolution: the gate reads two and writes
/// one, the convolution and the norm with its activation each read and write one.
const CONVOLUTION_ACCESSES: f64 = 7.0;

/// Patches or positions before the layers of their encoder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoder {
    /// The layers.
    pub(super) blocks: Blocks,
    /// The projector after the layers.
    pub(super) projector: Projector,
    /// Elements that form one token.
    pub(super) merged: u64,
    /// Hidden width of the language model.
    pub(super) hidden: u32,
    /// Patches or positions of everything that is encoded together.
    pub(super) positions: f64,
    /// Prompt tokens of the same.
    pub(super) tokens: f64,
    /// The tensor-parallel group of the language model.
    pub(super) group: Group,
    /// All-reduce algorithm of that group.
    pub(super) all_reduce: AllReduce,
}

/// Attention of some layers: groups of queries that see the same keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Queries of a group.
    pub(super) queries: f64,
    /// Keys to which each of them attends.
    pub(super) keys: f64,
    /// Layers.
    pub(super) layers: f64,
}

impl Encoder {
    /// GPUs over which the matrices are cut: those of the tensor group as by default in vLLM (`--mm-encoder-tp-mode weights`), if
    /// they divide heads and inner width; otherwise each has the encoder whole.
    pub(super) fn parts(&self) -> f64 {
        let (size, blocks) = (self.group.size, self.blocks);
        let divides = blocks.heads.is_multiple_of(size) && blocks.ffn.is_multiple_of(size);
        if divides { f64::from(size) } else { 1.0 }
    }

    fn projections(&self) -> impl Iterator<Item = Matrix> + use<> {
        let (width, hidden) = (u64::from(self.blocks.width), u64::from(self.hidden));
        self.projector.matrices(self.blocks.names.projector, width, self.merged, hidden)
    }

    /// Elements of weights that are on other GPUs. Norms, positions and what precedes the layers are whole on each.
    pub(super) fn elsewhere(&self) -> f64 {
        let cut = |matrix: Matrix| matrix.elements() as f64 * (1.0 - 1.0 / self.parts());
        let layer: f64 = self.blocks.matrices().map(|(matrix, count)| cut(matrix) * f64::from(count)).sum();
        let projector: f64 = self.projections().map(cut).sum();
        f64::from(self.blocks.layers) * layer + f64::from(self.projector.copies()) * projector
    }

    /// Bytes of the widest activations that live at once: those of a feed-forward block.
    pub(super) fn activations(&self) -> Bytes {
        let blocks = self.blocks;
        let inner = (blocks.gates() + 1) as f64 * f64::from(blocks.ffn) / self.parts();
        Bytes::new(self.positions * (2.0 * f64::from(blocks.width) + inner) * ACTIVATION)
    }

    /// All operators of layers and projector, each with the number of its executions.
    pub(super) fn forward(&self, spans: [Span; 2], visit: &mut dyn FnMut(Operator, f64)) {
        let (blocks, names) = (self.blocks, self.blocks.names);
        let (layers, width) = (f64::from(blocks.layers), f64::from(blocks.width));
        let inner = f64::from(blocks.ffn) / self.parts();
        let norms = layers * f64::from(blocks.norms);
        let mut norm = |operator| visit(operator, norms);
        stream(names.norms, self.positions * width, NORM_ACCESSES, NORM_FLOPS + 1.0, 2.0, &mut norm);
        for (matrix, count) in blocks.matrices() {
            let executions = layers * f64::from(count);
            multiply(matrix, self.parts(), self.positions, &mut |operator| visit(operator, executions));
        }
        let accesses = (blocks.gates() + 1) as f64;
        let activations = layers * f64::from(blocks.feed_forwards());
        let mut activate = |operator| visit(operator, activations);
        stream(names.activation, self.positions * inner, accesses, ACTIVATION_FLOPS, 2.0, &mut activate);
        if let Some(kernel) = blocks.kernel {
            let elements = self.positions * width / self.parts();
            let flops = 2.0 * f64::from(kernel) + 2.0 * ACTIVATION_FLOPS + NORM_FLOPS;
            let mut convolve = |operator| visit(operator, layers);
            stream(CONFORMER, elements, CONVOLUTION_ACCESSES, flops, 2.0, &mut convolve);
        }
        for span in spans {
            self.attend(span, visit);
        }
        self.add_up(self.positions * width, blocks.sums() * layers, visit);
        let copies = f64::from(self.projector.copies());
        for matrix in self.projections() {
            multiply(matrix, self.parts(), self.tokens, &mut |operator| visit(operator, copies));
        }
        self.add_up(self.tokens * f64::from(self.hidden), copies, visit);
    }

    fn attend(&self, span: Span, visit: &mut dyn FnMut(Operator, f64)) {
        if span.layers <= 0.0 {
            return;
        }
        let heads = f64::from(self.blocks.heads) / self.parts();
        let dim = f64::from(self.blocks.head_dim);
        let attention = Attention {
            batch: self.positions / span.queries,
            heads,
            kv_heads: heads,
            qk_dim: dim,
            v_dim: dim,
            cached_dim: 2.0 * dim,
            queries: span.queries,
            keys: span.keys,
            window: None,
            causal: false,
            precision: Precision::Bf16,
            // No cache: keys and values are read once.
            kv_element: Bytes::ZERO,
            backward: false,
        };
        let work = Work::Attention(attention);
        visit(Operator { name: self.blocks.names.attention, work, role: Role::Core }, span.layers);
    }

    /// Sums partial results of the tensor group.
    fn add_up(&self, elements: f64, count: f64, visit: &mut dyn FnMut(Operator, f64)) {
        if self.parts() <= 1.0 {
            return;
        }
        let work = Work::Collective(Collective {
            operation: Operation::AllReduce,
            bytes: Bytes::new(elements * ACTIVATION),
            group: self.group,
            algorithm: self.all_reduce,
        });
        visit(Operator { name: self.blocks.names.all_reduce, work, role: Role::Plain }, count);
    }
}

/// A multiply of `rows` patches, positions or tokens by one GPU's part of a matrix, in 16 bits: quantised checkpoints leave
/// encoders wide.
pub(super) fn multiply(matrix: Matrix, parts: f64, rows: f64, visit: &mut dyn FnMut(Operator)) {
    let (k, n) = matrix.part(parts);
    let matmul = Matmul { m: rows, n, k, count: 1.0, precision: Precision::Bf16, output: ACTIVATION };
    visit(Operator { name: matrix.name, work: Work::Matmul(matmul), role: Role::Plain });
}
