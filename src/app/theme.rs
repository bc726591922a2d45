//! The colour theme: light, dark, or that of the system.

use leptos::prelude::*;

use super::browser;

/// Local-storage key of the theme.
const KEY: &str = "foretoken-theme";

/// Colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Theme of the system.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    fn of(name: &str) -> Option<Self> {
        [Self::System, Self::Light, Self::Dark].into_iter().find(|theme| theme.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme that a page opens with: that of its query, else the remembered one, else the system's. Inside another page
    /// the remembered one does not count, because the host decides.
    pub(crate) fn opened() -> Self {
        browser::query("theme")
            .as_deref()
            .and_then(Self::of)
            .or_else(|| browser::recall(KEY).filter(|_| !browser::embedded()).as_deref().and_then(Self::of))
            .unwrap_or(Self::System)
    }

    /// Changes to the next theme, and remembers it between visits.
    pub(crate) fn advance(&mut self) {
        *self = self.next();
        browser::remember(KEY, self.name());
    }

    /// The next theme. The order guarantees that the first click changes the appearance.
    fn next(self) -> Self {
        match (self, browser::media("(prefers-color-scheme: dark)")) {
            (Self::System, true) | (Self::Dark, false) => Self::Light,
            (Self::System, false) | (Self::Light, true) => Self::Dark,
            (Self::Light, false) | (Self::Dark, true) => Self::System,
        }
    }
}

/// Style sheets follow `data-theme` on the root element; without it, the system.
fn apply(theme: Theme) {
    if let Some(root) = browser::root() {
        match theme {
            Theme::System => root.remove_attribute("data-theme").ok(),
            _ => root.set_attribute("data-theme", theme.name()).ok(),
        };
    }
}

/// The button that changes to the next theme.
#[component]
pub(crate) fn ThemeButton(theme: RwSignal<Theme>) -> impl IntoView {
    apply(theme.get_untracked());
    Effect::new(move |_| apply(theme.get()));
    let click = move |_| theme.update(Theme::advance);
    view! {
        <button id="theme" type="button" class="theme" data-choice=move || theme.get().name() on:click=click>
            <span class="theme-mark" aria-hidden="true"></span>
            <span class="visually-hidden">"Theme: "</span>
            {move || match theme.get() {
                Theme::System => "System",
                Theme::Light => "Light",
                Theme::Dark => "Dark",
            }}
        </button>
    }
}
