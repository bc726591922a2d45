//! Recurrent block of Griffin (De et al. 2024, arXiv 2402.19427, section 2; RecurrentGemma): a real-gated linear recurrent unit
//! (RG-LRU) with one decay per channel.

use serde::{Deserialize, Serialize};

use super::{Cut, Kept, Law, Matrix, Recurrence, number_range};

/// Dimensions of a recurrent block with an RG-LRU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RgLru {
    /// Channels, each with one element of state.
    pub width: u32,
    /// Diagonal blocks of the gates' matrices.
    pub blocks: u32,
    /// Taps of the convolution.
    pub conv: u32,
}

impl Law for RgLru {
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix)) {
        let [width, blocks] = [self.width, self.blocks].map(u64::from);
        visit(Matrix::new("Input projection", hidden, 2 * width, Cut::Columns(self.width)));
        // Each channel's two gates read the channels of its own block.
        visit(Matrix::new(
            "Recurrence and input gates",
            width / blocks.max(1),
            2 * width,
            Cut::Columns(self.blocks),
        ));
        visit(Matrix::new("Mixer output", width, hidden, Cut::Rows));
    }

    fn vectors(&self, _: u64) -> u64 {
        let [width, taps] = [self.width, self.conv].map(u64::from);
        // Biases of both input projections and of both gates, convolution with its bias, decays.
        width * (2 + 2 + taps + 1 + 1)
    }

    fn kept(&self, _: u64) -> Kept {
        let width = f64::from(self.width);
        Kept { state: width, recent: width * (f64::from(self.conv) - 1.0), ..Kept::default() }
    }

    fn number_range(&self) -> (u32, u32) {
        number_range(&[self.width, self.blocks, self.conv], &[])
    }

    fn heads(&self) -> u32 {
        self.blocks
    }

    fn recurrence(&self, _: u64) -> Option<Recurrence> {
        let width = f64::from(self.width);
        Some(Recurrence {
            state: width,
            convolved: (width, f64::from(self.conv)),
            // Input, both gates and output of each channel.
            streamed: 4.0 * width,
            chunk: 1.0,
            products: 0.0,
            // Two sigmoids, power, square, difference, root, and five products and sums (arXiv 2402.19427, equations 1 to 4).
            scanned: 11.0 * width,
            step: 11.0 * width,
            ..Recurrence::default()
        })
    }
}
