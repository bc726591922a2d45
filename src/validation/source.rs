//! Names of the sources of published rows.

/// A line for each source: its id in files and links, a tab, its name.
const NAMES: &str = include_str!("sources.txt");

/// Name of a source; the id itself for an unknown one.
pub fn source_name(id: &str) -> &str {
    known(id).unwrap_or(id)
}

fn known(id: &str) -> Option<&'static str> {
    NAMES.lines().find_map(|line| line.strip_prefix(id)?.strip_prefix('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::Records;

    #[test]
    fn every_source_has_a_name() {
        let rows = Records::of(include_str!("../../public/validation.csv")).skip(1);
        let mut sources: Vec<String> = rows.filter_map(|row| row.into_iter().nth(1)).collect();
        sources.sort_unstable();
        sources.dedup();
        assert!(sources.len() > 50);
        for source in sources {
            assert!(known(&source).is_some(), "{source} has no name in sources.txt");
        }
        assert_eq!(source_name("vllm"), "vllm");
    }
}
