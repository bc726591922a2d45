//! Texts of figures of sweeps.

use crate::figure::frame::within;
use crate::serving::sweep::Takeover;
use crate::units::{Seconds, format};

/// States at which value a resource ceases to limit a part, in a sentence.
pub(super) fn takeover_text(resource: &str, takeover: &Takeover, unit: &str) -> String {
    format!(
        "{resource} limits {} up to {} {unit}, then it is limited by {}",
        takeover.of.name(),
        format::digits(takeover.at),
        within(takeover.binding.name())
    )
}

/// A time in seconds with its unit.
pub(super) fn seconds_text(seconds: f64) -> String {
    format::time(Seconds::new(seconds))
}
