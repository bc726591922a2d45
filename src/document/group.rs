//! A type whose parts have names: an object of a document.

use super::{Fault, Field, Object, Value};

/// A type whose parts have names.
pub(crate) trait Group {
    /// The names that a document must have, others that are always written, and those that are where it matters.
    fn names(&self) -> [&'static [&'static str]; 3];

    /// The parts, in the order of the names.
    fn fields(&mut self) -> Vec<&mut dyn Field>;
}

/// The object that means this group: what is always written, and what else differs from a blank one.
///
/// Both are taken as mutable because that is how a table shows the parts; neither is changed.
pub(crate) fn write(group: &mut dyn Group, blank: &mut dyn Group) -> Value {
    let [required, plain, spare] = group.names();
    let always = required.len() + plain.len();
    let names = required.iter().chain(plain).chain(spare).enumerate();
    let mut object = Object::default();
    for (((position, name), field), usual) in names.zip(group.fields()).zip(blank.fields()) {
        let value = field.value();
        if position < always || value != usual.value() {
            *object.slot(name) = value;
        }
    }
    Value::Object(object)
}

/// Fills a blank group in.
pub(crate) fn read(blank: &mut dyn Group, value: &Value) -> Result<(), Fault> {
    let Value::Object(object) = value else { return Err(Fault::expected("an object", value)) };
    let names = blank.names();
    let [required, ..] = names;
    let names = names.concat();
    let mut fields = blank.fields();
    for (name, value) in object.iter() {
        let Some(position) = names.iter().position(|known| *known == name) else {
            return Err(Fault::unknown("field", name, &names).below(name));
        };
        fields[position].set(value).map_err(|fault| fault.below(name))?;
    }
    match required.iter().find(|name| object.get(name).is_none()) {
        Some(name) => Err(Fault::missing(name)),
        None => Ok(()),
    }
}

/// The table of a type: names of fields that are `required` in a document, of others that are `written` in any case,
/// and of those that are `optional`, which are left out where they are blank. Blank is what a document means that
/// lacks a field: nothing, or what stands after its name.
macro_rules! group {
    ($kind:ident {
        $(required: $($required:ident),*;)?
        $(written: $($plain:ident),*;)?
        $(optional: $($spare:ident $(= $usual:expr)?),*;)?
    }) => {
        impl $crate::document::Group for $kind {
            fn names(&self) -> [&'static [&'static str]; 3] {
                [
                    &[$($(stringify!($required)),*)?],
                    &[$($(stringify!($plain)),*)?],
                    &[$($(stringify!($spare)),*)?],
                ]
            }

            fn fields(&mut self) -> Vec<&mut dyn $crate::document::Field> {
                vec![
                    $($(&mut self.$required as &mut dyn $crate::document::Field,)*)?
                    $($(&mut self.$plain as &mut dyn $crate::document::Field,)*)?
                    $($(&mut self.$spare as &mut dyn $crate::document::Field,)*)?
                ]
            }
        }

        impl $crate::document::Field for $kind {
            fn blank() -> Self {
                Self {
                    $($($required: $crate::document::Field::blank(),)*)?
                    $($($plain: $crate::document::Field::blank(),)*)?
                    $($($spare: $crate::document::usual!($($usual)?),)*)?
                }
            }

            fn value(&self) -> $crate::document::Value {
                $crate::document::write(&mut self.clone(), &mut Self::blank())
            }

            fn set(&mut self, value: &$crate::document::Value) -> Result<(), $crate::document::Fault> {
                let mut read = Self::blank();
                $crate::document::read(&mut read, value)?;
                *self = read;
                Ok(())
            }
        }
    };
}

/// This value, or a blank one.
macro_rules! usual {
    () => {
        $crate::document::Field::blank()
    };
    ($usual:expr) => {
        $usual
    };
}

pub(crate) use {group, usual};
