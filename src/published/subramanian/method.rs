//! The three ways in which the authors cut a layer.

use super::Strategy;

/// A family of plans; the panels of SUMMA are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// 1D tensor parallelism with sequence parallelism.
    OneD,
    /// 2D tensor parallelism by SUMMA.
    Summa,
    /// 2D tensor parallelism with the sequence over the second group.
    Context,
}

impl Method {
    /// All of them, in the authors' order.
    pub const ALL: [Self; 3] = [Self::OneD, Self::Summa, Self::Context];

    /// The authors' name in their code: `1d`, `2d` or `2d-seqp`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OneD => "1d",
            Self::Summa => "2d",
            Self::Context => "2d-seqp",
        }
    }

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneD => "1D TP",
            Self::Summa => "2D TP SUMMA",
            Self::Context => "2D TP sequence-parallel",
        }
    }

    /// The method of the authors' name.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.id() == id)
    }
}

impl Strategy {
    /// The family that it belongs to.
    pub const fn method(self) -> Method {
        match self {
            Self::OneD => Method::OneD,
            Self::Context => Method::Context,
            Self::Summa { .. } => Method::Summa,
        }
    }
}
