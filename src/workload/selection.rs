//! Sparse attention: what selects keys, and attention over a window and compressed entries.

use super::attention::Core;
use super::kernels::{Cut, stream};
use super::operator::{Operator, Role};
use super::shard::Shard;
use crate::catalog::layers::{Compressed, Indexer, Law, Seen};
use crate::system::{IndexScores, Matmul, Precision, SCORE, Selection, Work};

impl Shard<'_> {
    /// Queries, key and weights of an indexer; every member of the tensor group has all, since each needs the same
    /// selection.
    pub(super) fn index_projections(&self, indexer: &Indexer, input: f64, visit: &mut dyn FnMut(Operator)) {
        let hidden = f64::from(self.architecture.hidden);
        let (heads, dim) = (f64::from(indexer.heads), f64::from(indexer.dim));
        self.matmul("Index queries", heads * dim, input, Cut::Columns, visit);
        let weights = if indexer.weighted { heads } else { 0.0 };
        self.matmul("Index key and weights", dim + weights, hidden, Cut::Columns, visit);
    }

    /// Scores of all earlier tokens, or of entries of this many tokens, and the selection of the best.
    ///
    /// A pair of query and key takes 2 × heads × width operations and leaves one score (DeepSeek-V3.2, equation 1).
    pub(super) fn select(&self, indexer: &Indexer, ratio: f64, visit: &mut dyn FnMut(Operator)) {
        let heads = f64::from(indexer.heads);
        // Below that, all are attended and nothing is scored.
        if self.keys <= f64::from(indexer.top_k) * ratio {
            return;
        }
        let mean = (self.keys - 0.5 * (self.queries - 1.0)) / ratio;
        let precision = if indexer.weighted { Precision::Fp8 } else { self.precision.for_attention() };
        let dim = f64::from(indexer.dim);
        let work = if self.queries > 1.0 {
            let (batch, queries) = (self.batch, self.queries);
            Work::IndexScores(IndexScores { batch, queries, keys: mean, heads, dim, precision })
        } else {
            let (k, count, output) = (dim, self.batch, SCORE.get() / heads);
            Work::Matmul(Matmul { m: heads, n: mean, k, count, precision, output })
        };
        visit(Operator { name: "Index scores", work, role: Role::Core });
        let work = Work::Selection(Selection { queries: self.batch * self.queries, keys: mean });
        visit(Operator { name: "Selection", work, role: Role::Core });
    }

    /// Attention of DeepSeek-V4: one vector per token is key and value of all heads.
    pub(super) fn compressed_attention(&self, shape: &Compressed, visit: &mut dyn FnMut(Operator)) {
        let tensor = self.tensor();
        let (mut matrices, mut output) = (Vec::new(), None);
        shape.matrices(u64::from(self.architecture.hidden), &mut |matrix| {
            matrices.extend(output.replace(matrix));
        });
        let down = matrices.pop();
        for matrix in matrices {
            let (rows, columns) = matrix.part(tensor);
            self.matmul(matrix.name, columns, rows, Cut::Columns, visit);
        }
        let dim = f64::from(shape.head_dim);
        if shape.ratio > 0 {
            // Softmax gates over the tokens that an entry pools.
            stream("Compression", self.tokens() * 2.0 * dim, 2.0, 8.0, 1.5, visit);
        }
        if let Some(indexer) = &shape.indexer {
            self.select(indexer, f64::from(shape.ratio.max(1)), visit);
        }
        let mean = self.keys - 0.5 * (self.queries - 1.0);
        let attended = shape.attended(mean);
        let core = Core {
            heads: f64::from(shape.heads) / tensor,
            kv_heads: 1.0,
            qk_dim: dim,
            v_dim: dim,
            cached_dim: dim,
            seen: Seen::Window(libm::ceil(attended).max(1.0) as u32),
        };
        self.attend(&core, visit);
        for matrix in down.into_iter().chain(output) {
            let (rows, columns) = matrix.part(tensor);
            self.matmul(matrix.name, columns, rows, Cut::Rows, visit);
        }
    }
}
