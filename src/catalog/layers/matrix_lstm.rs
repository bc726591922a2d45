//! mLSTM (xLSTM 7B, Beck et al. 2025, arXiv 2503.13427): an LSTM with a matrix for its memory.

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, number_range};

/// Dimensions of an mLSTM mixer: heads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixLstm {
    /// Heads, each with a state.
    pub heads: u32,
    /// Width of all queries, and of all keys.
    pub qk: u32,
    /// Width of all values.
    pub v: u32,
    /// Tokens of a chunk.
    pub chunk: u32,
}

impl Law for MatrixLstm {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let [heads, qk, v] = [self.heads, self.qk, self.v].map(u64::from);
        let columns = Cut::Columns(self.heads);
        visit(Matrix::new("QKV and gate projection", hidden, 2 * qk + 2 * v, columns));
        visit(Matrix::new("Input and forget gates", hidden, 2 * heads, columns));
        visit(Matrix::new("Mixer output", v, hidden, Cut::Rows));
    }

    fn vectors(&self, _: u64) -> u64 {
        2 * u64::from(self.heads) + u64::from(self.v)
    }

    fn kept(&self, _: u64) -> Kept {
        let (heads, key) = (f64::from(self.heads), f64::from(self.qk) / f64::from(self.heads));
        // The memory, its normaliser and its running maximum.
        Kept { state: key * f64::from(self.v) + f64::from(self.qk) + heads, ..Kept::default() }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.heads, self.qk, self.v, self.chunk], &[])
    }

    fn heads(&self) -> u32 {
        self.heads
    }

    fn recurrence(&self, hidden: u64) -> Option<Recurrence> {
        let (qk, v, chunk) = (f64::from(self.qk), f64::from(self.v), f64::from(self.chunk));
        let key = qk / f64::from(self.heads);
        Some(Recurrence {
            state: self.kept(hidden).state,
            streamed: 2.0 * qk + 3.0 * v,
            chunk,
            products: 4.0 * key * v + 2.0 * chunk * (qk + v),
            scanned: 10.0 * v,
            step: 5.0 * key * v,
            ..Recurrence::default()
        })
    }
}
