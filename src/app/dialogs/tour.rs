//! A guided tour of the page in four steps, begun by its button or key only.

use gloo::events::{EventListener, EventListenerOptions};
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use web_sys::{HtmlElement, ScrollBehavior, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::frame::Modal;
use crate::app::browser;
use crate::app::state::state;

/// One step: the first of the selected elements that is shown, and what is to be known about it.
struct Step {
    selector: &'static str,
    title: &'static str,
    text: &'static str,
}

const STEPS: [Step; 4] = [
    Step {
        selector: ".field:has(#model), .field:has(#system-accelerator), .form .field",
        title: "Say what runs where",
        text: "Choose a model, a device and how the work is split over devices. Long lists can be searched by typing; \
               the ? beside a field explains the field and the values that it takes.",
    },
    Step {
        selector: "#answer",
        title: "Read the answer",
        text: "These numbers follow every edit. The figures below show what they consist of and what they assume, and \
               give their data as files.",
    },
    Step {
        selector: "header nav",
        title: "Ask something else",
        text: "Each view answers another question about the same model and hardware; what you entered is kept.",
    },
    Step {
        selector: ".actions",
        title: "Keep it and pass it on",
        text: "The address of this page holds the whole question. From here it also goes into documents, files, \
               reports and comparisons.",
    },
];

/// Pixels between the ring and the card.
const GAP: f64 = 12.0;

/// Pixels between the card and the edge of the window.
const MARGIN: f64 = 8.0;

/// Pixels between an element and its ring.
const RING: f64 = 4.0;

/// The rectangle of the ring in the window, in pixels.
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

    /// The corner (top, left) of a card of this size: below the rectangle, else above it, else at the window's end.
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

/// How far the tour is.
#[derive(Clone, Copy)]
struct Walk {
    /// The steps whose elements are shown, each with its element.
    steps: StoredValue<Vec<(HtmlElement, &'static Step)>, LocalStorage>,
    /// The step that is shown.
    at: RwSignal<usize>,
    ring: RwSignal<Rect>,
    /// Where the card is: top and left.
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

    /// A text of the step that is shown.
    fn text(self, of: fn(&Step) -> &'static str) -> Option<&'static str> {
        let at = self.at.get();
        self.steps.with_value(|steps| steps.get(at).map(|(_, step)| of(step)))
    }

    /// Goes forwards or backwards where there is another step.
    fn go(self, forwards: bool) {
        let at = self.at.get_untracked();
        let step = if forwards { Some(at + 1) } else { at.checked_sub(1) };
        if let Some(step) = step.filter(|step| *step < self.count()) {
            self.at.set(step);
        }
    }

    /// Goes where an arrow key points.
    fn follow(self, event: &KeyboardEvent) {
        let right = match event.key().as_str() {
            "ArrowRight" => true,
            "ArrowLeft" => false,
            _ => return,
        };
        event.prevent_default();
        self.go(right != browser::right_to_left());
    }

    /// Shows the element of the present step, and keeps the focus in the card.
    fn show(self) {
        let at = self.at.get();
        let element = self.steps.with_value(|steps| Some(steps.get(at)?.0.clone()));
        let (Some(element), Some(card), Some(next)) = (element, self.card.get(), self.next.get()) else {
            return;
        };
        scroll_to(&element);
        self.place();
        // A button that becomes disabled loses the focus; the first step begins with the button to the next.
        if at == 0 || !browser::has_focus(&card) {
            next.focus().ok();
        }
    }

    /// Places the ring around the element, and the card beside the ring.
    fn place(self) {
        let at = self.at.get_untracked();
        let ring = self.steps.with_value(|steps| steps.get(at).map(|(element, _)| Rect::around(element)));
        if let (Some(ring), Some(card)) = (ring, self.card.get_untracked()) {
            self.ring.set(ring);
            self.corner.set(ring.beside(card.offset_width().into(), card.offset_height().into()));
        }
    }

    /// Places ring and card again whenever something moves, as long as the tour lasts.
    fn keep_in_place(self) {
        let moved = |kind: &'static str| {
            let options = EventListenerOptions::run_in_capture_phase();
            EventListener::new_with_options(&window(), kind, options, move |_| self.place())
        };
        StoredValue::new_local([moved("scroll"), moved("resize")]);
    }
}

/// Brings an element into view; a tall one to the top.
fn scroll_to(element: &HtmlElement) {
    let tall = f64::from(element.offset_height()) > browser::window_height() / 2.0;
    let calm = browser::media("(prefers-reduced-motion: reduce)");
    let options = ScrollIntoViewOptions::new();
    options.set_block(if tall { ScrollLogicalPosition::Start } else { ScrollLogicalPosition::Center });
    options.set_behavior(if calm { ScrollBehavior::Instant } else { ScrollBehavior::Smooth });
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// The tour: a card beside a ring around the element that the step is about.
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
    // After the effects of the view, which give the card its text and so its height.
    Effect::new(move |_| walk.show());
    walk.keep_in_place();
    view
}

/// The text of the step, and the ways on, back and out.
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

fn pixels(length: f64) -> String {
    format!("{length}px")
}
