//! Tables and figures of two papers, computed with the model and compared with their published values.
//!
//! Each result has a module. To add one: add a row to [`crate::published::EXHIBITS`] with its name and description, write
//! a module here with its [`Entry`], and list the entry in [`entries`]. The menu, the gallery, the result's page,
//! `docs/papers.md` and the tests are derived from these. Each figure's id is also listed in
//! [`crate::figure::FIGURES`].

mod computation;
mod data;
mod found;
mod known;
mod kundu;
mod printed;
mod subramanian;

pub use computation::{Begin, Computing, Entry};
pub use data::{Bar, Bars, Data, Dot, Dots, Limit, Line, Lines, Look, Pair, Point, Quantity, Share};
pub use found::{Chart, Found, Origin, Question, Source};
pub use known::{Known, known};
pub use printed::{Printed, beside};

/// All computations, in the order of [`crate::published::EXHIBITS`].
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    kundu::entries().chain(subramanian::entries())
}

/// The computation of an exhibit.
pub fn entry(id: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::EXHIBITS;

    #[test]
    fn each_exhibit_has_one_computation() {
        let exhibits: Vec<&str> = EXHIBITS.iter().map(|exhibit| exhibit.id).collect();
        let results: Vec<&str> = entries().map(|entry| entry.id).collect();
        assert_eq!(exhibits, results);
        for exhibit in EXHIBITS {
            assert!(!exhibit.shows.ends_with('.') && !exhibit.name.is_empty(), "{}", exhibit.id);
            assert_eq!(EXHIBITS.iter().filter(|other| other.id == exhibit.id).count(), 1, "{}", exhibit.id);
        }
        let inferred = || entries().flat_map(|entry| entry.inferred);
        assert!(inferred().all(|sentence| !sentence.ends_with('.')));
    }
}
