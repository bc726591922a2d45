//! Strategies of arXiv 2410.00273 that a search includes.

use crate::published::subramanian::Method;

/// All strategies, or one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Methods {
    /// All three in one search.
    #[default]
    All,
    /// 1D tensor parallelism.
    OneD,
    /// 2D tensor parallelism by SUMMA.
    Summa,
    /// 2D tensor parallelism with the sequence over the second group.
    Context,
}

impl Methods {
    /// All choices of strategies.
    pub const ALL: [Self; 4] = [Self::All, Self::OneD, Self::Summa, Self::Context];

    /// The strategies.
    pub const fn methods(self) -> &'static [Method] {
        match self {
            Self::All => &Method::ALL,
            Self::OneD => &[Method::OneD],
            Self::Summa => &[Method::Summa],
            Self::Context => &[Method::Context],
        }
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "All three",
            Self::OneD => Method::OneD.name(),
            Self::Summa => Method::Summa.name(),
            Self::Context => Method::Context.name(),
        }
    }
}
