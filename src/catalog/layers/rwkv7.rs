//! RWKV-7 (Peng et al. 2025, arXiv 2503.14456): a recurrence whose transition is diagonal plus rank one.

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, number_range};

/// Dimensions of an RWKV-7 mixer: heads and ranks of the gates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rwkv7 {
    /// Heads, each with a state.
    pub heads: u32,
    /// Width of a head.
    pub head_dim: u32,
    /// Rank of the decay.
    pub w_lora: u32,
    /// Rank of the in-context learning rate.
    pub a_lora: u32,
    /// Rank of the value's residual.
    pub v_lora: u32,
    /// Rank of the output gate.
    pub g_lora: u32,
}

/// Tokens of a chunk (fla-org/flash-linear-attention@bc3b101, ops/rwkv7).
const CHUNK: f64 = 16.0;

impl Law for Rwkv7 {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let ranks = [self.w_lora, self.a_lora, self.v_lora, self.g_lora].map(u64::from).iter().sum();
        let columns = Cut::Columns(self.heads);
        visit(Matrix::new("Receptance, key and value", hidden, 3 * hidden, columns));
        visit(Matrix::new("Gates down-projection", hidden, ranks, Cut::Whole));
        visit(Matrix::new("Gates up-projection", ranks, hidden, columns));
        visit(Matrix::new("Mixer output", hidden, hidden, Cut::Rows));
    }

    fn vectors(&self, hidden: u64) -> u64 {
        // Token-shift mixes, 6; k_k, k_a and r_k; group norm, 2; biases of decay, rate and residual.
        14 * hidden
    }

    fn kept(&self, hidden: u64) -> Kept {
        Kept {
            state: f64::from(self.heads) * f64::from(self.head_dim) * f64::from(self.head_dim),
            // The last input of both halves of the layer.
            recent: 2.0 * hidden as f64,
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.heads, self.head_dim], &[self.w_lora, self.a_lora, self.v_lora, self.g_lora])
    }

    fn heads(&self) -> u32 {
        self.heads
    }

    fn recurrence(&self, hidden: u64) -> Option<Recurrence> {
        let (heads, dim) = (f64::from(self.heads), f64::from(self.head_dim));
        Some(Recurrence {
            state: self.kept(hidden).state,
            streamed: 7.0 * heads * dim,
            chunk: CHUNK,
            products: heads * dim * (8.0 * dim + 8.0 * CHUNK),
            scanned: 20.0 * heads * dim,
            step: heads * 8.0 * dim * dim,
            ..Recurrence::default()
        })
    }
}
