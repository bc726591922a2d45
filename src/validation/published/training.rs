//! Training rows as scenarios.

use super::super::{Case, Family, Skip};
use super::row::Row;

/// The case of a training row.
pub fn case(row: &Row) -> Case {
    Case {
        id: row.id.clone(),
        source: row.source_group.clone(),
        origin: row.source.line(),
        device: row.hardware.gpu.clone(),
        model: row.model.name.clone(),
        family: if row.model.n_experts.is_some() { Family::Moe } else { Family::Dense },
        precision: row.precision.clone(),
        tier: row.tier.clone(),
        question: Err(Skip::NotModelled("training rows".to_owned())),
        measured: Vec::new(),
        used_in_fit: false,
    }
}
