//! Distribution of layers over stages by cost, including that of the output head.

use crate::catalog::architecture::Architecture;

/// Stages as Nanotron makes them (`build_model` and `get_block_compute_costs`, huggingface/nanotron@01de8d9): blocks in
/// order, a stage ending with the first block at which the cost so far exceeds the stage's part of all cost. A layer
/// costs the elements of its matrices, with queries, keys and values of all heads, and the head those of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance {
    layers: u32,
    /// Number of layers that cost as much as one stage should.
    per_stage: f64,
}

impl Balance {
    pub(super) fn of(architecture: &Architecture, stages: u32) -> Self {
        let hidden = f64::from(architecture.hidden);
        let layer = hidden * (4.0 * hidden + 3.0 * f64::from(architecture.ffn));
        let head = hidden * f64::from(architecture.vocab);
        let layers = architecture.layers;
        Self { layers, per_stage: (f64::from(layers) + head / layer) / f64::from(stages) }
    }

    /// Layers before the first stage's end, the second's, and so on, as if there were always more.
    fn ends(self) -> impl Iterator<Item = u32> {
        let mut before = 0_u32;
        (1_u32..).map(move |stage| {
            let until = libm::floor(self.per_stage * f64::from(stage)) as u32;
            before = until.max(before).saturating_add(1);
            before
        })
    }

    /// Layers of each stage in order, up to that of the head: that of the last layer, unless it ends there.
    fn stages(self) -> impl Iterator<Item = u32> {
        let mut before = 0;
        let mut ends = self.ends();
        std::iter::from_fn(move || {
            let end = ends.next().filter(|_| before <= self.layers)?;
            let layers = end.min(self.layers) - before;
            // One more than there are layers: the head's stage was the last.
            before = if end > self.layers { self.layers + 1 } else { end };
            Some(layers)
        })
    }

    /// Layers of a stage.
    pub(super) fn stage(self, stage: u32) -> u32 {
        self.stages().nth(stage as usize).unwrap_or(0)
    }

    /// Layers of the stage that has most.
    pub(super) fn fullest(self) -> u32 {
        self.stages().max().unwrap_or(self.layers)
    }

    /// Layers of the stage that the head is on.
    pub(super) fn beside_head(self) -> u32 {
        self.stages().last().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::architecture;

    /// A model with 16 layers of 67 million elements, and a head with four times as many.
    fn small() -> Option<Architecture> {
        let like = architecture("llama-3.1-8b")?;
        Some(Architecture { layers: 16, hidden: 2048, ffn: 8192, vocab: 131_072, ..like.clone() })
    }

    #[test]
    fn the_head_takes_the_place_of_layers() {
        let small = small().expect("a catalogue model");
        let cut = |stages: u32| {
            let balance = Balance::of(&small, stages);
            let layers: Vec<u32> = (0..stages).map(|stage| balance.stage(stage)).collect();
            (layers, balance.fullest(), balance.beside_head())
        };
        assert_eq!(cut(1), (vec![16], 16, 16));
        assert_eq!(cut(2), (vec![11, 5], 11, 5));
        assert_eq!(cut(4), (vec![6, 5, 5, 0], 6, 0));
        assert_eq!(cut(8), (vec![3, 3, 2, 3, 2, 3, 0, 0], 3, 0));
    }
}
