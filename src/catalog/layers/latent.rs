//! Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1), and its sparse form (DeepSeek-V3.2).

use serde::{Deserialize, Serialize};

use super::{Cut, Gate, Indexer, Kept, Law, Matrix, Seen, is_default, number_range};

/// Dimensions of latent attention: heads, widths of projections, and keys that a token attends to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latent {
    /// Query heads.
    pub heads: u32,
    /// Widths of its projections.
    pub widths: Mla,
    /// Keys that a token attends to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seen: Seen,
    /// The gate of the output.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gate: Gate,
}

/// Multi-head latent attention: widths of its projections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mla {
    /// Latent width of queries; 0 if they are projected directly.
    pub q_lora: u32,
    /// Latent width of keys and values, which is cached.
    pub kv_lora: u32,
    /// Width of a head's query without position.
    pub qk_nope: u32,
    /// Width of a head's query with position.
    pub qk_rope: u32,
    /// Width of a head's value.
    pub v: u32,
}

impl Law for Latent {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let Mla { q_lora, kv_lora, qk_nope, qk_rope, v } = self.widths;
        let [latent, kv_lora, value] = [q_lora, kv_lora, v].map(u64::from);
        let heads = u64::from(self.heads);
        let query = heads * u64::from(qk_nope + qk_rope);
        let columns = Cut::Columns(self.heads);
        let mut show = |name, rows, columns, cut| visit(Matrix::new(name, rows, columns, cut));
        if latent > 0 {
            show("Query down-projection", hidden, latent, Cut::Whole);
            show("Query up-projection", latent, query, columns);
        } else {
            show("Query projection", hidden, query, columns);
        }
        show("KV down-projection", hidden, kv_lora + u64::from(qk_rope), Cut::Whole);
        show("KV up-projection", kv_lora, heads * (u64::from(qk_nope) + value), columns);
        if let Some(indexer) = self.seen.indexer() {
            let [count, dim] = [indexer.heads, indexer.dim].map(u64::from);
            let input = if latent > 0 { latent } else { hidden };
            show("Index queries", input, count * dim, Cut::Whole);
            show("Index key", hidden, dim, Cut::Whole);
            show("Index weights", hidden, count, Cut::Whole);
        }
        let gate = match self.gate {
            Gate::None => 0,
            Gate::Head => heads,
            Gate::Element => heads * value,
        };
        show("Output gate projection", hidden, gate, columns);
        show("Attention output", heads * value, hidden, Cut::Rows);
    }

    fn vectors(&self, _: u64) -> u64 {
        let index = self.seen.indexer().map_or(0, |indexer| 2 * u64::from(indexer.dim));
        u64::from(self.widths.q_lora) + u64::from(self.widths.kv_lora) + index
    }

    fn kept(&self, _: u64) -> Kept {
        Kept {
            per_token: f64::from(self.widths.kv_lora) + f64::from(self.widths.qk_rope),
            index_bytes: self.seen.indexer().map_or(0.0, Indexer::bytes),
            span: self.seen.span().map(f64::from),
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        let indexer = self.seen.indexer().map_or((1, 1), |indexer| (indexer.heads, indexer.dim));
        let widths = self.widths;
        number_range(
            &[self.heads, widths.kv_lora, widths.v, self.seen.most().unwrap_or(1).min(1)],
            &[widths.q_lora, widths.qk_nope, widths.qk_rope, indexer.0, indexer.1],
        )
    }

    fn heads(&self) -> u32 {
        self.heads
    }
}
