//! Documents as JSON has them, and the parts of types as documents name them.
//!
//! One table per type says how it is read and how it is written. The code that goes through a table is the same for
//! all types: code that is generated for each of them would be a tenth of what the page loads.

mod fault;
mod field;
mod group;
pub(crate) mod json;
mod nearest;
mod value;
mod word;

pub(crate) use fault::Fault;
pub(crate) use field::Field;
pub(crate) use group::{Group, group, read, usual, write};
pub use nearest::nearest;
pub(crate) use value::{Object, Value};
pub(crate) use word::{Word, words};
