//! A guided tour of the page in four steps. It starts only by its button or key.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use web_sys::{HtmlElement, ScrollBehavior, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::frame::Modal;
use super::layout;
use crate::app::browser;
use crate::app::length::pixels;
use crate::app::state::state;

/// One step: the element to point at (the first visible match of the selector), and a text about it.
struct Step {
    selector: &'static str,
    title: &'static str,
    text: &'static str,
}

const STEPS: [Step; 4] = [
    Step {
        selector: ".field:has(#model), .field:has(#system-accelerator), .form .field, .unfold",
        title: "Set up the question",
        text: "Choose a model, a device and a parallelism plan. Type to search long lists; the ? beside a field explains \
               the field and its values.",
    },
    Step {
        selector: "#answer .lead",
        title: "Read the answer",
        text: "These numbers update with every edit. The figures below break them down and list their assumptions; their \
               data can be downloaded.",
    },
    Step {
        selector: "header nav",
        title: "Ask something else",
        text: "Each view answers another question about the same model and hardware. Your entries are kept.",
    },
    Step {
        selector: ".actions",
        title: "Save and share",
        text: "The address of this page holds the whole question. These buttons embed, save, print or compare it.",
    },
];

/// Distance between the ring and the card, pixels.
const GAP: f64 = 12.0;

/// Minimum distance between the card and the edge of the window, pixels.
const MARGIN: f64 = 8.0;

/// Distance between an element and its ring, pixels.
const RING: f64 = 4.0;

/// Rectangle of the ring in window coordinates, pixels.
#[derive(Clone, Copy, Default, PartialEq)]
struct Rect {
    top: f64,
    left: f64,
    width: f64,
    height: f64,
}

impl Rect {
    /// The rectangle around an element.
    fn around(element: &HtmlElement) -> Self {
        let rect = element.get_bounding_client_rect();
        Self {
            top: rect.top() - RING,
            left: rect.left() - RING,
            width: 2.0f64.mul_add(RING, rect.width()),
            height: 2.0f64.mul_add(RING, rect.height()),
        }
    }

    /// Position (top, left) of a card of this size: below the rectangle, else above it, else at the bottom of the
    /// window.
    fn beside(self, width: f64, height: f64) -> (f64, f64) {
        let below = self.top + self.height - RING + GAP;
        let above = self.top + RING - GAP - height;
        let lowest = browser::window_height() - height - MARGIN;
        let top = if below <= lowest {
            below.max(MARGIN)
        } else if above >= MARGIN {
            above.min(lowest)
        } else {
            lowest
        };
        let start =
            if browser::right_to_left() { self.left + self.width - RING - width } else { self.left + RING };
        let left = start.min(browser::window_width() - width - MARGIN).max(MARGIN);
        (top, left)
    }
}

/// State of the tour.
#[derive(Clone, Copy)]
struct Walk {
    /// Steps whose element is visible on the page, each with its element.
    steps: StoredValue<Vec<(HtmlElement, &'static Step)>, LocalStorage>,
    /// Index of the current step.
    at: RwSignal<usize>,
    ring: RwSignal<Rect>,
    /// Position of the card: top and left, pixels.
    corner: RwSignal<(f64, f64)>,
    card: NodeRef<html::Div>,
    next: NodeRef<html::Button>,
}

impl Walk {
    fn new() -> Self {
        let shown = STEPS.iter().filter_map(|step| Some((browser::shown_element(step.selector)?, step)));
        Self {
            steps: StoredValue::new_local(shown.collect()),
            at: RwSignal::new(0),
            ring: RwSignal::default(),
            corner: RwSignal::default(),
            card: NodeRef::new(),
            next: NodeRef::new(),
        }
    }

    fn count(self) -> usize {
        self.steps.with_value(Vec::len)
    }

    fn is_last(self) -> bool {
        self.at.get() + 1 >= self.count()
    }

