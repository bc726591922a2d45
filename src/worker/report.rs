//! A question, its answer and what it rests on, on one page of paper.

use super::comparison::title;
use crate::answer::{self, html};
use crate::figure::{Size, escape};
use crate::scenario::{Scenario, View, link};

/// What does not matter in a view, by the beginning of its document paths.
fn beside(view: View) -> &'static [&'static str] {
    match view {
        View::Training | View::Generations => &["view", "inference.", "errors."],
        View::Inference => &["view", "parallelism.", "recipe.", "errors.", "system.gpus"],
        _ => &["view"],
    }
}

/// The report as markup.
pub(super) fn markup(question: &Scenario) -> String {
    let answer = match question.view {
        View::Training => answer::training(question, Size::Wide),
        View::Inference => answer::inference(question, Size::Wide),
        View::Generations => answer::generations(question, Size::Wide),
        _ => return "<p>This view has no report: ask for training, inference or generations</p>".to_owned(),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(problems) => {
            return html::each(&problems, |problem| format!("<p>{}</p>", escape(&problem.to_string())));
        }
    };
    let mut assumptions: Vec<&str> = Vec::new();
    for line in answer.files.figures.iter().flat_map(|figure| &figure.assumptions) {
        if !assumptions.contains(&line.as_str()) {
            assumptions.push(line);
        }
    }
    let basis = question.basis();
    if !basis.is_empty() {
        assumptions.insert(0, &basis);
    }
    let figure = answer.files.figures.first().map_or_else(String::new, |figure| {
        format!(
            r#"<p class="finding">{}</p><div class="drawing">{}</div>"#,
            escape(&figure.finding),
            figure.svg
        )
    });
    format!(
        concat!(
            r#"<h3>{title}</h3><div class="headline"><dl>{headline}</dl></div>{figure}"#,
            r#"<h4>Assumptions</h4><ul>{assumptions}</ul>"#,
            r#"<h4>The question</h4><ul class="columns">{settings}{constants}</ul>"#,
        ),
        title = escape(&title(question)),
        headline = answer.headline,
        figure = figure,
        assumptions = html::each(assumptions, |line| format!("<li>{}</li>", escape(line))),
        settings = settings(question),
        constants = html::each(&question.constants, |(key, value)| setting(key, &value.to_string(), true)),
    )
}

/// What was asked, what differs from the defaults emphasised.
fn settings(question: &Scenario) -> String {
    let usual = link::settings(&Scenario::default());
    html::each(link::settings(question).into_iter().zip(usual), |((path, value), (_, usual))| {
        let aside = value == "null" || beside(question.view).iter().any(|part| path.starts_with(part));
        if aside { String::new() } else { setting(path, &value, value != usual) }
    })
}

fn setting(path: &str, value: &str, chosen: bool) -> String {
    let value = escape(value);
    let value = if chosen { format!("<b>{value}</b>") } else { value };
    format!("<li>{} {value}</li>", escape(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(link: &str) -> String {
        markup(&link::decode(link).scenario)
    }

    #[test]
    fn it_says_the_question_the_answer_and_what_it_rests_on() {
        let report = report("v=1&tp=4&constants.reserve=2e9");
        for part in
            ["data-answer=\"step\"", "<svg", "Assumptions", "parallelism.tensor <b>4</b>", "system.gpus 512"]
        {
            assert!(report.contains(part), "{part}: {report}");
        }
        assert!(!report.contains("inference.input") && !report.contains("system.dram_gib"), "{report}");
    }

    #[test]
    fn without_an_answer_it_says_why() {
        assert!(report("v=1&tp=7").starts_with("<p>parallelism.tensor: "));
        assert!(!report("v=1&model=%3Cimg%3E").contains("<img"));
        assert!(report("v=1&view=validation").contains("no report"));
    }
}
