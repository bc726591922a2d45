//! Lightning Attention (MiniMax-01, arXiv 2501.08313, section 2.2): linear attention with a fixed decay per head.

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, is_default, number_range};

/// Dimensions of Lightning Attention: heads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lightning {
    /// Heads of queries, keys and values, each with a state.
    pub heads: u32,
    /// Width of a query, a key and a value.
    pub head_dim: u32,
    /// True if the output has a gate per element.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gate: bool,
    /// True if queries and keys are normed, by one norm each over a head (Ling 2.5).
    #[serde(default, skip_serializing_if = "is_default")]
    pub qk_norm: bool,
}

/// Tokens of a block (`block_size` of MiniMax-Text-01's configuration).
const BLOCK: f64 = 256.0;

impl Lightning {
    fn width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
    }
}

impl Law for Lightning {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let columns = Cut::Columns(self.heads);
        visit(Matrix::new("QKV projection", hidden, 3 * self.width(), columns));
        if self.gate {
            visit(Matrix::new("Output gate projection", hidden, self.width(), columns));
        }
        visit(Matrix::new("Mixer output", self.width(), hidden, Cut::Rows));
    }

    fn vectors(&self, _: u64) -> u64 {
        self.width() + if self.qk_norm { 2 * u64::from(self.head_dim) } else { 0 }
    }

    fn kept(&self, _: u64) -> Kept {
        Kept { state: self.width() as f64 * f64::from(self.head_dim), ..Kept::default() }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.heads, self.head_dim], &[])
    }

    fn heads(&self) -> u32 {
        self.heads
    }

    fn recurrence(&self, hidden: u64) -> Option<Recurrence> {
        let (width, dim) = (self.width() as f64, f64::from(self.head_dim));
        Some(Recurrence {
            state: self.kept(hidden).state,
            streamed: if self.gate { 5.0 } else { 4.0 } * width,
            chunk: BLOCK,
            // The state's part and its update, 4d²; scores and weighted values of a block, 4Cd.
            products: width * (4.0 * dim + 4.0 * BLOCK),
            scanned: 8.0 * width,
            step: width * 5.0 * dim,
            ..Recurrence::default()
        })
    }
}
