//! Each device generation: what the same plan gains on it, and what its best plan gains.

use leptos::prelude::*;

use super::options::recomputed;
use super::state::state;
use crate::estimate::Generation;
use crate::units::format;

/// The generations as a table, with the plan behind each best number.
#[component]
pub(crate) fn GenerationsTable() -> impl IntoView {
    let state = state();
    let generations = state.generations;
    let rows = move || {
        generations
            .with(|kept| kept.answer.as_deref().map(|answer| answer.estimate.iter().map(row).collect_view()))
    };
    view! {
        <section
            class="table-card"
            data-table="plans"
            data-stale=move || state.stale.get().then_some("")
        >
            <header>
                <h3 id="table-plans">"The plan behind each speed-up"</h3>
                <p class="finding">
                    "The same plan changes only the GPU; the best plan also uses its formats and its memory"
                </p>
            </header>
            <div class="scroll" role="region" tabindex="0" aria-labelledby="table-plans">
                <table>
                    <caption class="visually-hidden">"The plan behind each speed-up"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"GPU"</th>
                            <th scope="col">"Year"</th>
                            <th scope="col">"Same plan"</th>
                            <th scope="col">"Best plan"</th>
                            <th scope="col">"Tokens/s per GPU"</th>
                            <th scope="col" class="text">"With"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(generation: &Generation) -> impl IntoView + use<> {
    let times = |speedup: Option<f64>| {
        speedup.map_or_else(|| "–".to_owned(), |speedup| format!("{} ×", format::digits(speedup)))
    };
    let best = generation.best.as_ref();
    let rate = best.map_or_else(|| "–".to_owned(), |best| format::digits(best.tokens_per_second_per_gpu));
    let plan = best.map(|best| {
        let again = recomputed(best.recompute).to_lowercase();
        format!("{}, microbatch {}, recomputes {again}", best.precision.name(), best.microbatch)
    });
    view! {
        <tr>
            <th scope="row">{generation.name.clone()}</th>
            <td>{generation.year}</td>
            <td>{times(generation.same_speedup)}</td>
            <td>{times(generation.best_speedup)}</td>
            <td>{rate}</td>
            <td class="text">
                {plan}
                {generation.why_not.clone().map(|why| view! { <span class="why-not">{why}</span> })}
            </td>
        </tr>
    }
}
