//! Selection of the errors and rows of the Validation view.

use serde::{Deserialize, Serialize};

/// Selection of errors. Empty filters exclude no rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorChoice {
    /// The measured quantity.
    pub of: Topic,
    /// Trait by which rows are grouped.
    pub by: Trait,
    /// Source of the rows; empty for all.
    pub source: String,
    /// Device of the rows; empty for all.
    pub device: String,
    /// Device generation of the rows; empty for all.
    pub generation: String,
    /// Model family of the rows; empty for all.
    pub family: String,
    /// Software of the rows; empty for all.
    pub software: String,
    /// Number format of the rows; empty for all.
    pub precision: String,
    /// Bits of the rows' matrix operands; empty for all.
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
    /// The filter on a trait; empty if all rows pass.
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

    /// The selection with another filter, on its first page.
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

/// Kind of measured quantity.
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
    /// All topics, in the order of the form.
    pub const ALL: [Self; 7] =
        [Self::Step, Self::Memory, Self::Ttft, Self::Tpot, Self::Request, Self::Throughput, Self::Kernel];

    /// Label on the page.
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

/// Trait by which rows are filtered and grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// Source: the publication of the row.
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
    /// All traits, in the order of the form.
    pub const ALL: [Self; 7] = [
        Self::Source,
        Self::Device,
        Self::Generation,
        Self::Family,
        Self::Software,
        Self::Precision,
        Self::Bits,
    ];

    /// Label on the page.
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

    /// Name in documents and links.
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
