//! Values that fields have where they are left out, and which are not written then. serde calls these functions with
//! references.

/// Returns true for a type's default value.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The value of fields that are 1 unless given.
pub(crate) const fn one() -> u32 {
    1
}

/// Returns true for [`one`].
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) const fn is_one(value: &u32) -> bool {
    *value == one()
}

/// The value of fields that are 2 unless given.
pub(crate) const fn two() -> u32 {
    2
}

/// Returns true for [`two`].
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) const fn is_two(value: &u32) -> bool {
    *value == two()
}
