//! Search in the form's long lists, which replaces the browser's drop-down.

mod dialog;
mod search;

use leptos::prelude::*;
use web_sys::HtmlSelectElement;

use crate::app::browser;
use crate::scenario::Scenario;
use crate::scenario::fields::{Field, Menu, Opt};

pub(super) use self::dialog::PickDialog;

/// Minimum number of options of a searchable list. Shorter lists use the browser's drop-down.
const LONG: usize = 17;

/// Minimum width of the search, pixels.
const WIDTH: f64 = 340.0;

/// Minimum distance between the search and the edge of the window, pixels.
const MARGIN: f64 = 8.0;

/// A list being searched.
#[derive(Clone)]
pub(crate) struct Pick {
    /// The `<select>` element that the search replaces.
    list: HtmlSelectElement,
    /// The field of the list.
    field: &'static Field,
    /// The options of the list.
    options: Vec<Opt>,
    /// Index of the option that the question has; `None` for a value that only a link can set.
    selected: Option<usize>,
    /// Initial text of the search.
    text: String,
}

impl Pick {
    /// The search of a field's list; `None` if the list is not long enough to be searchable.
    pub(crate) fn of(
        question: &Scenario,
        list: HtmlSelectElement,
        field: &'static Field,
        options: fn(&Scenario) -> Vec<Opt>,
        text: &str,
    ) -> Option<Self> {
        let chosen = Menu::of(field, options, question).chosen;
        let options = options(question);
        let selected = options.iter().position(|option| option.value == chosen);
        (options.len() >= LONG).then(|| Self { list, field, options, selected, text: text.to_owned() })
    }

    /// Focuses the list, so that the browser returns the focus to it when the search closes.
    pub(crate) fn focus(&self) {
        self.list.focus().ok();
    }

    /// The options that match a text best, by group.
    fn found(&self, text: &str) -> Vec<Group> {
        let fits: Vec<_> = self.options.iter().map(|option| option.fit(text)).collect();
        let Some(best) = fits.iter().copied().max().flatten() else { return Vec::new() };
        let mut groups: Vec<Group> = Vec::new();
        for (index, option) in self.options.iter().enumerate().filter(|(index, _)| fits[*index] == Some(best))
        {
            match groups.iter_mut().find(|group| group.name == option.group) {
                Some(group) => group.options.push(index),
                None => groups.push(Group { name: option.group.clone(), options: vec![index] }),
            }
        }
        groups
    }

    /// Width of the search, pixels.
    fn width(&self) -> f64 {
        let list = self.list.get_bounding_client_rect().width();
        list.max(WIDTH).min(browser::window_width() - 2.0 * MARGIN)
    }

    /// Position (top, left) of a search of this height, pixels: over the list, but inside the window.
    fn corner(&self, height: f64) -> (f64, f64) {
        let (list, width) = (self.list.get_bounding_client_rect(), self.width());
        let start = if browser::right_to_left() { list.right() - width } else { list.left() };
        let top = list.top().min(browser::window_height() - height - MARGIN).max(MARGIN);
        (top, start.min(browser::window_width() - width - MARGIN).max(MARGIN))
    }
}

/// The list being searched, if any: a Leptos context that the page provides.
pub(crate) type Picking = RwSignal<Option<Pick>, LocalStorage>;

/// Options under one heading.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: Option<String>,
    /// Indices in the list.
    options: Vec<usize>,
}
