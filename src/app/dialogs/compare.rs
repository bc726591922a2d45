//! The Compare dialog: questions side by side.

use std::sync::Arc;

use leptos::prelude::*;

use super::frame::{Frame, modal};
use super::searched::Searched;
use crate::app::browser;
use crate::app::compared::{joined, store};
use crate::app::copyable::Copyable;
use crate::app::notices::paragraphs;
use crate::app::parts::FigurePart;
use crate::app::state::{State, state};
use crate::figure::Figure;
use crate::scenario::{Scenario, link};
use crate::units::format;
use crate::view::Comparison;
use crate::view::comparison::{self, Asked, Compared, Number};

/// The dialog.
#[component]
pub(super) fn Compare() -> impl IntoView {
    let state = state();
    Effect::new(move || state.compared.with(|questions| store(questions)));
    let full = move || {
        let question = state.scenario.get();
        state
            .compared
            .with(|questions| questions.len() >= link::MAX_COMPARED || questions.contains(&question))
    };
    let add = move |_| state.compared.update(|questions| questions.push(state.scenario.get_untracked()));
    let searched = Searched::follow(state.compared);
    let answer = move |question: &Scenario| searched.answer(question).unwrap_or_else(|| Ok(Arc::default()));
    let compared = move || {
        let mut answer = answer;
        state.compared.with(|questions| Comparison::with(questions, &mut answer))
    };
    let waiting = move || match searched.missing().len() {
        0 => String::new(),
        count => format!("Computing {}", format::counted(count as u32, "answers")),
    };
    let some = move || state.compared.with(|questions| !questions.is_empty());
    let address = Signal::derive(move || {
        format!("{}#{}", browser::address(), state.compared.with(|questions| joined(questions)))
    });
    view! {
        <Frame title="Compare">
            <div class="choices">
                <button type="button" id="compare-add" disabled=full on:click=add>"Add this question"</button>
            </div>
            <Show
                when=some
                fallback=|| view! { <p>"Add a question, change it on the page, and add it again"</p> }
            >
                <p role="status">{waiting}</p>
                {move || table(&compared())}
                <Copyable label="Link to this comparison" text=address />
                <div class="figures">
                    {move || {
                        let size = state.size.get();
                        drawn(state.compared.with(|questions| comparison::figures(questions, size)))
                    }}
                    {move || {
                        let size = state.size.get();
                        drawn(state.compared.with(|questions| comparison::searched(questions, &answer, size)))
                    }}
                </div>
            </Show>
        </Frame>
    }
}

/// Figures of all questions.
fn drawn(figures: Vec<Figure>) -> impl IntoView {
    let figure = |figure| {
        view! { <FigurePart figure=RwSignal::new(figure) late=Signal::stored(None) hidden=Signal::stored(false) /> }
    };
    figures.into_iter().map(figure).collect_view()
}

/// The table. Each question but the baseline has two columns: its values, and their ratios to the baseline's.
fn table(comparison: &Comparison) -> impl IntoView + use<> {
    let settings = comparison.settings.iter().map(|setting| {
        let cells = setting.shown.iter().enumerate();
        let cells = cells.map(|(index, value)| view! { <td colspan=columns(index)>{value.clone()}</td> });
        row(&setting.name, cells.collect_view())
    });
    let refused = comparison.refusals.iter().any(|problems| !problems.is_empty()).then(|| {
        let cells = comparison.refusals.iter().enumerate().map(|(index, problems)| {
            view! { <td colspan=columns(index)>{paragraphs(problems)}</td> }
        });
        row("Errors", cells.collect_view())
    });
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label="Comparison">
            <table class="compared">
                <thead>
                    <tr>
                        <td></td>
                        {comparison.questions.iter().enumerate().map(head).collect_view()}
                    </tr>
                </thead>
                <tbody>{settings.collect_view()}</tbody>
                <tbody>{comparison.numbers.iter().map(number).collect_view()} {refused}</tbody>
            </table>
        </div>
    }
}

/// Number of table columns of a question: the baseline has no column of ratios.
const fn columns(index: usize) -> &'static str {
    if index == 0 { "1" } else { "2" }
}

/// A table row with its heading.
fn row<Cells: IntoView>(name: &str, cells: Cells) -> impl IntoView + use<Cells> {
    view! { <tr><th scope="row">{name.to_owned()}</th>{cells}</tr> }
}

/// The heading of a question's columns, with buttons to open the question, make it the baseline or remove it.
fn head((index, asked): (usize, &Asked)) -> impl IntoView + use<> {
    let (state, modal) = (state(), modal());
    let open = move |_| {
        if let Some(question) = state.compared.with_untracked(|questions| questions.get(index).cloned()) {
            modal.close();
            state.visit(question);
        }
    };
    let remove = move |_| drop(take(state, index));
    let lead = move |_| {
        if let Some(question) = take(state, index) {
            state.compared.update(|questions| questions.insert(0, question));
        }
    };
    let role = if index == 0 {
        "Baseline".into_any()
    } else {
        view! {
            <button type="button" data-baseline=index.to_string() on:click=lead>
                "Make baseline"
            </button>
        }
        .into_any()
    };
    view! {
        <th scope=if index == 0 { "col" } else { "colgroup" } colspan=columns(index)>
            <p>{format!("{}. {}", index + 1, asked.title)}</p>
            <button type="button" data-ask=index.to_string() on:click=open>"Open"</button>
            " "
            {role}
            " "
            <button type="button" data-remove=index.to_string() on:click=remove>"Remove"</button>
        </th>
    }
}

/// Removes a question from the comparison and returns it. The others keep their order.
fn take(state: State, index: usize) -> Option<Scenario> {
    let mut compared = state.compared.write();
    (index < compared.len()).then(|| compared.remove(index))
}

/// A row with one number of each answer, and its ratios to the baseline's.
fn number(number: &Number) -> impl IntoView + use<> {
    let cells = number.values.iter().enumerate().map(|(index, value)| {
        let amount = value.as_ref().map_or_else(|| "–".to_owned(), Compared::shown);
        let ratio = value.as_ref().and_then(|value| value.ratio).map(|ratio| ratio.to_string());
        let ratio = (index > 0).then(|| view! { <td class="ratio">{ratio}</td> });
        view! {
            <td class="amount">{amount}</td>
            {ratio}
        }
    });
    row(&number.label, cells.collect_view())
}
