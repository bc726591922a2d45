//! Facts with sources: accelerators, memory technologies, interconnects, transformer architectures, prices.
//!
//! The facts are data (`data/*.json`), compiled in and parsed once.

pub mod accelerator;
pub mod architecture;
pub mod interconnect;
pub mod memory;
pub mod price;
pub mod sourced;
pub mod technology;

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

pub use accelerator::Accelerator;
pub use architecture::Architecture;
pub use interconnect::Interconnect;
pub use memory::MemoryTechnology;
pub use price::Price;
pub use sourced::{Confidence, Sourced};
pub use technology::{Technology, technology};

/// Everything that is known.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Accelerators, by vendor and age.
    pub accelerators: Vec<Accelerator>,
    /// DRAM technologies.
    pub memories: Vec<MemoryTechnology>,
    /// Links.
    pub interconnects: Vec<Interconnect>,
    /// Models, by family.
    pub architectures: Vec<Architecture>,
    /// What renting accelerators costs.
    pub prices: Vec<Price>,
}

/// The one catalogue.
pub fn catalog() -> &'static Catalog {
    static PARSED: OnceLock<Catalog> = OnceLock::new();
    PARSED.get_or_init(|| Catalog {
        accelerators: parse(include_str!("data/accelerators.json")),
        memories: parse(include_str!("data/memories.json")),
        interconnects: parse(include_str!("data/interconnects.json")),
        architectures: parse(include_str!("data/architectures.json")),
        prices: parse(include_str!("data/prices.json")),
    })
}

#[expect(clippy::expect_used, reason = "the data is compiled in, and the tests parse it")]
fn parse<T: DeserializeOwned>(json: &str) -> Vec<T> {
    // By way of a value, so that one piece of code reads a type, wherever it comes from: links are values too.
    let value: serde_json::Value = serde_json::from_str(json).expect("the catalogue is JSON");
    serde_json::from_value(value).expect("the catalogue is well-formed")
}

/// The accelerator with this id.
pub fn accelerator(id: &str) -> Option<&'static Accelerator> {
    catalog().accelerators.iter().find(|entry| entry.id == id)
}

/// The model with this id.
pub fn architecture(id: &str) -> Option<&'static Architecture> {
    catalog().architectures.iter().find(|entry| entry.id == id)
}

/// What renting this accelerator costs, if anybody published it.
pub fn price(accelerator: &str) -> Option<&'static Price> {
    catalog().prices.iter().find(|price| price.accelerator == accelerator)
}

/// The candidate that somebody who wrote `word` most likely meant, if any is close.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long word costs time quadratic in its length, and resembles nothing.
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    let candidates: Vec<&str> = candidates.into_iter().collect();
    // A beginning means the first entry that continues it: `h100` the H100 SXM, which is listed first.
    if let Some(continued) =
        candidates.iter().find(|candidate| word.len() > 2 && candidate.starts_with(&lower))
    {
        return Some(continued);
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lower, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unique<'a>(ids: impl Iterator<Item = &'a str>) {
        let mut ids: Vec<&str> = ids.collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
        for id in ids {
            assert!(
                id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c)),
                "{id}"
            );
        }
    }

    #[test]
    fn ids_are_unique_and_safe_in_links() {
        let catalog = catalog();
        unique(catalog.accelerators.iter().map(|entry| entry.id.as_str()));
        unique(catalog.architectures.iter().map(|entry| entry.id.as_str()));
        unique(catalog.memories.iter().map(|entry| entry.id.as_str()));
        unique(catalog.interconnects.iter().map(|entry| entry.id.as_str()));
    }

    /// A link that spells an entry out carries its texts, of at most 256 bytes each.
    #[test]
    fn every_entry_has_a_source_and_short_texts() {
        let catalog = catalog();
        let accelerators =
            catalog.accelerators.iter().map(|entry| (&entry.id, &entry.source, entry.notes.as_ref()));
        let models =
            catalog.architectures.iter().map(|entry| (&entry.id, &entry.source, entry.notes.as_ref()));
        let memories = catalog.memories.iter().map(|entry| (&entry.id, &entry.source, None));
        let links = catalog.interconnects.iter().map(|entry| (&entry.id, &entry.source, None));
        for (id, source, notes) in accelerators.chain(models).chain(memories).chain(links) {
            assert!(!source.is_empty(), "{id}");
            assert!(source.len() <= 240 && notes.is_none_or(|notes: &String| notes.len() <= 240), "{id}");
        }
    }

    #[test]
    fn the_nearest_name_is_offered() {
        let ids = || catalog().accelerators.iter().map(|entry| entry.id.as_str());
        assert_eq!(nearest("h100", ids()), Some("h100-sxm"));
        assert_eq!(nearest("H200-SMX", ids()), Some("h200-sxm"));
        assert_eq!(nearest("quantum", ids()), None);
        assert_eq!(nearest(&"h".repeat(5000), ids()), None);
    }
}
