//! What fields have in common in the form, among the constants and in the dialogs of one's own models and GPUs.
//!
//! A control with the id `x` is explained by `x-help` and `x-message`.

use leptos::attr::Attribute;
use leptos::prelude::*;

use super::code_spans::code_spans;

/// The ids of what explains the control with this id: its help and its message.
pub(super) fn described_by(id: &str) -> String {
    format!("{id}-help {id}-message")
}

/// Attributes of a text field for a number.
pub(super) fn numeric(id: &str, whole: bool, wrong: Signal<bool>) -> impl Attribute + use<> {
    view! {
        <{..}
            type="text"
            autocomplete="off"
            spellcheck="false"
            inputmode=if whole { "numeric" } else { "decimal" }
            id=id.to_owned()
            aria-describedby=described_by(id)
            aria-invalid=move || wrong.get().then_some("true")
        />
    }
}

/// Name and unit of the control with this id.
#[component]
pub(super) fn Label(
    id: String,
    #[prop(into)] name: String,
    /// Empty if there is none.
    #[prop(into)]
    unit: String,
) -> impl IntoView {
    let unit = (!unit.is_empty()).then(|| view! { " " <span class="unit">{unit}</span> });
    view! { <label for=id>{name} {unit}</label> }
}

/// What is wrong with the value of the control with this id; empty if nothing is.
#[component]
pub(super) fn Message(id: String, #[prop(into)] text: Signal<String>) -> impl IntoView {
    let id = id + "-message";
    view! { <p class="message" id=id>{move || text.with(|text| code_spans(text))}</p> }
}
