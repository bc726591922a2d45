//! A question, its answer and what it rests on, on one page of paper.

use super::comparison::title;
use crate::answer::{self, html};
use crate::figure::{Size, escape};
use crate::scenario::{Scenario, View, fields, link};

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
    let (said, usual) = (link::settings(question), link::settings(&Scenario::default()));
    let value = |settings: &[(&str, String)], path: &str| {
        settings.iter().find(|(known, _)| *known == path).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    html::each(fields::of_view(question.view), |field| {
        let (said, usual) = (value(&said, field.path), value(&usual, field.path));
        // What the device or the model decides unless somebody else does.
        if said == "null" { String::new() } else { setting(field.label, &said, said != usual) }
    })
}

fn setting(name: &str, value: &str, chosen: bool) -> String {
    let value = escape(value);
    let value = if chosen { format!("<b>{value}</b>") } else { value };
    format!("<li>{}: {value}</li>", escape(name))
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
            ["data-answer=\"step\"", "<svg", "Assumptions", "<li>Tensor: <b>4</b></li>", "<li>GPUs: 512</li>"]
        {
            assert!(report.contains(part), "{part}: {report}");
        }
        assert!(!report.contains("<li>Input:") && !report.contains("<li>DRAM:"), "{report}");
    }

    #[test]
    fn without_an_answer_it_says_why() {
        assert!(report("v=1&tp=7").starts_with("<p>parallelism.tensor: "));
        assert!(!report("v=1&model=%3Cimg%3E").contains("<img"));
        assert!(report("v=1&view=validation").contains("no report"));
    }
}
