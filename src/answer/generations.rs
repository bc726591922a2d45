//! The Generations view: what the same plan gains on each device, and what its best plan gains.

use super::{Answer, Files, html};
use crate::figure::{self, Size, escape};
use crate::generations::Generation;
use crate::scenario::{Problem, Scenario};
use crate::units::format;

/// The device of whose speed-up the headline always tells.
const SUBJECT: &str = "b200";

/// The answer about the device generations.
pub fn generations(question: &Scenario, size: Size) -> Result<Answer, Vec<Problem>> {
    let generations = question.generations()?;
    let figures = vec![figure::speedup(&generations, size)];
    Ok(Answer {
        headline: numbers(&generations),
        figures: html::each(&figures, html::figure) + &plans(&generations),
        files: Files { figures, ..Files::default() },
    })
}

fn times(speedup: Option<f64>) -> String {
    speedup.map_or_else(|| "–".to_owned(), |speedup| format!("{} ×", format::digits(speedup)))
}

fn numbers(generations: &[Generation]) -> String {
    let number = |id: &str, label: &str, generation: &Generation| {
        let note = format!("{} with the same plan", times(generation.same_speedup));
        html::card(id, label, &times(generation.best_speedup), &note)
    };
    let subject = generations.iter().find(|generation| generation.accelerator == SUBJECT);
    let best = generations.iter().max_by(|a, b| {
        let speed = |generation: &Generation| generation.best_speedup.unwrap_or(0.0);
        speed(a).total_cmp(&speed(b))
    });
    let subject = subject.map(|it| number("speedup-b200", &format!("{} over A100", it.name), it));
    let best = best.map(|it| number("speedup-best", &format!("Fastest: {}", it.name), it));
    [subject, best].map(Option::unwrap_or_default).concat()
}

/// The generations as a table, with the plan behind each best number.
fn plans(generations: &[Generation]) -> String {
    let head = html::headings(["GPU", "Year", "Same plan", "Best plan", "Tokens/s per GPU", "*With"]);
    let body = html::each(generations, row);
    let title = "The plan behind each speed-up";
    let finding = "The same plan changes only the GPU; the best plan also uses its formats and its memory";
    html::table("plans", title, finding, (&head, &format!("<tbody>{body}</tbody>")), "")
}

fn row(generation: &Generation) -> String {
    let best = generation.best.as_ref();
    let rate = best.map_or_else(|| "–".to_owned(), |best| format::digits(best.tokens_per_second_per_gpu));
    let plan = best.map_or_else(String::new, |best| {
        let again = best.recompute.name().to_ascii_lowercase();
        format!("{}, microbatch {}, recomputes {again}", best.precision.name(), best.microbatch)
    });
    let why =
        generation.why_not.as_deref().map(|why| format!(r#"<span class="why-not">{}</span>"#, escape(why)));
    format!(
        concat!(
            r#"<tr><th scope="row">{name}</th><td>{year}</td><td>{same}</td><td>{best}</td><td>{rate}</td>"#,
            r#"<td class="text">{plan}{why}</td></tr>"#,
        ),
        name = escape(&generation.name),
        year = generation.year,
        same = times(generation.same_speedup),
        best = times(generation.best_speedup),
        rate = rate,
        plan = plan,
        why = why.unwrap_or_default(),
    )
}
