//! The named sections of answers, of which the page shows one at a time.

/// A few parts of an answer that belong together and fit on about one screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Machine name, which links keep for ever.
    pub id: &'static str,
    /// Name in the list of sections.
    pub name: &'static str,
    /// The machine names of its figures and tables.
    pub parts: &'static [&'static str],
    /// True if most answers of the view have it, so that the page lists it while an answer is computed.
    pub usual: bool,
}

/// A section that most answers of its view have.
pub(super) const fn section(id: &'static str, name: &'static str, parts: &'static [&'static str]) -> Section {
    Section { id, name, parts, usual: true }
}

/// A section that few answers of its view have.
pub(super) const fn rare(id: &'static str, name: &'static str, parts: &'static [&'static str]) -> Section {
    Section { usual: false, ..section(id, name, parts) }
}

/// The name in links of all sections together.
pub const ALL: &str = "all";

/// Section of training and inference answers with measured values.
pub(super) const MEASURED: Section = rare(
    "measured",
    "Your measurement",
    &[
        "measured",
        "measured-rows",
        "profile-terms",
        "profile-course",
        "measured-terms",
        "measured-phases",
        "difference-step",
        "difference-ttft",
        "difference-tpot",
        "difference-latency",
        "causes",
        "changes",
        "changes-tpot",
        "nearest",
    ],
);

/// Id of the table of published runs near a question without a measured value, and of its section.
pub(super) const PUBLISHED: &str = "published";

/// Section of published runs near the question. Their file is fetched when the section is opened.
pub(super) const NEAR: Section = section(PUBLISHED, "Published runs", &[PUBLISHED]);
