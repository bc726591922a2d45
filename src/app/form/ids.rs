//! Ids of the elements of a field.

use crate::app::field_parts;

/// The id of the control of a field: the path with dashes.
pub(super) fn id(path: &str) -> String {
    path.replace(['.', '_'], "-")
}

/// The ids of what explains the control of a field.
pub(super) fn described_by(path: &str) -> String {
    field_parts::described_by(&id(path))
}
