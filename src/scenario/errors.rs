//! Which errors the Validation view shows, and of which rows.

use serde::{Deserialize, Serialize};

/// Which errors are shown. Texts that are empty leave nothing out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorChoice {
    /// What was measured.
    pub of: Topic,
    /// What rows are grouped by.
    pub by: Trait,
    /// Only rows of this source.
    pub source: String,
    /// Only rows on this device.
    pub device: String,
    /// Only rows on devices of this generation.
    pub generation: String,
    /// Only rows of this kind of model.
    pub family: String,
    /// Only rows of this software.
    pub software: String,
    /// Only rows in this number format.
    pub precision: String,
    /// Only rows whose matrix operands have this many bits.
    pub bits: String,
    /// The page of the list of rows, from 1.
    pub page: u32,
}

impl Default for ErrorChoice {
    fn default() -> Self {
        Self {
            of: Topic::default(),
            by: Trait::default(),
            source: String::new(),
            device: String::new(),
            generation: String::new(),
            family: String::new(),
            software: String::new(),
            precision: String::new(),
            bits: String::new(),
            page: 1,
        }
    }
}

impl ErrorChoice {
    /// What rows have to be in this respect; empty if anything goes.
    pub fn only(&self, by: Trait) -> &str {
        match by {
            Trait::Source => &self.source,
            Trait::Device => &self.device,
            Trait::Generation => &self.generation,
            Trait::Family => &self.family,
            Trait::Software => &self.software,
            Trait::Precision => &self.precision,
            Trait::Bits => &self.bits,
        }
    }

    /// The same with another filter, from the first page.
    #[must_use]
    pub fn filtered(&self, by: Trait, value: &str) -> Self {
        let mut choice = Self { page: 1, ..self.clone() };
        let slot = match by {
            Trait::Source => &mut choice.source,
            Trait::Device => &mut choice.device,
            Trait::Generation => &mut choice.generation,
            Trait::Family => &mut choice.family,
            Trait::Software => &mut choice.software,
            Trait::Precision => &mut choice.precision,
            Trait::Bits => &mut choice.bits,
        };
        value.clone_into(slot);
        choice
    }
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Training steps, published as times or as rates.
    #[default]
    Step,
    /// Peak memory of training.
    Memory,
    /// Time to the first token.
    Ttft,
    /// Time per output token.
    Tpot,
    /// Whole requests, published as times or as rates.
    Request,
    /// Tokens per second as published, of training and of serving.
    Throughput,
    /// Single kernels and collectives.
    Kernel,
}

impl Topic {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 7] =
        [Self::Step, Self::Memory, Self::Ttft, Self::Tpot, Self::Request, Self::Throughput, Self::Kernel];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "Training step",
            Self::Memory => "Peak memory",
            Self::Ttft => "Time to first token",
            Self::Tpot => "Time per output token",
            Self::Request => "Request latency",
            Self::Throughput => "Throughput",
            Self::Kernel => "Single kernels",
        }
    }
}

/// What rows have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// Who published the row.
    #[default]
    Source,
    /// The device.
    Device,
    /// The device's generation.
    Generation,
    /// The kind of model.
    Family,
    /// The software that ran the row.
    Software,
    /// The number format as published.
    Precision,
    /// Bits of a matrix operand.
    Bits,
}

impl Trait {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 7] = [
        Self::Source,
        Self::Device,
        Self::Generation,
        Self::Family,
        Self::Software,
        Self::Precision,
        Self::Bits,
    ];

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "Source",
            Self::Device => "Device",
            Self::Generation => "Device generation",
            Self::Family => "Model family",
            Self::Software => "Software",
            Self::Precision => "Precision",
            Self::Bits => "Operand bits",
        }
    }

    /// Its name in documents and links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Device => "device",
            Self::Generation => "generation",
            Self::Family => "family",
            Self::Software => "software",
            Self::Precision => "precision",
            Self::Bits => "bits",
        }
    }
}
