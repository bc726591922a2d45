//! Quantities of papers as text: values, ticks and titles of axes, columns of tables.

use crate::figure::Column;
use crate::figure::frame::{brief, within};
use crate::papers::Quantity;
use crate::units::{Seconds, format};

/// A value of a quantity with its unit.
pub(super) fn valued(quantity: Quantity, value: f64) -> String {
    match quantity.unit {
        "s" => format::time(Seconds::new(value)),
        "" => number(value),
        unit => format!("{} {unit}", number(value)),
    }
}

/// A whole number with every digit, any other with three.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 { format::grouped(value) } else { format::digits(value) }
}

/// Tick label of a quantity; its unit is in the axis title.
pub(super) fn tick(value: f64) -> String {
    brief(&if value >= 1000.0 { format::grouped(value) } else { format::digits(value) })
}

/// The title of an axis.
pub(super) fn title(quantity: Quantity) -> String {
    if quantity.unit.is_empty() {
        quantity.name.to_owned()
    } else {
        format!("{} ({})", quantity.name, quantity.unit)
    }
}

/// The column of a quantity.
pub(super) fn column(prefix: &str, quantity: Quantity) -> Column {
    let label = if prefix.is_empty() {
        quantity.name.to_owned()
    } else {
        format!("{prefix}: {}", within(quantity.name))
    };
    if quantity.unit.is_empty() { Column::new(label) } else { Column::of(label, quantity.unit) }
}
