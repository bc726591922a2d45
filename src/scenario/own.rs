//! A model or a GPU of one's own: the entry that the numbers of its form make.

mod ask;

use serde_json::{Value, json};

use super::fields::Number;
use super::{Choice, Problem, Scenario, SystemChoice, bounds};
use crate::catalog::architecture::Uncounted;
use crate::catalog::{self, Accelerator, Architecture};
use crate::json;
use ask::{GPU, MODEL, access};

pub use ask::Ask;

/// Kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A model.
    Model,
    /// A GPU.
    Gpu,
}

/// An entry of one's own.
#[derive(Clone, Debug, PartialEq)]
pub enum Own {
    /// A model.
    Model(Box<Architecture>),
    /// A GPU.
    Gpu(Box<Accelerator>),
}

impl Kind {
    /// The numbers that the form asks for.
    pub fn asks(self) -> Vec<Ask> {
        match self {
            Self::Model => MODEL.iter().map(|access| access.ask).collect(),
            Self::Gpu => GPU.iter().map(|access| access.ask).collect(),
        }
    }

    /// The entry that the form starts from: that of the question, or a common model if the form cannot describe it.
    pub fn base(self, question: &Scenario) -> Option<Own> {
        const COMMON: &str = "llama-3.1-8b";
        match self {
            Self::Model => {
                // The form has no numbers for latent attention or for layers of different kinds.
                let described = |model: &&Architecture| model.stack.is_empty() && model.mla.is_none();
                let own = question.architecture().ok().filter(described);
                let model = own.or_else(|| catalog::architecture(COMMON))?;
                Some(Own::Model(Box::new(model.clone())))
            }
            Self::Gpu => question.system.accelerator().ok().map(|device| Own::Gpu(Box::new(device))),
        }
    }

    /// Path of the entry in documents and problems.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Gpu => "system.accelerator",
        }
    }

    /// An entry of this kind, as [`Own::to_json`] writes it; `None` if the value is none.
    pub fn read(self, value: &Value) -> Option<Own> {
        let text = value.to_string();
        match self {
            Self::Model => json::from_text(&text).ok().map(|model| Own::Model(Box::new(model))),
            Self::Gpu => json::from_text(&text).ok().map(|device| Own::Gpu(Box::new(device))),
        }
    }
}

impl Own {
    /// Name on the page.
    pub fn name(&self) -> &str {
        match self {
            Self::Model(model) => &model.name,
            Self::Gpu(device) => &device.name,
        }
    }

    /// The entry under another name, without facts that hold for the original only. A GPU keeps the id of the original, by
    /// which its kernel constants, price and server are looked up.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        match self {
            Self::Model(model) => Self::Model(Box::new(Architecture {
                id: id(name),
                name: name.to_owned(),
                parameters_published: None,
                active_published: None,
                uncounted: Uncounted::default(),
                weights: None,
                source: String::new(),
                recalled: false,
                notes: None,
                ..*model
            })),
            Self::Gpu(device) => Self::Gpu(Box::new(Accelerator {
                name: name.to_owned(),
                source: String::new(),
                recalled: Vec::new(),
                notes: None,
                ..*device
            })),
        }
    }

    /// The text of a number's control; empty if the entry has no such number.
    pub fn text(&self, path: &str) -> String {
        let value = match self {
            Self::Model(model) => access(MODEL, path).and_then(|access| (access.get)(model)),
            Self::Gpu(device) => access(GPU, path).and_then(|access| (access.get)(device)),
        };
        value.map_or_else(String::new, |value| value.to_string())
    }

    /// Takes the text of a number's control.
    ///
    /// # Errors
    /// If the text is not a number of this kind, in a sentence.
    pub fn take(&mut self, ask: Ask, text: &str) -> Result<(), String> {
        let largest = if ask.whole { f64::from(u32::MAX) } else { f64::MAX };
        // `otherwise` lets an empty text mean that there is no number.
        let number = Number { whole: ask.whole, otherwise: Some(|_| None), ..Number::between(0.0, largest) };
        let value = number.parse(text)?.as_number();
        match self {
            Self::Model(model) => {
                access(MODEL, ask.path).inspect(|access| (access.set)(model, value));
            }
            Self::Gpu(device) => {
                access(GPU, ask.path).inspect(|access| (access.set)(device, value));
            }
        }
        Ok(())
    }

    /// The entry with the layers that have a window, and those without experts, limited to its number of layers. The form
    /// does not ask for them.
    #[must_use]
    pub fn fitted(mut self) -> Self {
        if let Self::Model(model) = &mut self {
            let layers = model.layers;
            if let Some(window) = &mut model.window {
                window.layers = window.layers.min(layers);
            }
            if let Some(moe) = &mut model.moe {
                moe.dense_layers = moe.dense_layers.min(layers);
            }
        }
        self
    }

    /// Puts the entry into a question.
    pub fn put(self, question: &mut Scenario) {
        match self {
            Self::Model(model) => question.model = Choice::Explicit(model),
            Self::Gpu(device) => {
                question.system = SystemChoice {
                    accelerator: Choice::Explicit(device),
                    dram_gb_s: None,
                    dram_gib: None,
                    scale_up_gb_s: None,
                    scale_up_domain: None,
                    scale_out_gb_s: None,
                    ..question.system.clone()
                };
            }
        }
    }

    /// Numbers outside the range that the model's equations hold for.
    pub fn problems(&self) -> Vec<Problem> {
        match self {
            Self::Model(model) => bounds::architecture(model),
            Self::Gpu(device) => bounds::accelerator(device),
        }
    }

    /// The entry as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Model(model) => json!(model),
            Self::Gpu(device) => json!(device),
        }
    }
}

/// An id that no catalogue entry has: `own-` and the letters and digits of the name.
fn id(name: &str) -> String {
    let plain = name.chars().map(|character| match character.to_ascii_lowercase() {
        letter if letter.is_ascii_alphanumeric() || letter == '.' => letter,
        _ => '-',
    });
    format!("own-{}", plain.collect::<String>().trim_matches('-'))
}
