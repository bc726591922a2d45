//! The corrections that are fitted.

/// A correction of a group of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Correction {
    /// Time of kernels.
    Kernels,
    /// Host time per operator, step and request.
    Host,
    /// Bandwidth that links reach.
    Links,
    /// What collectives take beyond their bytes.
    Starts,
    /// What software adds once per step or request.
    Step,
}

impl Correction {
    /// All of them, in the order of vectors.
    pub const ALL: [Self; 5] = [Self::Kernels, Self::Host, Self::Links, Self::Starts, Self::Step];

    /// Its name in documents and tables of data.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Host => "host",
            Self::Links => "links",
            Self::Starts => "starts",
            Self::Step => "step",
        }
    }

    /// As it is shown.
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
