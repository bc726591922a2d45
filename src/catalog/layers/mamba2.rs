//! Mamba-2 (Dao and Gu 2024, arXiv 2405.21060; Nemotron-H, Granite 4, Bamba, Falcon-H1).

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, is_default, number_range};

/// Dimensions of a Mamba 2 mixer: heads, groups and short convolution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mamba2 {
    /// Heads, each with a state.
    pub heads: u32,
    /// Width of a head.
    pub head_dim: u32,
    /// Width of the state of each channel.
    pub state: u32,
    /// Groups of heads that share input and output projections of the state.
    pub groups: u32,
    /// Taps of the convolution.
    pub conv: u32,
    /// Tokens of a chunk.
    pub chunk: u32,
    /// True if the output is not normed (Falcon-H1).
    #[serde(default, skip_serializing_if = "is_default")]
    pub unnormed: bool,
}

impl Mamba2 {
    /// Width of all heads, and of the state's projections of all groups.
    fn widths(&self) -> (u64, u64) {
        let inner = u64::from(self.heads) * u64::from(self.head_dim);
        (inner, u64::from(self.groups) * u64::from(self.state))
    }
}

impl Law for Mamba2 {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let (inner, groups) = self.widths();
        let heads = u64::from(self.heads);
        let mut show = |name, rows, columns, cut| visit(Matrix::new(name, rows, columns, cut));
        show("Input projection", hidden, 2 * inner + heads, Cut::Columns(self.heads));
        // Groups are replicated where the tensor group has more members (vLLM, mamba_utils.py@02d7108).
        show("State projection", hidden, 2 * groups, Cut::Columns(self.groups));
        show("Mixer output", inner, hidden, Cut::Rows);
    }

    fn vectors(&self, _: u64) -> u64 {
        let (inner, groups) = self.widths();
        let norm = if self.unnormed { 0 } else { inner };
        (inner + 2 * groups) * (u64::from(self.conv) + 1) + 3 * u64::from(self.heads) + norm
    }

    fn kept(&self, _: u64) -> Kept {
        let (inner, groups) = self.widths();
        Kept {
            state: inner as f64 * f64::from(self.state),
            recent: (inner + 2 * groups) as f64 * (f64::from(self.conv) - 1.0),
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.heads, self.head_dim, self.state, self.groups, self.conv, self.chunk], &[])
    }

    fn heads(&self) -> u32 {
        self.heads
    }

    fn recurrence(&self, _: u64) -> Option<Recurrence> {
        let (inner, groups) = self.widths();
        let (inner, groups) = (inner as f64, groups as f64);
        let (state, chunk) = (f64::from(self.state), f64::from(self.chunk));
        Some(Recurrence {
            state: inner * state,
            convolved: (inner + 2.0 * groups, f64::from(self.conv)),
            // Input, gate and output; both projections of the state; a time step per head.
            streamed: 3.0 * inner + 2.0 * groups + f64::from(self.heads),
            chunk,
            // A chunk's state and its use, 4NP; masked scores by inputs, 2CP; scores of a group, 2CN.
            products: inner * (4.0 * state + 2.0 * chunk) + 2.0 * chunk * groups,
            scanned: 10.0 * inner,
            step: 6.0 * inner * state,
            ..Recurrence::default()
        })
    }
}
