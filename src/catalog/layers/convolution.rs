//! Gated short convolution (LFM2): two gates around a depthwise convolution.

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, number_range};

/// Dimensions of a short convolution over the hidden width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convolution {
    /// Taps.
    pub taps: u32,
}

/// Channels that a tensor group keeps together: any division does.
const UNITS: u32 = 1 << 20;

impl Law for Convolution {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        visit(Matrix::new("Input projection", hidden, 3 * hidden, Cut::Columns(UNITS)));
        visit(Matrix::new("Mixer output", hidden, hidden, Cut::Rows));
    }

    fn vectors(&self, hidden: u64) -> u64 {
        hidden * u64::from(self.taps)
    }

    fn kept(&self, hidden: u64) -> Kept {
        Kept { recent: hidden as f64 * (f64::from(self.taps) - 1.0), ..Kept::default() }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.taps], &[])
    }

    fn heads(&self) -> u32 {
        UNITS
    }

    fn recurrence(&self, hidden: u64) -> Option<Recurrence> {
        let hidden = hidden as f64;
        Some(Recurrence {
            convolved: (hidden, f64::from(self.taps)),
            // Traffic of both gates.
            streamed: 4.0 * hidden,
            chunk: 1.0,
            scanned: 2.0 * hidden,
            step: 2.0 * hidden,
            ..Recurrence::default()
        })
    }
}
