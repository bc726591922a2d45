//! One control with its name, its explanation and its message.

use leptos::prelude::*;

use super::field_kind::{Field, Kind};
use super::number_field::NumberField;
use super::select_field::SelectField;
use super::state::state;

/// Whether explanations stay away until the next one is asked for.
#[derive(Clone, Copy)]
pub(crate) struct TipsOff(pub(crate) RwSignal<bool>);

/// What a control needs to know of its row.
#[derive(Clone)]
pub(crate) struct Row {
    /// The field.
    pub(crate) field: &'static Field,
    /// The id of the control.
    pub(crate) id: String,
    /// The ids of its explanation and its message.
    pub(crate) described_by: String,
    /// What is wrong with it.
    pub(crate) message: Memo<Option<String>>,
}

impl Row {
    /// `true` for assistive technology while something is wrong.
    pub(crate) fn invalid(&self) -> impl Fn() -> Option<&'static str> + Clone + Send + Sync + use<> {
        let message = self.message;
        move || message.with(Option::is_some).then_some("true")
    }
}

/// A row of the form.
#[component]
pub(crate) fn FieldRow(field: &'static Field) -> impl IntoView {
    let state = state();
    let message = state.message(field);
    let wide = field.wide(state.view.get_untracked());
    let id = field.id();
    let help = format!("{id}-help");
    let message_id = format!("{id}-message");
    let row = Row { field, id: id.clone(), described_by: format!("{help} {message_id}"), message };
    let unit = (!field.unit.is_empty()).then(|| view! { <span class="unit">{field.unit}</span> });
    let class = match field.kind {
        Kind::Number(_) => "field",
        Kind::Select(_) => "field select-field",
        Kind::Switch => "field switch-field",
    };
    view! {
        <div class=class data-wide=wide.then_some("")>
            <div class="field-name">
                <label for=id>{field.label} " " {unit}</label>
                <Hint field id=help />
            </div>
            {match field.kind {
                Kind::Number(number) => view! { <NumberField row number /> }.into_any(),
                Kind::Select(options) => view! { <SelectField row options /> }.into_any(),
                Kind::Switch => view! { <SwitchField row /> }.into_any(),
            }}
            <p class="message" id=message_id>{move || message.get()}</p>
        </div>
    }
}

/// The explanation, which shows while its button has the pointer or the focus.
#[component]
fn Hint(field: &'static Field, id: String) -> impl IntoView {
    let TipsOff(off) = expect_context();
    let range = match field.kind {
        Kind::Number(number) => format!("; {} {}", number.range(field.place).words(), field.unit),
        _ => String::new(),
    };
    view! {
        <button
            type="button"
            class="hint"
            aria-label=format!("About {}", field.label.to_ascii_lowercase())
            aria-describedby=id.clone()
            data-off=move || off.get().then_some("")
            on:mouseenter=move |_| off.set(false)
            on:focus=move |_| off.set(false)
        >
            "?"
        </button>
        <span class="tip" role="tooltip" id=id>{field.help} {range}</span>
    }
}

/// On or off.
#[component]
fn SwitchField(row: Row) -> impl IntoView {
    let state = state();
    let place = row.field.place;
    let value = Memo::new(move |_| state.scenario.with(place.read) == "true");
    let invalid = row.invalid();
    view! {
        <input
            type="checkbox"
            id=row.id
            aria-describedby=row.described_by
            aria-invalid=invalid
            prop:checked=move || value.get()
            on:change=move |event| {
                let text = event_target_checked(&event).to_string();
                state.scenario.update(|scenario| (place.write)(scenario, &text));
            }
        />
    }
}
