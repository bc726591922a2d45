//! The rows themselves, page by page.

use super::Row;
use super::answer::{Answer, measure};
use crate::answer::html;
use crate::figure::{Measure, escape};
use crate::scenario::{ErrorChoice, Trait};
use crate::units::format;

/// Rows on a page.
const PAGE: usize = 20;

impl Answer<'_> {
    /// One page, the worst rows first. A row's name opens it as a question.
    pub(super) fn list(&self, rows: &[&Row<'_>]) -> String {
        let mut sorted = rows.to_vec();
        sorted.sort_by(|a, b| b.pair.error().abs().total_cmp(&a.pair.error().abs()));
        let pages = sorted.len().div_ceil(PAGE).max(1);
        let page = (self.choice().page as usize).clamp(1, pages);
        let measure = measure(self.choice().of);
        let peers = sorted.iter().any(|row| row.point.peer.is_some());
        let shown = sorted.iter().skip((page - 1) * PAGE).take(PAGE);
        let body = format!("<tbody>{}</tbody>", html::each(shown, |shown| row(shown, measure, peers)));
        let peer = peers.then_some("*Other estimator");
        let names = ["Question", "*Device", "*Precision", "Measured", "Predicted", "Error"];
        let head = html::headings(names.into_iter().chain(peer).chain(["*Source"]));
        let finding =
            "The worst first. A name opens the question that the model was asked; back returns here";
        html::table("rows", "Rows", finding, (&head, &body), &self.pager(page, pages))
    }

    fn pager(&self, page: usize, pages: usize) -> String {
        let to = |page: usize| self.fragment(ErrorChoice { page: page as u32, ..self.choice().clone() });
        let way = |id: &str, text: &str, page: Option<usize>| match page {
            Some(page) => html::link(id, &to(page), text),
            None => format!("<span>{text}</span>"),
        };
        format!(
            r#"<nav class="pager" aria-label="Pages of rows">{} <span>Page {page} of {pages}</span> {}</nav>"#,
            way("page-before", "Previous", (page > 1).then(|| page - 1)),
            way("page-after", "Next", (page < pages).then(|| page + 1)),
        )
    }
}

fn row(Row { point, pair }: &Row<'_>, measure: Measure, peers: bool) -> String {
    let name = match point.link.as_str() {
        "" => escape(&point.model),
        link => html::link(&format!("row-{}-{}", point.id, point.quantity.name()), link, &point.model),
    };
    let peer = match (&point.peer, point.peer_pair()) {
        (Some((name, _)), Some(pair)) => format!("{name} {}", format::signed_percent(pair.error())),
        _ => String::new(),
    };
    let fitted = if point.used_in_fit { ", used in a fit" } else { "" };
    let error = format!("{}{fitted}", format::signed_percent(pair.error()));
    let source = format!("{}, tier {}: {}", point.of(Trait::Source), point.tier, point.origin);
    let number = |text: &str| format!("<td>{}</td>", escape(text));
    let text = |text: &str| format!(r#"<td class="text">{}</td>"#, escape(text));
    [
        format!(r#"<tr><th scope="row">{name}</th>"#),
        text(point.of(Trait::Device)),
        text(point.of(Trait::Precision)),
        number(&(measure.show)(pair.measured)),
        number(&(measure.show)(pair.predicted)),
        number(&error),
        if peers { text(&peer) } else { String::new() },
        format!(r#"<td class="text origin">{}</td></tr>"#, escape(&source)),
    ]
    .concat()
}
