//! A vision encoder as operators: images on one GPU of a tensor group.

use super::kernels::stream;
use super::layer::NORM_FLOPS;
use super::operator::Operator;
use super::shard::ACTIVATION;
use crate::catalog::layers::{Grid, Matrix, Vision};
use crate::system::{AllReduce, Attention, Collective, Group, Matmul, Operation, Precision, Work};
use crate::units::Bytes;

/// Operations per element of an activation function.
const ACTIVATION_FLOPS: f64 = 8.0;

/// Passes of 16-bit elements through memory at a norm: a norm, then a residual.
const NORM_ACCESSES: f64 = 5.0;

/// Equal images before their encoder.
#[derive(Clone, Copy, Debug)]
pub struct Seeing<'a> {
    /// The encoder.
    pub vision: &'a Vision,
    /// Patches and tokens of one image.
    pub grid: Grid,
    /// Number of images.
    pub images: f64,
    /// Hidden width of the language model.
    pub hidden: u32,
    /// The tensor-parallel group of the language model.
    pub group: Group,
    /// All-reduce algorithm of that group.
    pub all_reduce: AllReduce,
}

impl Seeing<'_> {
    /// GPUs over which the encoder's matrices are cut: those of the tensor group as by default in vLLM (`--mm-encoder-tp-mode
    /// weights`), if they divide heads and inner width; otherwise each has the encoder whole.
    pub fn parts(&self) -> f64 {
        let (size, vision) = (self.group.size, self.vision);
        let divides = vision.heads.is_multiple_of(size) && vision.ffn.is_multiple_of(size);
        if divides { f64::from(size) } else { 1.0 }
    }

    /// Elements of the encoder's weights on one GPU. Norms, positions and the patch embedding are whole on each.
    pub fn weights(&self) -> f64 {
        let vision = self.vision;
        let cut = |matrix: Matrix| (matrix.rows * matrix.columns) as f64 * (1.0 - 1.0 / self.parts());
        let layer: f64 = vision.matrices().map(cut).into_iter().sum();
        let projector: f64 = vision.projections(self.hidden).map(cut).sum();
        let elsewhere = f64::from(vision.layers) * layer + f64::from(vision.projector.copies()) * projector;
        vision.parameters(self.hidden) as f64 - elsewhere
    }

    /// Bytes of the widest activations that live at once: those of a feed-forward block.
    pub fn activations(&self) -> Bytes {
        let vision = self.vision;
        let inner = (vision.gates() + 1) as f64 * f64::from(vision.ffn) / self.parts();
        Bytes::new(self.patches() * (2.0 * f64::from(vision.width) + inner) * ACTIVATION)
    }

    fn patches(&self) -> f64 {
        self.images * self.grid.all()
    }

    /// All operators of the encoder and its projector, each with the number of its executions.
    pub fn forward(&self, visit: &mut dyn FnMut(Operator, f64)) {
        let vision = self.vision;
        let (layers, width, patches) = (f64::from(vision.layers), f64::from(vision.width), self.patches());
        let inner = f64::from(vision.ffn) / self.parts();
        let tokens = self.images * f64::from(self.grid.tokens);
        multiply(vision.embedding(), 1.0, patches, &mut |operator| visit(operator, 1.0));
        let norms = layers * f64::from(vision.norms);
        let mut norm = |operator| visit(operator, norms);
        stream("Vision norms", patches * width, NORM_ACCESSES, NORM_FLOPS + 1.0, 2.0, &mut norm);
        for matrix in vision.matrices() {
            multiply(matrix, self.parts(), patches, &mut |operator| visit(operator, layers));
        }
        let accesses = (vision.gates() + 1) as f64;
        let mut activate = |operator| visit(operator, layers);
        stream("Vision activation", patches * inner, accesses, ACTIVATION_FLOPS, 2.0, &mut activate);
        let (full, windowed) = vision.spans();
        self.attend(f64::from(self.grid.patches), f64::from(full), visit);
        if let Some(windows) = vision.windows {
            let seen = windows.patches.min(self.grid.patches);
            self.attend(f64::from(seen), f64::from(windowed), visit);
        }
        self.add_up(patches * width, 2.0 * layers, visit);
        let copies = f64::from(vision.projector.copies());
        for matrix in vision.projections(self.hidden) {
            multiply(matrix, self.parts(), tokens, &mut |operator| visit(operator, copies));
        }
        self.add_up(tokens * f64::from(self.hidden), copies, visit);
    }

    /// Attention of all patches among groups of `seen` that attend to each other.
    fn attend(&self, seen: f64, layers: f64, visit: &mut dyn FnMut(Operator, f64)) {
        if layers <= 0.0 {
            return;
        }
        let heads = f64::from(self.vision.heads) / self.parts();
        let dim = f64::from(self.vision.head_dim);
        let attention = Attention {
            batch: self.patches() / seen,
            heads,
            kv_heads: heads,
            qk_dim: dim,
            v_dim: dim,
            cached_dim: 2.0 * dim,
            queries: seen,
            keys: seen,
            window: None,
            causal: false,
            precision: Precision::Bf16,
            // No cache: keys and values are read once.
            kv_element: Bytes::ZERO,
            backward: false,
        };
        visit(Operator { name: "Vision attention", work: Work::Attention(attention), core: true }, layers);
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
        visit(Operator { name: "Vision all-reduce", work, core: false }, count);
    }
}

/// A multiply of `rows` patches or tokens by one GPU's part of a matrix, in 16 bits: quantised checkpoints leave encoders wide.
fn multiply(matrix: Matrix, parts: f64, rows: f64, visit: &mut dyn FnMut(Operator)) {
    let (k, n) = matrix.part(parts);
    let matmul = Matmul { m: rows, n, k, count: 1.0, precision: Precision::Bf16, output: ACTIVATION };
    visit(Operator { name: matrix.name, work: Work::Matmul(matmul), core: false });
}
