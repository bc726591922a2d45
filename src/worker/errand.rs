//! What scripts beside the page ask for: files become links, links become files.
//!
//! An errand takes texts and brings texts; `public/desk.js` calls it.

use super::{comparison, report};
use crate::answer::json;
use crate::scenario::huggingface;
use crate::scenario::{Choice, Problem, Scenario, link};

/// Bytes of the longest file that is read. The longest `config.json` of a checkpoint has some ten thousand.
const MAX_FILE: usize = 1_000_000;

/// Does what an errand of this name does; nothing if there is none of this name.
///
/// | name | takes | brings |
/// |---|---|---|
/// | `answer` | a link | its answer as JSON |
/// | `scenario` | a link | the scenario file that means the same |
/// | `report` | a link | a page to print about it, as markup |
/// | `compare` | links, joined by `~` | a table of their answers, the first as the baseline, as markup |
/// | `import` | a link, a file | the link of the file's question, then what was wrong, sentence by sentence |
pub fn run(name: &str, texts: &[String]) -> Option<Vec<String>> {
    let text = |index: usize| texts.get(index).map_or("", String::as_str);
    let asked = || link::decode(text(0)).scenario;
    Some(match name {
        "answer" => vec![format!("{:#}\n", answer(&asked()))],
        "scenario" => vec![asked().to_file()],
        "report" => vec![report::markup(&asked())],
        "compare" => {
            let questions =
                link::decode_all(text(0)).into_iter().map(|decoded| decoded.scenario).collect::<Vec<_>>();
            vec![comparison::markup(&questions)]
        }
        "import" => match import(&asked(), text(1)) {
            Ok(scenario) => vec![link::encode(&scenario)],
            Err(problems) => {
                [String::new()].into_iter().chain(problems.iter().map(Problem::to_string)).collect()
            }
        },
        _ => return None,
    })
}

/// The answer to a question, or why there is none.
fn answer(question: &Scenario) -> serde_json::Value {
    json::estimate(question).unwrap_or_else(|problems| json::refusal(&problems))
}

/// The question that a file asks: a scenario, or a checkpoint's `config.json` in place of this question's model.
fn import(asked: &Scenario, file: &str) -> Result<Scenario, Vec<Problem>> {
    if file.len() > MAX_FILE {
        let message = format!("has {} bytes; at most {MAX_FILE} are read", file.len());
        return Err(vec![Problem::new("file", message)]);
    }
    let file = file.trim_start_matches('\u{feff}').trim();
    if let Some((_, link)) = file.split_once('#').filter(|_| !file.starts_with('{')) {
        let decoded = link::decode(link);
        return if decoded.problems.is_empty() { Ok(decoded.scenario) } else { Err(decoded.problems) };
    }
    if !file.starts_with('{') {
        return Err(vec![Problem::new(
            "file",
            "is neither a scenario nor a config.json: both are JSON objects",
        )]);
    }
    let scenario = match huggingface::architecture(file) {
        Ok(model) => Scenario { model: Choice::Explicit(Box::new(model)), ..asked.clone() },
        // A config.json says how many layers there are, a scenario file never does.
        Err(problem) if file.contains("\"num_hidden_layers\"") || file.contains("\"n_layer\"") => {
            return Err(vec![problem]);
        }
        Err(_) => Scenario::from_file(file)?,
    };
    let decoded = link::decode(&link::encode(&scenario));
    if decoded.scenario == scenario { Ok(scenario) } else { Err(decoded.problems) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(name: &str, texts: &[&str]) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        run(name, &texts).expect("an errand")
    }

    #[test]
    fn a_scenario_file_is_what_its_link_means() {
        let link = "v=1&view=inference&model=mixtral-8x7b&serve.tp=4";
        let file = brought("scenario", &[link]).remove(0);
        assert_eq!(brought("import", &["v=1", &file]), [link]);
        let answer: serde_json::Value = serde_json::from_str(&brought("answer", &[link])[0]).expect("JSON");
        assert_eq!(answer, json::json(&file));
        assert!(answer["inference"]["ttft"].is_number(), "{answer}");
    }

    #[test]
    fn a_checkpoint_replaces_the_model_and_nothing_else() {
        let config = include_str!("../../tests/fixtures/configs/llama-3.1-8b.json");
        let link = brought("import", &["v=1&gpus=64&tp=2&pp=1", config]).remove(0);
        assert!(link.contains("gpus=64") && link.contains("model.layers=32"), "{link}");
        let decoded = link::decode(&link);
        assert_eq!(decoded.problems, []);
        assert!(decoded.scenario.training().is_ok());
    }

    #[test]
    fn what_is_no_question_is_explained() {
        for (file, says) in [
            ("", "JSON objects"),
            ("[]", "JSON objects"),
            ("{\"modle\": 1}", "did you mean `model`"),
            ("{\"num_hidden_layers\": 2}", "hidden_size"),
            ("https://example.org/#v=1&tpp=8", "no such key"),
        ] {
            let brought = brought("import", &["v=1", file]);
            assert!(brought[0].is_empty() && brought[1].contains(says), "{brought:?}");
        }
        assert_eq!(brought("import", &["v=1", "https://example.org/page?x#v=1&tp=4"]), ["v=1&tp=4"]);
        assert!(brought("import", &["", &"x".repeat(MAX_FILE + 1)])[1].contains("at most"));
    }

    #[test]
    fn other_names_are_no_errands() {
        assert_eq!(run("dance", &[]), None);
    }
}
