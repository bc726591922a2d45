//! Attention over a window and over compressed entries (DeepSeek-V4: CSA, HCA).
//!
//! Keys are values: one vector per token, shared by all heads. Entries pool a number of tokens each; of those of four tokens
//! an indexer selects some, those of 128 are all attended. Shapes follow the checkpoints of V4-Flash and V4-Pro, which
//! they count to the last element (ai-dynamo/aiconfigurator@095f58a, sdk/models/deepseek_v4.py).

use serde::{Deserialize, Serialize};

use super::{Cut, Indexer, Kept, Law, Matrix, number_range};

/// Dimensions of compressed attention: heads, compression and output projection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compressed {
    /// Query heads.
    pub heads: u32,
    /// Width of a query, and of the vector that is key and value.
    pub head_dim: u32,
    /// Latent width of queries.
    pub q_lora: u32,
    /// Groups into which the output is divided, each projected to a latent of its own.
    pub o_groups: u32,
    /// Latent width of a group's output.
    pub o_lora: u32,
    /// Last tokens that are attended uncompressed.
    pub window: u32,
    /// Tokens per entry; 0 without compressed entries.
    pub ratio: u32,
    /// The indexer that selects entries, where not all are attended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexer: Option<Indexer>,
}

impl Compressed {
    /// Tokens that overlap into a selected entry, in entries: each pools its own tokens and those of the one before.
    const fn overlap(&self) -> u64 {
        if self.indexer.is_some() { 2 } else { 1 }
    }

    /// Number of keys that a token attends to after `tokens` tokens.
    pub fn attended(&self, tokens: f64) -> f64 {
        let entries = if self.ratio > 0 { tokens / f64::from(self.ratio) } else { 0.0 };
        let chosen = self.indexer.map_or(entries, |indexer| entries.min(f64::from(indexer.top_k)));
        tokens.min(f64::from(self.window)) + chosen
    }
}

impl Law for Compressed {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let [heads, dim, latent, groups, output] =
            [self.heads, self.head_dim, self.q_lora, self.o_groups, self.o_lora].map(u64::from);
        let mut show = |name, rows, columns, cut| visit(Matrix::new(name, rows, columns, cut));
        show("Query down-projection", hidden, latent, Cut::Whole);
        show("Query up-projection", latent, heads * dim, Cut::Columns(self.heads));
        show("KV projection", hidden, dim, Cut::Whole);
        if self.ratio > 0 {
            show("Compressor projection", hidden, 2 * self.overlap() * dim, Cut::Whole);
        }
        if let Some(indexer) = self.indexer {
            let [count, width] = [indexer.heads, indexer.dim].map(u64::from);
            show("Index compressor", hidden, 2 * self.overlap() * width, Cut::Whole);
            show("Index queries", latent, count * width, Cut::Whole);
            show("Index weights", hidden, count, Cut::Whole);
        }
        // Each group's heads to its latent: block-diagonal, so that a token meets only its group's rows.
        show(
            "Output down-projection",
            heads * dim / groups.max(1),
            groups * output,
            Cut::Columns(self.o_groups),
        );
        show("Attention output", groups * output, hidden, Cut::Rows);
    }

    fn vectors(&self, _: u64) -> u64 {
        let [heads, dim, latent, ratio] = [self.heads, self.head_dim, self.q_lora, self.ratio].map(u64::from);
        // Table of positions inside an entry, and a norm of the entry.
        let pooled = |width: u64| ratio * self.overlap() * width + width;
        let compressor = if ratio > 0 { pooled(dim) } else { 0 };
        let index = self.indexer.map_or(0, |indexer| pooled(u64::from(indexer.dim)));
        heads + latent + dim + compressor + index
    }

    fn kept(&self, _: u64) -> Kept {
        let [dim, ratio, window] = [self.head_dim, self.ratio, self.window].map(f64::from);
        let per_entry = if self.ratio > 0 { 1.0 / ratio } else { 0.0 };
        let overlap = self.overlap() as f64;
        let pools = |width: f64| 2.0 * ratio * overlap * width;
        let index = self.indexer.map_or(0.0, |indexer| f64::from(indexer.dim));
        let index_bytes = self.indexer.map_or(0.0, Indexer::bytes);
        Kept {
            per_token: dim * per_entry,
            index_bytes: index_bytes * per_entry,
            // Sums of entries that are not full yet.
            state: pools(dim) + pools(index),
            recent: dim * window,
            span: None,
        }
    }

    fn number_range(&self) -> (u32, u32) {
        let indexer = self.indexer.map_or((1, 1), |indexer| (indexer.heads, indexer.dim));
        number_range(
            &[
                self.heads,
                self.head_dim,
                self.q_lora,
                self.o_groups,
                self.o_lora,
                self.window,
                indexer.0,
                indexer.1,
            ],
            &[self.ratio],
        )
    }

    fn heads(&self) -> u32 {
        self.heads
    }
}
