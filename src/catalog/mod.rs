//! Facts with sources: accelerators, memory technologies, interconnects, transformer architectures, prices.
//!
//! The facts are data (`data/*.json`), compiled in and parsed once. The page's copy lacks sources and notes, which
//! `build.rs` leaves out.

pub mod accelerator;
pub mod architecture;
mod class;
pub mod interconnect;
pub mod layers;
mod matching;
mod matrix_rates;
pub mod memory;
mod nearest;
pub mod parameters;
mod prediction;
pub mod price;
mod published;
pub mod scale_up;
mod shape;
pub(crate) mod skip;
pub mod sourced;
pub mod technology;
pub mod technology_numbers;

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use crate::json::Json;

pub use accelerator::Accelerator;
pub use architecture::Architecture;
pub use class::Class;
pub use interconnect::Interconnect;
pub use matching::{Fit, fit, named};
pub use matrix_rates::MatrixRates;
pub use memory::MemoryTechnology;
pub(crate) use nearest::Names;
pub use nearest::{nearest, suggestion};
pub use price::{Price, Quote};
pub use published::{device_named, model_named};
pub use scale_up::Topology;
pub use shape::Shape;
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
    /// Prices of accelerators.
    pub prices: Vec<Price>,
}

/// A file of facts as `build.rs` wrote it.
macro_rules! data {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json"))
    };
}

/// The files of facts as JSON.
struct Files {
    accelerators: Json<'static>,
    memories: Json<'static>,
    interconnects: Json<'static>,
    architectures: Json<'static>,
    prices: Json<'static>,
    aliases: Json<'static>,
}

fn files() -> &'static Files {
    static PARSED: OnceLock<Files> = OnceLock::new();
    PARSED.get_or_init(|| Files {
        accelerators: parse(data!("accelerators")),
        memories: parse(data!("memories")),
        interconnects: parse(data!("interconnects")),
        architectures: parse(data!("architectures")),
        prices: parse(data!("prices")),
        aliases: parse(data!("aliases")),
    })
}

/// The one catalogue.
pub fn catalog() -> &'static Catalog {
    static READ: OnceLock<Catalog> = OnceLock::new();
    READ.get_or_init(|| Catalog {
        accelerators: read(&files().accelerators),
        memories: read(&files().memories),
        interconnects: read(&files().interconnects),
        architectures: read(&files().architectures),
        prices: read(&files().prices),
    })
}

#[expect(clippy::panic, reason = "the data is compiled in, and the tests parse it")]
fn parse(text: &'static str) -> Json<'static> {
    Json::parse(text).unwrap_or_else(|fault| panic!("the catalogue is broken: {fault}"))
}

#[expect(clippy::panic, reason = "the data is compiled in, and the tests read it")]
fn read<T: DeserializeOwned>(file: &Json<'_>) -> Vec<T> {
    file.read().unwrap_or_else(|fault| panic!("the catalogue is broken: {fault}"))
}

/// The accelerator with this id as the catalogue's file has it.
pub(crate) fn accelerator_json(id: &str) -> Option<&'static Json<'static>> {
    // Ids are compared in the catalogue's types, since finding a key of a JSON object takes longer.
    let position = catalog().accelerators.iter().position(|entry| entry.id == id)?;
    files().accelerators.items().get(position)
}

/// The model with this id as the catalogue's file has it.
pub(crate) fn architecture_json(id: &str) -> Option<&'static Json<'static>> {
    let position = catalog().architectures.iter().position(|entry| entry.id == id)?;
    files().architectures.items().get(position)
}

/// The accelerator with this id.
pub fn accelerator(id: &str) -> Option<&'static Accelerator> {
    catalog().accelerators.iter().find(|entry| entry.id == id)
}

/// The model with this id.
pub fn architecture(id: &str) -> Option<&'static Architecture> {
    catalog().architectures.iter().find(|entry| entry.id == id)
}

/// Names other than its own by which the accelerator or model with this id is found, e.g. `Strix Halo`.
pub fn aliases(id: &str) -> impl Iterator<Item = &'static str> + use<> {
    let mut entries = files().aliases.items().iter();
    let entry = entries.find(|entry| entry.get("id").and_then(Json::as_text) == Some(id));
    let names = entry.map_or(&[][..], |entry| entry.list("names"));
    names.iter().filter_map(Json::as_text)
}

/// Prices of this accelerator, if any is published.
pub fn price(accelerator: &str) -> Option<&'static Price> {
    catalog().prices.iter().find(|price| price.accelerator == accelerator)
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
