//! A drawing whose values are read off by pointing, touching, or with the arrow keys.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;

use super::series::SeriesKeys;
use crate::app::length::percent;
use crate::app::state::state;
use crate::figure::{Figure, Read};
use crate::order;

/// Maximum number of marks that are listed beside the one that is read: more would cover the chart.
const MOST_BESIDE: usize = 12;

/// A drawing. Its markup is the only one that is not made here: `figure` wrote it.
#[component]
pub(super) fn Drawing(figure: RwSignal<Figure>, title: Memo<String>) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let at = RwSignal::new(None::<usize>);
    let alone = RwSignal::new(None::<u8>);
    // A new drawing has other values.
    Effect::new(move || {
        figure.track();
        at.set(None);
    });
    let read = Memo::new(move |_| figure.with(|figure| figure.reads.get(at.get()?).cloned()));
    let readable = Memo::new(move |_| figure.with(|figure| !figure.reads.is_empty()));
    let point = move |event: PointerEvent| {
        let Some(place) = place.get_untracked() else { return };
        let frame = place.get_bounding_client_rect();
        let nearest = figure.with_untracked(|figure| {
            let scale = figure.width / frame.width();
            let x = (f64::from(event.client_x()) - frame.left()) * scale;
            let y = (f64::from(event.client_y()) - frame.top()) * scale;
            nearest(&figure.reads, (x, y))
        });
        if at.get_untracked() != nearest {
            at.set(nearest);
        }
    };
    // A finger reads a value with its first tap and opens it with the second one.
    let tapped = StoredValue::new(false);
    let touch = move |event: PointerEvent| {
        let before = at.get_untracked();
        let by_finger = event.pointer_type() == "touch";
        point(event);
        tapped.set_value(by_finger && at.get_untracked() != before);
    };
    let leave = move |event: PointerEvent| {
        // A lifted finger leaves too; what it read stays legible.
        if event.pointer_type() != "touch" {
            at.set(None);
        }
    };
    let dialog = state().dialog;
    let open = move || {
        let link = read.with_untracked(|read| read.as_ref().map(|read| read.link.clone()));
        if let Some(link) = link.filter(|link| !link.is_empty()) {
            // If the page already shows this question, the address does not change and no event closes the dialog.
            dialog.set(None);
            // The address changes as if a link to the question were followed.
            let _ = window().location().set_hash(&link);
        }
    };
    let press = move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            return open();
        }
        let count = figure.with_untracked(|figure| figure.reads.len());
        if at.try_update(|at| moved(at, &event.key(), count)) == Some(true) {
            event.prevent_default();
        }
    };
    let drawing = view! {
        <div class="drawing" data-alone=move || alone.get() inner_html=move || figure.with(|figure| figure.svg.clone())></div>
    };
    let reading = move || {
        readable.get().then(|| {
            view! {
                <div
                    class="reader"
                    role="group"
                    tabindex="0"
                    aria-label=move || format!("Values of {}: arrow keys read them one by one", title.get())
                    node_ref=place
                    on:pointermove=point
                    on:pointerdown=touch
                    on:click=move |_| (!tapped.get_value()).then(open).unwrap_or_default()
                    on:pointerleave=leave
                    on:blur=move |_| at.set(None)
                    on:keydown=press
                >
                    <ReadOut figure at read />
                </div>
            }
            .into_any()
        })
    };
    view! {
        <div class="drawing-place">
            {drawing}
            {reading}
            <SeriesKeys figure alone />
        </div>
    }
    .into_any()
}

/// The value that is read, beside its point, and the values of other lines at the same place.
#[component]
fn ReadOut(
    /// The figure of the drawing.
    figure: RwSignal<Figure>,
    /// Place of the value among those of the figure.
    at: RwSignal<Option<usize>>,
    /// The value.
    read: Memo<Option<Read>>,
) -> impl IntoView {
    let size = move || figure.with(|figure| (figure.width, figure.height));
    let of = move |of: fn(&Read, (f64, f64)) -> String| {
        read.with(|read| read.as_ref().map(|read| of(read, size())))
    };
    let left = move || of(|read, (width, _)| percent(read.x, width));
    let top = move || of(|read, (_, height)| percent(read.y, height));
    // The label is on the sides of the point with more space.
    let is = move |of: fn(&Read, (f64, f64)) -> bool| {
        read.with(|read| read.as_ref().is_some_and(|read| of(read, size()))).then_some("")
    };
    let beyond = move || is(|read, (width, _)| read.x > width / 2.0);
    let above = move || is(|read, (_, height)| read.y > height / 2.0);
    // Hidden from screen readers, which read one mark at a time.
    let others = move || {
        let others = at.get().map(|at| figure.with(|figure| beside(&figure.reads, at)));
        let line = |text| view! { <span aria-hidden="true">{text}</span> };
        others.unwrap_or_default().into_iter().map(line).collect_view()
    };
    view! {
        <span class="read-point" hidden=move || read.with(Option::is_none) style:left=left style:top=top></span>
        <p class="read" role="status" data-beyond=beyond data-above=above style:left=left style:top=top>
            {move || read.get().map(|read| read.text)}
            {others}
        </p>
    }
}

/// Short texts of the other marks at the same distance from the left edge as one, from the top down; none if there are more
/// than [`MOST_BESIDE`].
fn beside(reads: &[Read], at: usize) -> Vec<String> {
    let Some(read) = reads.get(at).filter(|read| !read.brief.is_empty()) else { return Vec::new() };
    let level = |(index, other): &(usize, &Read)| {
        *index != at && !other.brief.is_empty() && (other.x - read.x).abs() < 0.5
    };
    let mut others: Vec<(usize, &Read)> = reads.iter().enumerate().filter(level).collect();
    if others.len() > MOST_BESIDE {
        return Vec::new();
    }
    order::sort(&mut others, |a, b| a.1.y.total_cmp(&b.1.y));
    others.into_iter().map(|(_, other)| other.brief.clone()).collect()
}

/// Moves to the value, of `count`, that a key reads; false for keys that do nothing.
fn moved(at: &mut Option<usize>, key: &str, count: usize) -> bool {
    *at = match key {
        "ArrowRight" | "ArrowDown" => Some(at.map_or(0, |at| (at + 1) % count)),
        "ArrowLeft" | "ArrowUp" => Some(at.unwrap_or(0).checked_sub(1).unwrap_or(count - 1)),
        "Escape" => None,
        _ => return false,
    };
    true
}

/// The value nearest to a place of the drawing, unless all are far.
fn nearest(reads: &[Read], (x, y): (f64, f64)) -> Option<usize> {
    /// Pixels of the drawing within which a value is meant.
    const REACH: f64 = 60.0;
    // 0 within an area.
    let beyond = |from: f64, extent: f64| (from.abs() - extent / 2.0).max(0.0);
    let distance = |read: &Read| beyond(read.x - x, read.extent.0).hypot(beyond(read.y - y, read.extent.1));
    let all = reads.iter().enumerate().map(|(index, read)| (index, distance(read)));
    all.filter(|(_, distance)| *distance < REACH).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}
