//! The headings of the form, under which fields stand.

/// A heading of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The view itself.
    Page,
    /// Selected result of a paper.
    Papers,
    /// Selected errors of the Validation view.
    Errors,
    /// The subject and the limits of a search.
    Search,
    /// The accelerator to be built.
    Technology,
    /// Job to size, with its objective and limits.
    Sizing,
    /// Model, devices, constants.
    Hardware,
    /// The parallelism plan of training.
    Parallelism,
    /// The training recipe.
    Job,
    /// The traffic of a fleet.
    Traffic,
    /// The served load and its deployment.
    Load,
    /// Prices, energy, failures.
    Cost,
    /// Values measured by the user.
    Measured,
    /// Corrections that were fitted to it.
    Profile,
    /// The two machines of a detailed comparison.
    Comparison,
}

impl Group {
    /// All headings, in the order of the form.
    pub const ALL: [Self; 15] = [
        Self::Page,
        Self::Papers,
        Self::Errors,
        Self::Search,
        Self::Technology,
        Self::Sizing,
        Self::Hardware,
        Self::Parallelism,
        Self::Job,
        Self::Traffic,
        Self::Load,
        Self::Cost,
        Self::Measured,
        Self::Profile,
        Self::Comparison,
    ];

    /// Heading.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "Page",
            Self::Papers => "Papers",
            Self::Errors => "Errors",
            Self::Search => "Search",
            Self::Technology => "Accelerator",
            Self::Sizing => "Sizing",
            Self::Hardware => "Model and hardware",
            Self::Parallelism => "Parallelism",
            Self::Job => "Job",
            Self::Traffic => "Traffic",
            Self::Load => "Load",
            Self::Cost => "Cost",
            Self::Measured => "Your measurement",
            Self::Profile => "Your calibration",
            Self::Comparison => "From one to another",
        }
    }

    /// The id of its element on the page.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Page => "group-page",
            Self::Papers => "group-papers",
            Self::Errors => "group-errors",
            Self::Search => "group-search",
            Self::Technology => "group-technology",
            Self::Sizing => "group-sizing",
            Self::Hardware => "group-hardware",
            Self::Parallelism => "group-parallelism",
            Self::Job => "group-job",
            Self::Traffic => "group-traffic",
            Self::Load => "group-load",
            Self::Cost => "group-cost",
            Self::Measured => "group-measured",
            Self::Profile => "group-profile",
            Self::Comparison => "group-comparison",
        }
    }
}
