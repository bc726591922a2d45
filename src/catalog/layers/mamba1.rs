//! Mamba (Gu and Dao 2023, arXiv 2312.00752; Jamba, Falcon Mamba): a selective state space with a decay per channel.

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, is_default, number_range};

/// Dimensions of a Mamba 1 mixer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mamba1 {
    /// Channels.
    pub inner: u32,
    /// States of a channel.
    pub state: u32,
    /// Taps of the convolution.
    pub conv: u32,
    /// Rank of the time step's projection.
    pub dt_rank: u32,
    /// True if time step and both projections are normed (Jamba, arXiv 2403.19887).
    #[serde(default, skip_serializing_if = "is_default")]
    pub inner_norms: bool,
}

impl Law for Mamba1 {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let [inner, state, rank] = [self.inner, self.state, self.dt_rank].map(u64::from);
        visit(Matrix::new("Input projection", hidden, 2 * inner, Cut::Columns(self.inner)));
        // The projection sums over the channels, which a tensor-parallel group divides.
        visit(Matrix::new("State projection", inner, rank + 2 * state, Cut::Rows));
        visit(Matrix::new("Time step projection", rank, inner, Cut::Columns(self.inner)));
        visit(Matrix::new("Mixer output", inner, hidden, Cut::Rows));
    }

    fn vectors(&self, _: u64) -> u64 {
        let [inner, state, rank, taps] = [self.inner, self.state, self.dt_rank, self.conv].map(u64::from);
        let norms = if self.inner_norms { rank + 2 * state } else { 0 };
        // Convolution and its bias, time step's bias, decays, skip.
        inner * (taps + 1) + inner + inner * state + inner + norms
    }

    fn kept(&self, _: u64) -> Kept {
        let inner = f64::from(self.inner);
        Kept {
            state: inner * f64::from(self.state),
            recent: inner * (f64::from(self.conv) - 1.0),
            ..Kept::default()
        }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.inner, self.state, self.conv, self.dt_rank], &[])
    }

    fn heads(&self) -> u32 {
        self.inner
    }

    fn recurrence(&self, _: u64) -> Option<Recurrence> {
        let (inner, state) = (f64::from(self.inner), f64::from(self.state));
        Some(Recurrence {
            state: inner * state,
            convolved: (inner, f64::from(self.conv)),
            // Input, gate, time step and output of each channel; both projections.
            streamed: 4.0 * inner + 2.0 * state,
            chunk: 1.0,
            products: 0.0,
            // Exponential, decay, input and output of each state: no matrix units (arXiv 2312.00752, section 3.3).
            scanned: 9.0 * inner * state,
            step: 9.0 * inner * state,
            ..Recurrence::default()
        })
    }
}
