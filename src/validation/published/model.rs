//! The architecture of a published model.

use super::super::Skip;
use super::row::Model;
use crate::catalog::Architecture;
use crate::scenario::Choice;

/// The architecture of a published model: the catalogue's where its shape is the same, or else spelled out.
pub fn model(model: &Model) -> Result<Choice<Architecture>, Skip> {
    Err(Skip::NotModelled(model.name.clone()))
}
