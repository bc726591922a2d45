//! Turns: long computations of a thread are divided into turns, between which the thread handles events and draws frames.

use gloo::timers::callback::Timeout;
use js_sys::{Date, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

/// Length of a turn, ms: a request waits for it, and half a frame is left to the page.
const LENGTH: f64 = 8.0;

/// The turn that has begun.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    ends: f64,
}

impl Turn {
    /// Begins a turn.
    pub(super) fn begin() -> Self {
        Self { ends: Date::now() + LENGTH }
    }

    /// Returns true once the turn should end.
    pub(super) fn is_over(self) -> bool {
        Date::now() >= self.ends
    }
}

/// Waits for the next turn, which follows the events that are already queued.
pub(super) async fn next() {
    // Timers, which replace a channel that cannot be created, wait 4 ms each.
    let channel = MessageChannel::new();
    let turn = Promise::new(&mut |resolve, _| match &channel {
        Ok(channel) => {
            channel.port1().set_onmessage(Some(&resolve));
            channel.port2().post_message(&JsValue::UNDEFINED).ok();
        }
        Err(_) => {
            Timeout::new(0, move || drop(resolve.call0(&JsValue::NULL))).forget();
        }
    });
    JsFuture::from(turn).await.ok();
    if let Ok(channel) = channel {
        // Open ports are not collected.
        channel.port1().close();
    }
}
