//! A place that holds a value of a document: a number, a text, a list, or what has fields itself.

use super::{Fault, Value};

/// A place that holds a value of a document.
pub(crate) trait Field {
    /// What is there where a document says nothing.
    fn blank() -> Self
    where
        Self: Sized;

    /// What is there; null if nothing is.
    fn value(&self) -> Value;

    /// Puts a value there, unless it is none that fits.
    fn set(&mut self, value: &Value) -> Result<(), Fault>;
}

fn whole(value: &Value, most: u64) -> Result<u64, Fault> {
    let fits = value.as_whole().filter(|number| *number <= most);
    fits.ok_or_else(|| Fault::expected(&format!("a whole number from 0 to {most}"), value))
}

macro_rules! whole_numbers {
    ($($kind:ty),*) => {$(
        impl Field for $kind {
            fn blank() -> Self {
                0
            }

            fn value(&self) -> Value {
                Value::Whole((*self).into())
            }

            fn set(&mut self, value: &Value) -> Result<(), Fault> {
                *self = whole(value, Self::MAX.into())? as Self;
                Ok(())
            }
        }
    )*};
}
whole_numbers!(u8, u16, u32);

impl Field for f64 {
    fn blank() -> Self {
        0.0
    }

    fn value(&self) -> Value {
        Value::Number(*self)
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        *self = value.as_number().ok_or_else(|| Fault::expected("a number", value))?;
        Ok(())
    }
}

impl Field for bool {
    fn blank() -> Self {
        false
    }

    fn value(&self) -> Value {
        Value::Bool(*self)
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        let Value::Bool(flag) = value else { return Err(Fault::expected("`true` or `false`", value)) };
        *self = *flag;
        Ok(())
    }
}

impl Field for String {
    fn blank() -> Self {
        Self::new()
    }

    fn value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        value.as_text().ok_or_else(|| Fault::expected("text", value))?.clone_into(self);
        Ok(())
    }
}

impl<T: Field> Field for Option<T> {
    fn blank() -> Self {
        None
    }

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Field::value)
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        if *value == Value::Null {
            *self = None;
            return Ok(());
        }
        let mut there = T::blank();
        there.set(value)?;
        *self = Some(there);
        Ok(())
    }
}

impl<T: Field> Field for Vec<T> {
    fn blank() -> Self {
        Self::new()
    }

    fn value(&self) -> Value {
        Value::List(self.iter().map(Field::value).collect())
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        let Value::List(items) = value else { return Err(Fault::expected("a list", value)) };
        let mut read = Self::with_capacity(items.len());
        for (position, item) in items.iter().enumerate() {
            let mut there = T::blank();
            there.set(item).map_err(|fault| fault.below(&position.to_string()))?;
            read.push(there);
        }
        *self = read;
        Ok(())
    }
}

impl<const N: usize> Field for [f64; N] {
    fn blank() -> Self {
        [0.0; N]
    }

    fn value(&self) -> Value {
        self.to_vec().value()
    }

    fn set(&mut self, value: &Value) -> Result<(), Fault> {
        let mut items = Vec::new();
        items.set(value)?;
        *self = items.try_into().map_err(|_| Fault::expected(&format!("a list of {N}"), value))?;
        Ok(())
    }
}
