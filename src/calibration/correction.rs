//! The five corrections that a calibration fits.

/// A factor on one group of calibrated constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Correction {
    /// Time of compute kernels.
    Kernels,
    /// Host time per operator, step and request.
    Host,
    /// Achieved bandwidth of links between GPUs.
    Links,
    /// Time of collectives that does not depend on message size: start, steps, hops.
    Starts,
    /// Software overhead per training step or served request.
    Step,
}

impl Correction {
    /// All corrections, in the order of a [`Vector`](super::Vector).
    pub const ALL: [Self; 5] = [Self::Kernels, Self::Host, Self::Links, Self::Starts, Self::Step];

    /// Name in documents and in `priors.csv`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Host => "host",
            Self::Links => "links",
            Self::Starts => "starts",
            Self::Step => "step",
        }
    }

    /// Name for display.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Kernels => "Kernel time",
            Self::Host => "Host time",
            Self::Links => "Link bandwidth",
            Self::Starts => "Collective start",
            Self::Step => "Step overhead",
        }
    }
}
