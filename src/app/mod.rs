//! The page: what somebody asks on the left, the answer on the right, the question in the link.
//!
//! `state` holds the question, `answer` what is shown of the answer, `controls` reads what is typed, the components
//! draw them. Nothing here computes anything about hardware: that is the library's work.

#![allow(unreachable_pub, reason = "the component macro makes its helpers public")]

mod answer;
mod answer_view;
mod browser;
mod constants_panel;
mod controls;
mod export;
mod form;
mod fragment;
mod header;
mod host;
mod merge;
mod notices;
mod page;
mod panic;
mod presets;
mod remote;
mod share;
mod state;
mod theme;

/// The property in which a page that lets no worker start leaves the second program's end of their channel.
const PORT: &str = "foretokenPort";

/// Answers requests of the page, in the second program.
pub fn serve() {
    console_error_panic_hook::set_once();
    host::serve();
}

/// Draws the page into `#app`, in place of what is there.
pub fn mount() {
    panic::install();
    let Some(root) = browser::html_element("app") else {
        leptos::logging::error!("there is no element with the id app to draw into");
        return;
    };
    root.set_text_content(None);
    leptos::mount::mount_to(root, page::App).forget();
}
