//! The sections of a view's answers, and those that a link opens.

use std::iter;

use super::sections::{ALL, PUBLISHED, Section};
use super::views::entry;
use crate::catalog::{nearest, suggestion};
use crate::scenario::{GALLERY, Problem, Scenario, View, link};

/// The sections of a view's answers, in reading order.
pub const fn sections(view: View) -> &'static [Section] {
    entry(view).sections
}

/// Returns true if the answer to this question has sections; the list of the papers' results has none.
pub fn sectioned(scenario: &Scenario) -> bool {
    scenario.view != View::Papers || scenario.papers.result != GALLERY
}

/// The named sections of an answer with these parts, and that of all of them where they are more than one. While the
/// first answer of a view is computed, the usual sections are named before their parts are there, so that the list does
/// not grow.
pub fn contents<'a>(
    view: View,
    parts: &(impl Iterator<Item = &'a str> + Clone),
    complete: bool,
) -> Vec<(&'static str, &'static str)> {
    let there = |section: &&Section| {
        !complete && section.usual || parts.clone().any(|part| section.parts.contains(&part))
    };
    let named: Vec<_> =
        sections(view).iter().filter(there).map(|section| (section.id, section.name)).collect();
    let all = (named.len() > 1).then_some((ALL, "All"));
    named.into_iter().chain(all).collect()
}

/// The section of a view that a link means: by its own name, or by that of one of its parts.
pub fn section_of(view: View, name: &str) -> Option<&'static Section> {
    let all = sections(view);
    all.iter().find(|section| section.id == name).or_else(|| section_with(view, name))
}

/// The problem of a link to a part that the view's answer never has.
pub fn unknown_part(view: View, part: &str) -> Option<Problem> {
    let all = sections(view);
    if part.is_empty() || part == ALL || section_of(view, part).is_some() {
        return None;
    }
    let names = all.iter().flat_map(|section| iter::once(section.id).chain(section.parts.iter().copied()));
    let near = suggestion(nearest(part, names));
    Some(Problem::new("part", format!("the answer has no part `{}`{near}", link::shown(part))))
}

/// Returns true if a link to this part of a view's answer opens the section of published rows. A link to all sections
/// does not, because it would fetch their file.
pub fn opens_published(view: View, part: &str) -> bool {
    section_of(view, part).is_some_and(|section| section.id == PUBLISHED)
}

/// The section of a view that has this part.
pub fn section_with(view: View, part: &str) -> Option<&'static Section> {
    sections(view).iter().find(|section| section.parts.contains(&part))
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_unknown_part_is_named_with_the_nearest_one() {
        let message = |view, part| unknown_part(view, part).map(|problem| problem.message);
        for known in ["", ALL, "memory", "dram-latency", "dram"] {
            assert_eq!(message(View::Inference, known), None, "{known}");
        }
        let near = message(View::Inference, "memroy").expect("a problem");
        assert_eq!(near, "the answer has no part `memroy`: did you mean `memory`?");
        let strange = message(View::Training, "<b>").expect("a problem");
        assert_eq!(strange, "the answer has no part `<b>`");
        assert!(message(View::Training, &"x".repeat(100_000)).is_some_and(|message| message.len() < 100));
    }

    use std::collections::BTreeSet;

    use super::*;
    use crate::figure::FIGURES;

    #[test]
    fn names_and_parts_are_unique_within_a_view() {
        for view in View::ALL {
            let (mut names, mut parts) = (BTreeSet::new(), BTreeSet::new());
            for section in sections(view) {
                assert!(section.id != ALL && names.insert(section.id), "{view:?}: {}", section.id);
                assert!(!section.name.is_empty() && !section.parts.is_empty(), "{}", section.id);
                for part in section.parts {
                    assert!(parts.insert(part), "{view:?}: {part}");
                }
            }
        }
    }

    /// A figure without a section would appear in all of them.
    #[test]
    fn every_figure_is_in_a_section() {
        for figure in FIGURES {
            assert!(section_with(figure.view, figure.id).is_some(), "{:?}: {}", figure.view, figure.id);
        }
    }

    #[test]
    fn links_name_a_section_or_one_of_its_parts() {
        let named = |name| section_of(View::Inference, name).map(|section| section.id);
        assert_eq!(named("dram"), Some("dram"));
        assert_eq!(named("dram-gpus"), Some("dram"));
        assert_eq!(named("nothing"), None);
    }
}
