//! The authors' systems, models and training runs.

use super::{Attention, Link, Links, Machine, Method, Transformer};
use crate::units::{Bandwidth, Bytes, FlopRate, Seconds};

/// One of the authors' devices (`systems/*.json` of their code).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// A100.
    A100,
    /// H200.
    H200,
    /// B200.
    B200,
}

impl Device {
    /// All devices, oldest first.
    pub const ALL: [Self; 3] = [Self::A100, Self::H200, Self::B200];

    /// Name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A100 => "A100",
            Self::H200 => "H200",
            Self::B200 => "B200",
        }
    }

    /// The device in scale-up domains of `domain` GPUs.
    fn machine(self, domain: u32) -> Machine {
        let (matrix, vector, dram, capacity, fast, slow) = match self {
            Self::A100 => (312.0, 78.0, 1555.0, 80.0, 300.0, 25.0),
            Self::H200 => (989.4, 133.8, 4800.0, 141.0, 450.0, 50.0),
            Self::B200 => (2500.0, 339.0, 8000.0, 192.0, 900.0, 100.0),
        };
        let link = |gb, micros| Link {
            bandwidth: Bandwidth::from_gb(gb),
            efficiency: 0.7,
            latency: Seconds::from_micros(micros),
        };
        Machine {
            matrix: FlopRate::from_tera(matrix),
            vector: FlopRate::from_tera(vector),
            dram: Bandwidth::from_gb(dram),
            capacity: Bytes::new(capacity * 1e9),
            links: Links { fast: link(fast, 2.5), slow: link(slow, 5.0), adapters: 1.0 },
            domain,
        }
    }
}

/// One of the authors' systems: a device and the size of its scale-up domain ("NVS").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The device.
    pub device: Device,
    /// GPUs in a scale-up domain.
    pub domain: u32,
}

impl Setup {
    /// Sizes of scale-up domains.
    pub const DOMAINS: [u32; 3] = [4, 8, 64];

    /// All nine systems, by device and domain.
    pub const ALL: [Self; 9] = {
        let mut all = [Self { device: Device::A100, domain: 4 }; 9];
        let mut place = 0;
        while place < all.len() {
            all[place] = Self {
                device: Device::ALL[place / Self::DOMAINS.len()],
                domain: Self::DOMAINS[place % Self::DOMAINS.len()],
            };
            place += 1;
        }
        all
    };

    /// The machine.
    pub fn machine(self) -> Machine {
        self.device.machine(self.domain)
    }

    /// Catalogue id, e.g. `subramanian-a100-nvs4`.
    pub fn id(self) -> String {
        format!("subramanian-{}-nvs{}", self.device.name().to_lowercase(), self.domain)
    }

    /// Name for display, e.g. `A100, NVS 4`.
    pub fn name(self) -> String {
        format!("{}, NVS {}", self.device.name(), self.domain)
    }
}

impl Machine {
    /// A machine by the name in the authors' code, with scale-up domains of 8.
    pub fn named(name: &str) -> Option<Self> {
        Device::ALL.into_iter().find(|device| device.name() == name).map(|device| device.machine(8))
    }
}

/// GPT-3 with 175 billion parameters.
const GPT3: Transformer = transformer(2048, 12288, 96, 96);
/// A GPT-3-like model with 10¹² parameters.
const GPT3_1T: Transformer = transformer(2048, 25600, 160, 128);
/// A vision transformer for weather data (ERA5) with long sequences.
const VIT: Transformer = transformer(64800, 12288, 64, 48);

const fn transformer(sequence: u32, width: u32, heads: u32, depth: u32) -> Transformer {
    Transformer {
        sequence,
        width,
        heads,
        ffn: 4 * width,
        depth,
        norm_fault: true,
        attention: Attention::Fused,
    }
}

impl Transformer {
    /// A model by the name in the authors' code.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "gpt3" => Some(GPT3),
            "gpt3_1T" => Some(GPT3_1T),
            "vit_era5" => Some(VIT),
            _ => None,
        }
    }
}

/// One of the authors' training runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Name for display.
    pub name: &'static str,
    /// Catalogue id of the model.
    pub id: &'static str,
    /// The model.
    pub model: Transformer,
    /// Strategy in studies that search only one.
    pub method: Method,
    /// Number of sequences in the whole run.
    pub samples: f64,
}

impl Run {
    /// A language model on 10¹² tokens.
    pub const LLM: Self =
        Self { name: "GPT3-1T", id: "gpt3-1t", model: GPT3_1T, method: Method::OneD, samples: 488_281_250.0 };
    /// A vision transformer with long sequences: 80 epochs of 350,000 sequences.
    pub const VIT: Self = Self {
        name: "ViT, 64,800 tokens",
        id: "vit-era5-64k",
        model: VIT,
        method: Method::Context,
        samples: 28e6,
    };

    /// Global batch: sequences per step.
    pub const BATCH: u32 = 4096;

    /// Tokens of the whole run.
    pub fn tokens(&self) -> f64 {
        self.samples * f64::from(self.model.sequence)
    }

    /// Duration of the run in days at this step time.
    pub fn days(&self, step: Seconds) -> f64 {
        (step * self.samples / f64::from(Self::BATCH)).to_days()
    }
}
