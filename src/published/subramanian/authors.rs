//! The machines and models that the authors search.

use super::{Link, Links, Machine, Space, Strategy, Transformer};
use crate::units::{Bandwidth, Bytes, FlopRate, Seconds};

impl Machine {
    /// A machine by the authors' name (their `systems/*.json`), with scale-up domains of 8.
    pub fn named(name: &str) -> Option<Self> {
        let (matrix, vector, dram, capacity, fast, slow) = match name {
            "A100" => (312.0, 78.0, 1555.0, 80.0, 300.0, 25.0),
            "H200" => (989.4, 133.8, 4800.0, 141.0, 450.0, 50.0),
            "B200" => (2500.0, 339.0, 8000.0, 192.0, 900.0, 100.0),
            _ => return None,
        };
        let link = |gb, latency| Link {
            bandwidth: Bandwidth::from_gb(gb),
            efficiency: 0.7,
            latency: Seconds::new(latency),
        };
        Some(Self {
            matrix: FlopRate::from_tera(matrix),
            vector: FlopRate::from_tera(vector),
            dram: Bandwidth::from_gb(dram),
            capacity: Bytes::new(capacity * 1e9),
            links: Links { fast: link(fast, 2.5e-6), slow: link(slow, 5e-6), adapters: 1.0 },
            domain: 8,
        })
    }
}

/// GPT-3 with 175 billion parameters.
const GPT3: Transformer = transformer(2048, 12288, 96, 96);
/// GPT-3's shape with 10¹² parameters.
const GPT3_1T: Transformer = transformer(2048, 25600, 160, 128);
/// A vision transformer over weather data (ERA5), whose sequences are long.
const VIT: Transformer = transformer(64800, 12288, 64, 48);

const fn transformer(sequence: u32, width: u32, heads: u32, depth: u32) -> Transformer {
    Transformer { sequence, width, heads, ffn: 4 * width, depth, norm_fault: true }
}

impl Transformer {
    /// A model by the authors' name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "gpt3" => Some(GPT3),
            "gpt3_1T" => Some(GPT3_1T),
            "vit_era5" => Some(VIT),
            _ => None,
        }
    }
}

/// A training run that the authors plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// As it is shown.
    pub name: &'static str,
    /// The model.
    pub model: Transformer,
    /// How its layers are cut.
    pub strategy: Strategy,
    /// Sequences of the whole run.
    pub samples: f64,
}

impl Run {
    /// A language model on 10¹² tokens.
    pub const LLM: Self =
        Self { name: "GPT3-1T", model: GPT3_1T, strategy: Strategy::OneD, samples: 488_281_250.0 };
    /// A vision transformer of long sequences, 80 times over 350,000 of them.
    pub const VIT: Self =
        Self { name: "ViT, 64,800 tokens", model: VIT, strategy: Strategy::Context, samples: 28e6 };

    /// Sequences per step.
    pub const BATCH: u32 = 4096;

    /// Days that it takes on the best plan; none where no plan fits.
    pub fn days(&self, machine: &Machine, gpus: u32) -> Option<f64> {
        const DAY: f64 = 86400.0;
        let space = Space { strategy: self.strategy, gpus, batch: Self::BATCH };
        let (_, step) = machine.search(&self.model, &space).fastest?;
        Some(step.time.get() * self.samples / f64::from(Self::BATCH) / DAY)
    }
}
