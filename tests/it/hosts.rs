//! Names of figures and numbers that the adapters of documents and `docs/embed.md` repeat.
//!
//! `UPDATE=1 cargo test --test it hosts::` writes them anew.

use std::fmt::Write as _;

use foretoken::scenario::{View, link};
use foretoken::service::Service;
use foretoken::view::{numbers, sections};

use crate::documents::agrees;
use crate::service::{all, answered, request};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Longest line of the adapters, in characters.
const WIDTH: usize = 120;

#[test]
fn adapters_know_the_names_of_figures_and_numbers() {
    // The end of the marker's line, a comment, is that of the body.
    let python = format!("{}# ", names("", ""));
    agrees(&format!("{ROOT}/public/hosts/foretoken.py"), &[("names", python)], "hosts");
    let script = format!("{}// ", names("const ", ";"));
    agrees(&format!("{ROOT}/public/hosts/docusaurus.mjs"), &[("names", script)], "hosts");
}

#[test]
fn the_documentation_lists_the_numbers() {
    let mut table = String::from("| view | numbers |\n|---|---|\n");
    for view in View::ALL {
        let names: Vec<String> = numbers(view).iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(table, "| {} | {} |", view.id(), names.join(", "));
    }
    agrees(&format!("{ROOT}/docs/embed.md"), &[("numbers", table)], "hosts");
}

#[test]
fn numbers_are_listed_under_their_view() {
    for rest in
        ["", "&view=inference", "&view=technology", "&view=generations", "&view=search", "&view=validation"]
    {
        let text = format!("v=1{rest}");
        let mut service = Service::default();
        service.ask(request(1, &text));
        let said = all(&mut service, include_str!("../../public/validation.csv"));
        let listed = numbers(link::decode(&text).scenario.view);
        for card in &answered(&said).cards {
            assert!(listed.contains(&&*card.id), "{text}: {}", card.id);
        }
    }
}

/// The names of parts and of numbers by view, as literals that Python and JavaScript share.
fn names(declared: &str, end: &str) -> String {
    let parts = |view| sections(view).iter().flat_map(|section| section.parts.iter().copied()).collect();
    format!(
        "{declared}PARTS = {}{end}\n{declared}NUMBERS = {}{end}\n",
        by_view(&parts),
        by_view(&|view| numbers(view).to_vec())
    )
}

/// An object of lists, of which each begins on a line of its own.
fn by_view(names: &dyn Fn(View) -> Vec<&'static str>) -> String {
    let mut text = String::from("{\n");
    for view in View::ALL {
        let _ = write!(text, "    \"{}\": [\n        ", view.id());
        let mut column = 8;
        for name in names(view) {
            let name = format!("\"{name}\",");
            if column + name.len() + 1 > WIDTH {
                text.push_str("\n        ");
                column = 8;
            } else if column > 8 {
                text.push(' ');
                column += 1;
            }
            text.push_str(&name);
            column += name.len();
        }
        text.push_str("\n    ],\n");
    }
    text + "}"
}
