//! The page: the form on the left, the answer on the right, and the question in the link.
//!
//! `state` holds the question and what is shown of its answer. `answer` sends the question through `channel` to the service and
//! takes in the replies. `parts` draws the answer, and `form` the fields of the question. Nothing here computes anything about
//! hardware: the rest of the library does.

#![allow(unreachable_pub, reason = "the component macro makes its helpers public")]

mod answer;
mod browser;
mod channel;
mod click;
mod clipboard;
mod code_spans;
mod collected;
mod compared;
mod constants_panel;
mod copyable;
mod dialogs;
mod drop;
mod edits;
mod export;
mod field_parts;
mod form;
mod fragment;
mod header;
mod host;
mod keys;
mod length;
mod notices;
mod page;
mod panic;
mod parts;
mod pick;
mod pinned;
mod presets;
mod share;
mod state;
mod theme;
mod turn;

use wasm_bindgen::prelude::wasm_bindgen;

/// Mounts the page in `#app`, replacing its content. `glue` is the address of the module that loads the program.
#[wasm_bindgen]
pub fn mount(glue: String) {
    panic::install();
    let Some(root) = browser::html_element("app") else {
        leptos::logging::error!("there is no element with the id app to draw into");
        return;
    };
    root.set_text_content(None);
    leptos::mount::mount_to(root, move || leptos::view! { <page::App glue /> }).forget();
}

/// Answers the page's requests from now on, in a worker.
#[wasm_bindgen]
pub fn serve() {
    console_error_panic_hook::set_once();
    channel::serve();
}

/// The estimate of a scenario file as JSON, as `examples/predict.rs` writes it with `--estimate`: what
/// `public/estimate.js` offers.
#[wasm_bindgen]
#[must_use]
pub fn estimate(json: &str) -> String {
    crate::view::json::json(json).to_string()
}

/// The whole answer to a scenario file as JSON, as `examples/predict.rs` writes it. The Validation view, which needs the
/// measured rows, has none.
#[wasm_bindgen]
#[must_use]
pub fn answer(json: &str) -> String {
    let without = |name: &str| Err(format!("{name} is read by the page alone"));
    crate::view::json::Answers::reading(without).json(json).to_string()
}
