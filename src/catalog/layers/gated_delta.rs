//! Gated DeltaNet (Yang et al. 2024, arXiv 2412.06464; Qwen3-Next, Qwen3.5, OLMo Hybrid).

use serde::{Deserialize, Serialize};

use super::recurrence::{DELTA_CHUNK, delta_products};
use super::{Cut, Kept, Law, Matrix, Recurrence, RecurrenceKernel, number_range};

/// Dimensions of a gated delta net: heads and short convolution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatedDelta {
    /// Heads of queries and keys.
    pub k_heads: u32,
    /// Heads of values, each with a state.
    pub v_heads: u32,
    /// Width of a query and of a key.
    pub k_dim: u32,
    /// Width of a value.
    pub v_dim: u32,
    /// Taps of the convolution over queries, keys and values.
    pub conv: u32,
}

impl GatedDelta {
    /// Width of all keys, and of all values.
    fn widths(&self) -> (u64, u64) {
        let keys = u64::from(self.k_heads) * u64::from(self.k_dim);
        (keys, u64::from(self.v_heads) * u64::from(self.v_dim))
    }
}

impl Law for GatedDelta {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let (keys, values) = self.widths();
        let heads = self.k_heads;
        visit(Matrix::new("QKV and gate projection", hidden, 2 * keys + 2 * values, Cut::Columns(heads)));
        visit(Matrix::new("Decay projection", hidden, 2 * u64::from(self.v_heads), Cut::Columns(heads)));
        visit(Matrix::new("Mixer output", values, hidden, Cut::Rows));
    }

    fn vectors(&self, _: u64) -> u64 {
        let (keys, values) = self.widths();
        (2 * keys + values) * u64::from(self.conv) + 2 * u64::from(self.v_heads) + u64::from(self.v_dim)
    }

    fn kept(&self, _: u64) -> Kept {
        let (keys, values) = self.widths();
        Kept {
            state: f64::from(self.v_heads) * f64::from(self.k_dim) * f64::from(self.v_dim),
            recent: (2 * keys + values) as f64 * (f64::from(self.conv) - 1.0),
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.k_heads, self.v_heads, self.k_dim, self.v_dim, self.conv], &[])
    }

    fn heads(&self) -> u32 {
        self.k_heads
    }

    fn recurrence(&self, hidden: u64) -> Option<Recurrence> {
        let (keys, values) = self.widths();
        let (keys, values) = (keys as f64, values as f64);
        let heads = f64::from(self.v_heads);
        let (key, value) = (f64::from(self.k_dim), f64::from(self.v_dim));
        Some(Recurrence {
            state: self.kept(hidden).state,
            convolved: (2.0 * keys + values, f64::from(self.conv)),
            // Queries, keys, values, gate and output, a decay and a rate per head.
            streamed: 2.0 * keys + 3.0 * values + 2.0 * heads,
            chunk: DELTA_CHUNK,
            products: heads * delta_products(key, value),
            // Norms of queries and keys, gates.
            scanned: 8.0 * keys + 6.0 * values,
            // Decay, prediction, correction, output: S ← aS + bk(v − Sᵀk)ᵀ.
            step: heads * 7.0 * key * value,
            kernel: RecurrenceKernel::GatedDelta,
            heads,
        })
    }
}