    /// A text of the current step.
    fn text(self, of: fn(&Step) -> &'static str) -> Option<&'static str> {
        let at = self.at.get();
        self.steps.with_value(|steps| steps.get(at).map(|(_, step)| of(step)))
    }

    /// Moves to the next or the previous step, if there is one.
    fn go(self, forwards: bool) {
        let at = self.at.get_untracked();
        let step = if forwards { Some(at + 1) } else { at.checked_sub(1) };
        if let Some(step) = step.filter(|step| *step < self.count()) {
            self.at.set(step);
        }
    }

    /// Moves in the direction of an arrow key.
    fn follow(self, event: &KeyboardEvent) {
        let right = match event.key().as_str() {
            "ArrowRight" => true,
            "ArrowLeft" => false,
            _ => return,
        };
        event.prevent_default();
        self.go(right != browser::right_to_left());
    }

    /// Scrolls to the element of the current step, and keeps the focus in the card.
    fn show(self) {
        let at = self.at.get();
        let element = self.steps.with_value(|steps| Some(steps.get(at)?.0.clone()));
        let (Some(element), Some(card), Some(next)) = (element, self.card.get(), self.next.get()) else {
            return;
        };
        scroll_to(&element);
        self.place();
        // A button that becomes disabled loses the focus, so the focus goes to the button for the next step.
        if at == 0 || !browser::has_focus(&card) {
            next.focus().ok();
        }
    }

    /// Positions the ring around the element, and the card beside the ring.
    fn place(self) {
        let at = self.at.get_untracked();
        let ring = self.steps.with_value(|steps| steps.get(at).map(|(element, _)| Rect::around(element)));
        if let (Some(ring), Some(card)) = (ring, self.card.get_untracked()) {
            self.ring.set(ring);
            self.corner.set(ring.beside(card.offset_width().into(), card.offset_height().into()));
        }
    }
}

/// Scrolls an element into view. Tall elements are aligned with the top of the window.
fn scroll_to(element: &HtmlElement) {
    let tall = f64::from(element.offset_height()) > browser::window_height() / 2.0;
    let calm = browser::media("(prefers-reduced-motion: reduce)");
    let options = ScrollIntoViewOptions::new();
    options.set_block(if tall { ScrollLogicalPosition::Start } else { ScrollLogicalPosition::Center });
    options.set_behavior(if calm { ScrollBehavior::Instant } else { ScrollBehavior::Smooth });
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// The tour: a ring around the element of the current step, and a card beside it.
#[component]
pub(super) fn Tour() -> impl IntoView {
    let state = state();
    let modal = Modal::new();
    let walk = Walk::new();
    let Walk { ring, corner, .. } = walk;
    let leave = move |event: MouseEvent| {
        if event.target() == event.current_target() {
            modal.close();
        }
    };
    let view = view! {
        <dialog
            class="tour"
            aria-labelledby="tour-title"
            aria-describedby="tour-text"
            node_ref=modal.place()
            on:keydown=move |event| walk.follow(&event)
            on:click=leave
            on:close=move |_| state.dialog.set(None)
        >
            <div
                class="tour-ring"
                aria-hidden="true"
                style:top=move || pixels(ring.get().top)
                style:left=move || pixels(ring.get().left)
                style:width=move || pixels(ring.get().width)
                style:height=move || pixels(ring.get().height)
            ></div>
            <div
                class="tour-card"
                node_ref=walk.card
                style:top=move || pixels(corner.get().0)
                style:left=move || pixels(corner.get().1)
            >
                <Card walk modal />
            </div>
        </dialog>
    };
    // Runs after the view's effects, which set the card's text and so its height.
    Effect::new(move |_| walk.show());
    layout::follow(move || walk.place());
    view
}

/// The text of the step, with buttons to go forwards, go back and end the tour.
#[component]
fn Card(walk: Walk, modal: Modal) -> impl IntoView {
    let next = move |_| if untrack(|| walk.is_last()) { modal.close() } else { walk.go(true) };
    view! {
        <div class="tour-head">
            <p class="tour-count">{move || format!("{} of {}", walk.at.get() + 1, walk.count())}</p>
            <button type="button" id="tour-end" on:click=move |_| modal.close()>"End tour"</button>
        </div>
        <div aria-live="polite">
            <h2 id="tour-title">{move || walk.text(|step| step.title)}</h2>
            <p id="tour-text">{move || walk.text(|step| step.text)}</p>
        </div>
        <div class="choices">
            <button
                type="button"
                id="tour-back"
                disabled=move || walk.at.get() == 0
                on:click=move |_| walk.go(false)
            >
                "Back"
            </button>
            <button type="button" id="tour-next" node_ref=walk.next on:click=next>
                {move || if walk.is_last() { "Done" } else { "Next" }}
            </button>
        </div>
    }
}
