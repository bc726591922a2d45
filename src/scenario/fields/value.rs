//! The value of one field, whatever its type: what links, forms and comparisons exchange with a scenario.

use std::fmt;

use crate::catalog::{Accelerator, Architecture, nearest, suggestion};
use crate::scenario::{Choice, CourseText};
use crate::units::format;
use crate::words::Word;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value: an omitted optional field.
    Absent,
    /// On or off.
    Switch(bool),
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// The name of an enumeration's variant, the id of a catalogue entry, or free text.
    Text(&'a str),
    /// The name of a catalogue entry that is spelled out.
    Entry(&'a str),
}

/// Why a field cannot have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The field holds something else.
    Expected {
        /// Expected value, e.g. "a whole number from 1 to 1,024".
        what: String,
        /// The refused value.
        found: String,
    },
    /// The enumeration has no variant of this name.
    Unknown {
        /// The refused name.
        name: String,
        /// The names of all variants.
        known: &'static [&'static str],
    },
}

impl<'a> Value<'a> {
    /// A number, as a whole number if it has no fraction. Negative zero is not whole, because whole numbers have no
    /// sign.
    pub fn of_number(number: f64) -> Value<'static> {
        // 2^64, below which every whole number is a u64.
        let whole =
            number.fract() == 0.0 && number.is_sign_positive() && number < 18_446_744_073_709_551_616.0;
        if whole { Value::Whole(number as u64) } else { Value::Number(number) }
    }

    /// The number, if it is one.
    pub fn as_number(self) -> Option<f64> {
        match self {
            Self::Whole(whole) => Some(whole as f64),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The text, if it is the name of a variant, an id or free text.
    pub fn as_text(self) -> Option<&'a str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    fn found(self) -> String {
        match self {
            Self::Absent => "`null`".to_owned(),
            Self::Switch(_) => "`true` or `false`".to_owned(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => format::shortest(number),
            Self::Text(_) => "text".to_owned(),
            Self::Entry(_) => "an object".to_owned(),
        }
    }

    fn mismatch(self, what: impl Into<String>) -> Mismatch {
        Mismatch::Expected { what: what.into(), found: self.found() }
    }
}

/// Maximum number of names in a message.
const MOST_NAMES: usize = 10;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected { what, found } => write!(f, "must be {what}, not {found}"),
            Self::Unknown { name, known } => {
                let shown = &known[..known.len().min(MOST_NAMES)];
                write!(f, "must be one of `{}`", shown.join("`, `"))?;
                if shown.len() < known.len() {
                    write!(f, " and {} more", known.len() - shown.len())?;
                }
                write!(f, ", not `{name}`")?;
                f.write_str(&suggestion(nearest(name, known.iter().copied())))
            }
        }
    }
}

impl std::error::Error for Mismatch {}

/// A type of field: how its values are read and set.
pub(super) trait Scalar {
    /// The current value.
    fn value(&self) -> Value<'_>;

    /// Sets the value, unless it does not fit the type.
    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch>;
}

macro_rules! whole_numbers {
    ($($kind:ty),*) => {$(
        impl Scalar for $kind {
            fn value(&self) -> Value<'_> {
                Value::Whole((*self).into())
            }

            fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
                let whole = if let Value::Whole(whole) = value { Self::try_from(whole).ok() } else { None };
                *self = whole.ok_or_else(|| value.mismatch("a whole number"))?;
                Ok(())
            }
        }
    )*};
}
whole_numbers!(u8, u32);

impl Scalar for f64 {
    fn value(&self) -> Value<'_> {
        Value::Number(*self)
    }

    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
        *self = value.as_number().ok_or_else(|| value.mismatch("a number"))?;
        Ok(())
    }
}

impl Scalar for bool {
    fn value(&self) -> Value<'_> {
        Value::Switch(*self)
    }

    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
        let Value::Switch(flag) = value else { return Err(value.mismatch("`true` or `false`")) };
        *self = flag;
        Ok(())
    }
}

impl Scalar for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }

    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
        value.as_text().ok_or_else(|| value.mismatch("text"))?.clone_into(self);
        Ok(())
    }
}

impl Scalar for CourseText {
    fn value(&self) -> Value<'_> {
        Value::Text(self.text())
    }

    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
        let text = value.as_text().ok_or_else(|| value.mismatch("text"))?;
        *self = Self::try_from(text.to_owned()).map_err(|_| value.mismatch(Self::FORM))?;
        Ok(())
    }
}

impl<T: Scalar + Default> Scalar for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Absent, Scalar::value)
    }

    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
        if value == Value::Absent {
            *self = None;
            return Ok(());
        }
        let mut present = T::default();
        present.set(value)?;
        *self = Some(present);
        Ok(())
    }
}

/// An entry with a name, which forms and comparisons show.
pub(super) trait Entry {
    fn name(&self) -> &str;
}

impl Entry for Architecture {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Entry for Accelerator {
    fn name(&self) -> &str {
        &self.name
    }
}

impl<T: Entry> Scalar for Choice<T> {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Named(id) => Value::Text(id),
            Self::Explicit(entry) => Value::Entry(entry.name()),
        }
    }

    fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
        let id = value.as_text().ok_or_else(|| value.mismatch("the id of a catalogue entry"))?;
        *self = Self::Named(id.to_owned());
        Ok(())
    }
}

/// Fields that hold a variant of an enumeration.
macro_rules! words {
    ($($kind:ty),* $(,)?) => {$(
        impl Scalar for $kind {
            fn value(&self) -> Value<'_> {
                Value::Text(self.word())
            }

            fn set(&mut self, value: Value<'_>) -> Result<(), Mismatch> {
                let name = value.as_text().ok_or_else(|| value.mismatch("text"))?;
                *self = Self::named(name).ok_or_else(|| Mismatch::Unknown {
                    name: name.to_owned(),
                    known: <Self as Word>::NAMES,
                })?;
                Ok(())
            }
        }
    )*};
}
words!(
    crate::scenario::View,
    crate::scenario::Topic,
    crate::scenario::Trait,
    crate::inference::Engine,
    crate::training::Framework,
    crate::training::Gradients,
    crate::training::Optimizer,
    crate::workload::Targets,
    crate::inference::Launch,
    crate::generations::TaskKind,
    crate::workload::Recompute,
    crate::plan::Schedule,
    crate::plan::TensorKind,
    crate::search::Methods,
    crate::search::Objective,
    crate::serving::simulation::Lengths,
    crate::serving::simulation::Level,
    crate::sizing::LoadKind,
    crate::sizing::SizingJob,
    crate::economics::Terms,
    crate::sizing::SizingObjective,
    crate::search::Subject,
    crate::system::AllReduce,
    crate::system::AssumptionSet,
    crate::system::Precision,
    crate::workload::ContextKind,
    crate::workload::ExpertDispatch,
    crate::workload::AttentionKernel,
);
