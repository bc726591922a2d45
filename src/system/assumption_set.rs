//! Named sets of constants: what authors disagree on, apart from the equations.

/// The set of constants that an estimate uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AssumptionSet {
    /// Efficiencies fitted to measured kernels.
    #[default]
    Calibrated,
    /// Physical bound: no overheads, efficiency 1.
    Ideal,
    /// arXiv 2410.00273 (Subramanian et al. 2024): the authors' own equations, for training alone.
    Subramanian2024,
    /// arXiv 2407.14645 (Kundu et al. 2024), whose tool is closed: constants of DeepFlow, its public ancestor, in the
    /// equations of this model, none of them fitted.
    Kundu2024,
}

impl AssumptionSet {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Calibrated, Self::Ideal, Self::Subramanian2024, Self::Kundu2024];

    /// Returns true if it is a paper's, whose times are those of machines that never fail.
    pub const fn of_paper(self) -> bool {
        matches!(self, Self::Subramanian2024 | Self::Kundu2024)
    }

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calibrated => "Calibrated on measured kernels",
            Self::Ideal => "Ideal: no overheads",
            Self::Subramanian2024 => "Subramanian et al. 2024",
            Self::Kundu2024 => "Kundu et al. 2024, with DeepFlow's constants",
        }
    }
}
