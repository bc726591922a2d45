//! Computation of a fit in turns between frames of the page, with its progress and a button to cancel it.

use gloo::timers::callback::Timeout;
use js_sys::{Date, Promise};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::calibration::{Calibration, CalibrationError, Fit, Row};
use crate::units::Amount;

/// Length of a turn, ms. The page reacts between two turns.
const TURN_MS: f64 = 12.0;

/// The fit that is under way.
#[derive(Clone, Copy)]
pub(super) struct Fitting {
    /// Its number, which distinguishes it from cancelled ones.
    number: StoredValue<u32>,
    /// Fraction that is done; `None` if no fit is under way.
    progress: RwSignal<Option<f64>>,
}

impl Fitting {
    pub(super) fn new() -> Self {
        Self { number: StoredValue::new(0), progress: RwSignal::new(None) }
    }

    /// Fits corrections to rows in place of the previous fit. `done` receives the result, unless the fit is cancelled or the
    /// dialog is closed before.
    pub(super) fn start(
        self,
        rows: Vec<Row>,
        done: impl FnOnce(Vec<Row>, Result<Calibration, CalibrationError>) + 'static,
    ) {
        self.cancel();
        self.progress.set(Some(0.0));
        let Some(number) = self.number.try_get_value() else { return };
        spawn_local(async move {
            let result = match Fit::new(&rows) {
                Ok(fit) => self.computed(number, fit).await,
                Err(error) => Some(Err(error)),
            };
            if let Some(result) = result {
                let _ = self.progress.try_set(None);
                done(rows, result);
            }
        });
    }

    /// The result of a fit; `None` if it is cancelled.
    async fn computed(self, number: u32, mut fit: Fit<'_>) -> Option<Result<Calibration, CalibrationError>> {
        loop {
            let ends = Date::now() + TURN_MS;
            while Date::now() < ends {
                if let Some(result) = fit.step() {
                    return Some(result);
                }
            }
            next_task().await;
            // The dialog has no signals any more once it is closed.
            if self.number.try_get_value() != Some(number) {
                return None;
            }
            let _ = self.progress.try_set(Some(fit.progress()));
        }
    }

    /// Cancels the fit.
    pub(super) fn cancel(self) {
        self.number.try_update_value(|number| *number += 1);
        self.progress.set(None);
    }
}

/// Resolves after what the browser has scheduled before: events, and a frame if one is due.
async fn next_task() {
    let task = Promise::new(&mut |resolve, _| {
        Timeout::new(0, move || drop(resolve.call0(&JsValue::NULL))).forget();
    });
    JsFuture::from(task).await.ok();
}

/// The progress of a fit, while one is under way.
#[component]
pub(super) fn FitProgress(fitting: Fitting) -> impl IntoView {
    let share = move || fitting.progress.get().unwrap_or_default();
    view! {
        <Show when=move || fitting.progress.get().is_some()>
            <p>{move || format!("{} done", Amount::percent(share()))}</p>
            <progress aria-label="Progress of the fit" max="1" value=share></progress>
            <div class="choices">
                <button type="button" id="calibrate-cancel" on:click=move |_| fitting.cancel()>"Cancel"</button>
            </div>
        </Show>
    }
}
