//! Computation of a fit in turns between frames of the page, with its progress and a button to cancel it.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::app::turn::{self, Turn};
use crate::calibration::{Calibration, CalibrationError, Fit, Row};
use crate::units::Amount;

/// The current fit of the dialog.
#[derive(Clone, Copy)]
pub(super) struct Fitting {
    /// Number of the newest fit. A fit with another number is cancelled.
    number: StoredValue<u32>,
    /// Fraction of the fit that is done; `None` if no fit is computed.
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
        let number = self.number.get_value();
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
            let turn = Turn::begin();
            while !turn.is_over() {
                if let Some(result) = fit.step() {
                    return Some(result);
                }
            }
            turn::next().await;
            // A closed dialog has disposed of its signals.
            if self.number.try_get_value() != Some(number) {
                return None;
            }
            let _ = self.progress.try_set(Some(fit.progress()));
        }
    }

    /// Cancels the fit.
    pub(super) fn cancel(self) {
        self.number.update_value(|number| *number += 1);
        self.progress.set(None);
    }
}

/// Progress of the fit with a Cancel button, while it is computed.
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
