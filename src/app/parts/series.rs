//! Controls over the entries of a drawing's legend.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use crate::app::length::percent;
use crate::figure::{Figure, Series};

/// A button over each entry of the legend, which shows its series alone; a second press shows all again. The buttons are
/// one Tab stop, with arrow keys between them.
#[component]
pub(super) fn SeriesKeys(
    /// The figure with the legend.
    figure: RwSignal<Figure>,
    /// Number of the series that is shown alone.
    alone: RwSignal<Option<u8>>,
) -> impl IntoView {
    let group = NodeRef::<html::Div>::new();
    let reached = RwSignal::new(0_usize);
    // A new drawing has other series.
    Effect::new(move || {
        figure.track();
        alone.set(None);
        reached.set(0);
    });
    let press = move |event: KeyboardEvent| {
        let count = figure.with_untracked(|figure| figure.series.len());
        let now = reached.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => (now + 1) % count,
            "ArrowLeft" | "ArrowUp" => now.checked_sub(1).unwrap_or(count - 1),
            "Escape" => return alone.set(None),
            _ => return,
        };
        event.prevent_default();
        reached.set(next);
        let buttons = group.get_untracked().map(|group| group.children());
        let button = buttons.and_then(|buttons| buttons.item(u32::try_from(next).ok()?));
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            button.focus().ok();
        }
    };
    let keys = move || {
        figure.with(|figure| {
            let key = |(index, series): (usize, &Series)| {
                let Series { number, at, extent, .. } = *series;
                let title = format!("Only: {}", series.name);
                view! {
                    <button
                        type="button"
                        tabindex=move || if reached.get() == index { "0" } else { "-1" }
                        aria-pressed=move || if alone.get() == Some(number) { "true" } else { "false" }
                        aria-label=title.clone()
                        title=title
                        style:left=percent(at.0, figure.width)
                        style:top=percent(at.1, figure.height)
                        style:width=percent(extent.0, figure.width)
                        style:height=percent(extent.1, figure.height)
                        on:focus=move |_| reached.set(index)
                        on:click=move |_| alone.update(|alone| *alone = (*alone != Some(number)).then_some(number))
                    ></button>
                }
            };
            figure.series.iter().enumerate().map(key).collect_view()
        })
    };
    let any = Memo::new(move |_| figure.with(|figure| !figure.series.is_empty()));
    move || {
        any.get().then(|| {
            view! {
                <div class="series" role="toolbar" aria-label="Series" node_ref=group on:keydown=press>
                    {keys}
                </div>
            }
        })
    }
}
