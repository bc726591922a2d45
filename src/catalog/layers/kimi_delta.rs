//! Kimi Delta Attention (Kimi Linear, arXiv 2510.26692; Kimi K3): a gated delta rule with a decay per channel of the key.

use serde::{Deserialize, Serialize};

use super::recurrence::{DELTA_CHUNK, delta_products};
use super::{Cut, Kept, Law, Matrix, Recurrence, RecurrenceKernel, is_default, number_range};

/// Dimensions of Kimi Delta Attention: heads and short convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KimiDelta {
    /// Heads of queries, keys and values, each with a state.
    pub heads: u32,
    /// Width of a query, a key and a value.
    pub head_dim: u32,
    /// Taps of the convolutions over queries, keys and values.
    pub conv: u32,
    /// True if the output gate has a full matrix (Kimi K3) instead of one with the rank of a head.
    #[serde(default, skip_serializing_if = "is_default")]
    pub full_rank_gate: bool,
}

impl KimiDelta {
    fn width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
    }
}

impl Law for KimiDelta {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let (width, rank) = (self.width(), u64::from(self.head_dim));
        let columns = Cut::Columns(self.heads);
        let mut show = |name, rows, columns, cut| visit(Matrix::new(name, rows, columns, cut));
        show("QKV projection", hidden, 3 * width, columns);
        show("Decay down-projection", hidden, rank, Cut::Whole);
        show("Decay up-projection", rank, width, columns);
        show("Rate projection", hidden, u64::from(self.heads), columns);
        if self.full_rank_gate {
            show("Output gate projection", hidden, width, columns);
        } else {
            show("Output gate down-projection", hidden, rank, Cut::Whole);
            show("Output gate up-projection", rank, width, columns);
        }
        show("Mixer output", width, hidden, Cut::Rows);
    }

    fn vectors(&self, _: u64) -> u64 {
        let taps = 3 * self.width() * u64::from(self.conv);
        taps + u64::from(self.heads) + self.width() + u64::from(self.head_dim)
    }

    fn kept(&self, _: u64) -> Kept {
        Kept {
            state: self.width() as f64 * f64::from(self.head_dim),
            recent: 3.0 * self.width() as f64 * (f64::from(self.conv) - 1.0),
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.heads, self.head_dim, self.conv], &[])
    }

    fn heads(&self) -> u32 {
        self.heads
    }

    fn recurrence(&self, hidden: u64) -> Option<Recurrence> {
        let (width, dim) = (self.width() as f64, f64::from(self.head_dim));
        let heads = f64::from(self.heads);
        Some(Recurrence {
            state: self.kept(hidden).state,
            convolved: (3.0 * width, f64::from(self.conv)),
            // Queries, keys, values, decays, gate and output, a rate per head.
            streamed: 6.0 * width + heads,
            chunk: DELTA_CHUNK,
            products: heads * delta_products(dim, dim),
            scanned: 18.0 * width,
            step: heads * 8.0 * dim * dim,
            kernel: RecurrenceKernel::KimiDelta,
            heads,
        })
    }
}
