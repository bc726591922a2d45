//! Several questions side by side: what differs between them, and their answers with ratios to the first.

use crate::answer::html;
use crate::figure::escape;
use crate::scenario::{Choice, Problem, Scenario, View};
use crate::scenario::{fields, link};
use crate::units::format;

/// A number of an answer.
struct Number {
    label: &'static str,
    value: f64,
    shown: String,
}

fn number(label: &'static str, value: impl Into<f64>, shown: String) -> Number {
    Number { label, value: value.into(), shown }
}

/// The numbers of a question's answer, or why it has none.
fn numbers(question: &Scenario) -> Result<Vec<Number>, Vec<Problem>> {
    match question.view {
        View::Training => question.training().map(|estimate| {
            vec![
                number("Step time", estimate.step.get(), format::time(estimate.step)),
                number("MFU", estimate.mfu, format::percent(estimate.mfu)),
                number(
                    "Tokens per second",
                    estimate.tokens_per_second,
                    format::digits(estimate.tokens_per_second),
                ),
                number(
                    "Tokens per second and GPU",
                    estimate.tokens_per_second_per_gpu,
                    format::digits(estimate.tokens_per_second_per_gpu),
                ),
                number("Time to the token budget", estimate.run.get(), format::time(estimate.run)),
                memory(estimate.memory.total()),
            ]
        }),
        View::Inference => question.inference().map(|estimate| {
            vec![
                number("Time to first token", estimate.ttft.get(), format::time(estimate.ttft)),
                number("Time per output token", estimate.tpot.get(), format::time(estimate.tpot)),
                number("Request latency", estimate.latency.get(), format::time(estimate.latency)),
                number(
                    "Output tokens per second",
                    estimate.tokens_per_second,
                    format::digits(estimate.tokens_per_second),
                ),
                number(
                    "Largest batch",
                    estimate.largest_batch,
                    format::grouped(estimate.largest_batch.into()),
                ),
                memory(estimate.memory.total()),
            ]
        }),
        _ => Err(vec![Problem::new("view", "only training and inference have numbers to compare")]),
    }
}

fn memory(bytes: crate::units::Bytes) -> Number {
    number("Memory per GPU", bytes.get(), format::memory(bytes))
}

/// What a question is about, in a few words.
pub(super) fn title(question: &Scenario) -> String {
    let model = match (&question.model, question.architecture()) {
        (_, Ok(model)) => model.name.clone(),
        (Choice::Named(id), Err(_)) => id.clone(),
        (Choice::Explicit(model), Err(_)) => model.name.clone(),
    };
    let device =
        question.system.accelerator().map_or_else(|_| "an unknown device".to_owned(), |device| device.name);
    let gpus =
        if question.view == View::Inference { question.inference.tensor } else { question.system.gpus };
    format!("{model} on {} × {device}", format::grouped(gpus.into()))
}

