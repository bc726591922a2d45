//! What the page's scripts call: the report and the comparison as markup.
//!
//! An errand takes a text and brings texts; `public/desk.js` calls it.

use super::{comparison, report};
use crate::scenario::link;

/// Does what an errand of this name does; nothing if there is none of this name.
///
/// | name | takes | brings |
/// |---|---|---|
/// | `report` | a link | a page to print about it, as markup |
/// | `compare` | links, joined by `~` | a table of their answers, the first as the baseline, as markup |
pub fn run(name: &str, texts: &[String]) -> Option<Vec<String>> {
    let text = texts.first().map_or("", String::as_str);
    Some(match name {
        "report" => vec![report::markup(&link::decode(text).scenario)],
        "compare" => {
            let questions =
                link::decode_all(text).into_iter().map(|decoded| decoded.scenario).collect::<Vec<_>>();
            vec![comparison::markup(&questions)]
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_are_no_errands() {
        assert_eq!(run("dance", &[]), None);
    }
}
