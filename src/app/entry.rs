//! Parts of a scenario as the text that a form control holds.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::estimate::{Engine, Framework, Gradients};
use crate::plan::Recompute;
use crate::scenario::{Choice, Scenario, Topic, Trait};
use crate::system::{AssumptionSet, Precision};
use crate::workload::layer::AttentionKernel;

/// The text that stands for something spelled out in the link rather than chosen from the catalogue.
pub(crate) const CUSTOM: &str = "custom";

/// Where in the scenario a control reads and writes.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The document path, e.g. `parallelism.tensor`.
    pub(crate) path: &'static str,
    /// The text of what is there.
    pub(crate) read: fn(&Scenario) -> String,
    /// Puts there what a text stands for; a text that stands for nothing changes nothing.
    pub(crate) write: fn(&mut Scenario, &str),
}

/// The [`Place`] of a path, checked by the compiler.
macro_rules! place {
    ($first:ident $(. $rest:ident)*) => {
        $crate::app::entry::Place {
            path: concat!(stringify!($first) $(, ".", stringify!($rest))*),
            read: |scenario| $crate::app::entry::Entry::read(&scenario.$first $(.$rest)*),
            write: |scenario, text| $crate::app::entry::Entry::write(&mut scenario.$first $(.$rest)*, text),
        }
    };
}
pub(crate) use place;

/// A value that has a text.
pub(crate) trait Entry {
    /// Its text.
    fn read(&self) -> String;
    /// Becomes what the text stands for.
    fn write(&mut self, text: &str);
}

macro_rules! by_parsing {
    ($($kind:ty),*) => {$(
        impl Entry for $kind {
            fn read(&self) -> String {
                self.to_string()
            }

            fn write(&mut self, text: &str) {
                if let Ok(value) = text.parse() {
                    *self = value;
                }
            }
        }
    )*};
}
by_parsing!(u8, u32, f64, bool);

/// Enumerations have the names that they have in the document.
macro_rules! by_name {
    ($($kind:ty),*) => {$(
        impl Entry for $kind {
            fn read(&self) -> String {
                name(self)
            }

            fn write(&mut self, text: &str) {
                if let Some(value) = named(text) {
                    *self = value;
                }
            }
        }
    )*};
}
by_name!(Precision, Recompute, AttentionKernel, AssumptionSet, Engine, Framework, Gradients, Topic, Trait);

impl<T: Entry + Default> Entry for Option<T> {
    fn read(&self) -> String {
        self.as_ref().map(Entry::read).unwrap_or_default()
    }

    fn write(&mut self, text: &str) {
        *self = (!text.is_empty()).then(|| {
            let mut value = self.take().unwrap_or_default();
            value.write(text);
            value
        });
    }
}

impl<T> Entry for Choice<T> {
    fn read(&self) -> String {
        match self {
            Self::Named(id) => id.clone(),
            Self::Explicit(_) => CUSTOM.to_owned(),
        }
    }

    fn write(&mut self, text: &str) {
        if text != CUSTOM {
            *self = Self::Named(text.to_owned());
        }
    }
}

/// The name of an enumeration's variant in the document.
pub(crate) fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

fn named<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}
