//! Kinds of times that corrections apply to.

use crate::scenario::{self, Profile};
use crate::validation::Quantity;

/// Kinds of times, whose rows share one scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeKind {
    /// Training step time.
    Step,
    /// Time to first token (TTFT).
    Ttft,
    /// Time per output token (TPOT).
    Tpot,
    /// Request latency.
    Latency,
}

impl TimeKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Step, Self::Ttft, Self::Tpot, Self::Latency];

    /// The kind of time that a quantity is; `None` for memory and single kernels, to which corrections do not apply.
    pub const fn of(quantity: Quantity) -> Option<Self> {
        match quantity.as_time() {
            Quantity::IterTime => Some(Self::Step),
            Quantity::Ttft => Some(Self::Ttft),
            Quantity::Tpot | Quantity::DecodePerToken => Some(Self::Tpot),
            Quantity::RequestLatency => Some(Self::Latency),
            _ => None,
        }
    }

    /// The quantity that represents the kind.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Step => Quantity::IterTime,
            Self::Ttft => Quantity::Ttft,
            Self::Tpot => Quantity::Tpot,
            Self::Latency => Quantity::RequestLatency,
        }
    }

    /// Name inside a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step time",
            Self::Ttft => "TTFT",
            Self::Tpot => "TPOT",
            Self::Latency => "request latency",
        }
    }

    /// Name in titles and table cells.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Step => "Step time",
            Self::Ttft | Self::Tpot => self.name(),
            Self::Latency => "Request latency",
        }
    }

    /// The topic of the Validation view that shows the errors of this time.
    pub const fn errors(self) -> scenario::Topic {
        match self {
            Self::Step => scenario::Topic::Step,
            Self::Ttft => scenario::Topic::Ttft,
            Self::Tpot => scenario::Topic::Tpot,
            Self::Latency => scenario::Topic::Request,
        }
    }

    /// Name in `priors.csv`.
    pub const fn id(self) -> &'static str {
        self.quantity().name()
    }

    /// The profile's field for the standard deviation of this kind.
    pub(super) const fn spread(self, profile: &mut Profile) -> &mut f64 {
        match self {
            Self::Step => &mut profile.step_spread,
            Self::Ttft => &mut profile.ttft_spread,
            Self::Tpot => &mut profile.tpot_spread,
            Self::Latency => &mut profile.latency_spread,
        }
    }
}