/// The table. Its buttons are `public/compare.js`'s, by `data-ask`, `data-baseline` and `data-remove`.
pub(super) fn markup(questions: &[Scenario]) -> String {
    let answers: Vec<_> = questions.iter().map(numbers).collect();
    let head = html::each(questions.iter().enumerate(), |(index, question)| {
        let name = escape(&title(question));
        let role = if index == 0 {
            "Baseline".to_owned()
        } else {
            format!(r#"<button type="button" data-baseline="{index}">Make baseline</button>"#)
        };
        format!(
            concat!(
                r#"<th scope="col"><p>{name}</p><button type="button" data-ask="{index}">Open</button> {role} "#,
                r#"<button type="button" data-remove="{index}">Remove</button></th>"#,
            ),
            name = name,
            role = role,
            index = index,
        )
    });
    format!(
        concat!(
            r#"<div class="scroll" role="region" tabindex="0" aria-label="Comparison"><table>"#,
            r#"<thead><tr><td></td>{head}</tr></thead>"#,
            "<tbody>{settings}</tbody><tbody>{answers}{refusals}</tbody></table></div>",
        ),
        head = head,
        settings = settings(questions),
        refusals = refusals(&answers),
        answers = compared(&answers),
    )
}

fn row(name: &str, class: &str, cells: &[String]) -> String {
    let cells = html::each(cells, |cell| format!("<td{class}>{cell}</td>"));
    format!(r#"<tr><th scope="row">{}</th>{cells}</tr>"#, escape(name))
}

/// What the questions do not have in common, by the name that it has in the form.
fn settings(questions: &[Scenario]) -> String {
    let columns: Vec<_> = questions.iter().map(link::settings).collect();
    let rows = columns.first().map_or(0, Vec::len);
    html::each(0..rows, |position| {
        let values: Vec<String> = columns.iter().map(|column| escape(&column[position].1)).collect();
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            return String::new();
        }
        let path = columns[0][position].0;
        let name = fields::field(path).map_or_else(|| path.to_owned(), fields::Field::name);
        row(&name, "", &values)
    })
}

/// The numbers, each with its ratio to the first answer's.
fn compared(answers: &[Result<Vec<Number>, Vec<Problem>>]) -> String {
    let answered = || answers.iter().filter_map(|answer| answer.as_ref().ok());
    let mut labels: Vec<&str> = Vec::new();
    for number in answered().flatten() {
        if !labels.contains(&number.label) {
            labels.push(number.label);
        }
    }
    html::each(labels, |label| {
        let of = |answer: &Result<Vec<Number>, Vec<Problem>>| -> Option<(f64, String)> {
            let number = answer.as_ref().ok()?.iter().find(|number| number.label == label)?;
            Some((number.value, number.shown.clone()))
        };
        let baseline = answers.first().and_then(of).map(|(value, _)| value).filter(|value| *value > 0.0);
        let cells: Vec<String> = answers
            .iter()
            .enumerate()
            .map(|(index, answer)| match (of(answer), baseline) {
                (Some((value, shown)), Some(baseline)) if index > 0 => {
                    format!("{} <b>{}</b>", escape(&shown), format::times(value / baseline))
                }
                (Some((_, shown)), _) => escape(&shown),
                (None, _) => "–".to_owned(),
            })
            .collect();
        row(label, r#" class="amount""#, &cells)
    })
}

/// Why some questions have no answer.
fn refusals(answers: &[Result<Vec<Number>, Vec<Problem>>]) -> String {
    if answers.iter().all(Result::is_ok) {
        return String::new();
    }
    let cells: Vec<String> = answers
        .iter()
        .map(|answer| match answer {
            Ok(_) => String::new(),
            Err(problems) => {
                html::each(problems, |problem| format!("<p>{}</p>", escape(&problem.to_string())))
            }
        })
        .collect();
    row("Without an answer", "", &cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(links: &str) -> String {
        let questions: Vec<_> = link::decode_all(links).into_iter().map(|decoded| decoded.scenario).collect();
        markup(&questions)
    }

    #[test]
    fn ratios_are_to_the_first() {
        let table = table("v=1&tp=8~v=1&tp=4~v=1&tp=8");
        assert!(
            table.contains("<th scope=\"row\">Parallelism: Tensor</th><td>8</td><td>4</td><td>8</td>"),
            "{table}"
        );
        assert!(!table.contains("Pipeline"), "{table}");
        assert_eq!(table.matches("<b>1.00×</b>").count(), 6, "{table}");
        assert_eq!((table.matches("data-baseline").count(), table.matches("data-remove").count()), (2, 3));
    }

    #[test]
    fn what_has_no_answer_says_why() {
        let table = table("v=1~v=1&tp=7~v=1&view=inference&serve.tp=4~v=1&model=%3Cimg%3E");
        assert!(table.contains("Without an answer") && table.contains("parallelism.tensor: "), "{table}");
        assert!(table.contains("Time to first token") && table.contains("Step time"), "{table}");
        assert!(!table.contains("<img"), "{table}");
    }

    #[test]
    fn no_more_are_compared_than_are_read() {
        assert_eq!(table(&["v=1"; 20].join("~")).matches("data-remove").count(), link::MAX_COMPARED);
    }
}
