//! Questions from files: a scenario, a checkpoint's `config.json`, a link, or the timeline of a predicted training step.

use super::{Choice, Problem, Profile, Scenario, huggingface, link};
use crate::catalog::{self, Architecture};
use crate::inference::Engine;
use crate::json::Json;
use crate::training::Framework;
use crate::words::Word;

/// Bytes of the longest file that is read. The longest `config.json` of a checkpoint has some ten thousand.
pub const MAX_FILE: usize = 1_000_000;

/// Keys of which every `config.json` has one.
const MARKS: [&str; 4] = ["\"num_hidden_layers\"", "\"n_layer\"", "\"n_layers\"", "\"model_type\""];

/// A key of the metadata of predicted timelines, which no profiler writes.
pub(crate) const TIMELINE: &str = "\"microbatchesLeftOut\"";

/// Reads the question in a file. A checkpoint's `config.json` replaces the model of `current`, and the number format in
/// which it is served if the file states one. A calibration profile replaces the profile of `current`.
pub fn import(current: &Scenario, file: &str) -> Result<Scenario, Vec<Problem>> {
    if let Some(link) = of_timeline(file) {
        return of_link(&link);
    }
    if file.len() > MAX_FILE {
        let message = format!("has {} bytes; at most {MAX_FILE} are read", file.len());
        return Err(vec![Problem::new("file", message)]);
    }
    let file = file.trim_start_matches('\u{feff}').trim();
    if let Some((_, link)) = file.split_once('#').filter(|_| !file.starts_with('{')) {
        return of_link(link);
    }
    if !file.starts_with('{') {
        return Err(vec![Problem::new(
            "file",
            "is of no known kind: a scenario, a link, a config.json, a checkpoint, a benchmark, a log, a trace or a launch command",
        )]);
    }
    let scenario = match huggingface::architecture(file) {
        Ok(model) => return with_model(current, model),
        // A config.json has a count of layers or the name of a type, a scenario file never does.
        Err(problem) if MARKS.iter().any(|mark| file.contains(mark)) => return Err(vec![problem]),
        Err(_) => {
            let scenario = Scenario::from_json(file)?;
            if is_profile(file) {
                Scenario { profile: scenario.profile, ..current.clone() }
            } else {
                scenario
            }
        }
    };
    linked(scenario)
}

fn of_link(link: &str) -> Result<Scenario, Vec<Problem>> {
    let decoded = link::decode(link);
    if decoded.problems.is_empty() { Ok(decoded.scenario) } else { Err(decoded.problems) }
}

/// The link in a predicted timeline to its question.
fn of_timeline(file: &str) -> Option<String> {
    if !file.contains(TIMELINE) {
        return None;
    }
    let timeline = Json::parse(file).ok()?;
    Some(timeline.get("otherData")?.get("question")?.as_text()?.to_owned())
}

/// The question with another model, served in the model's published number format unless the visitor had chosen one.
pub(super) fn with_model(current: &Scenario, model: Architecture) -> Result<Scenario, Vec<Problem>> {
    let mut scenario = Scenario { model: Choice::Explicit(Box::new(model)), ..current.clone() };
    scenario.serve_native(&current.model);
    linked(scenario)
}

/// Refuses a question that is no link: links have limits that documents lack, and the page keeps its question as a link.
fn linked(scenario: Scenario) -> Result<Scenario, Vec<Problem>> {
    let decoded = link::decode(&link::encode(&scenario));
    if decoded.scenario == scenario { Ok(scenario) } else { Err(decoded.problems) }
}

/// Reads the calibration profile in a document. A document without one is refused, as are a device or software that no question
/// has, and factors beyond the limits of the form: the profile would apply to nothing.
pub fn read_profile(file: &str) -> Result<Profile, Vec<Problem>> {
    let scenario = Scenario::from_json(file)?;
    let named = Json::parse(file).ok().is_some_and(|tree| tree.get("profile").is_some());
    if !named || scenario.profile.is_empty() {
        return Err(vec![Problem::new("profile", "is missing: the file has no calibration profile")]);
    }
    let profile = scenario.profile;
    let mut problems = Vec::new();
    let devices = catalog::catalog().accelerators.iter().map(|device| device.id.as_str());
    let near = catalog::nearest(&profile.gpu, devices);
    // A device of one's own has an id that resembles no entry of the catalogue.
    let is_id = profile.gpu.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if catalog::accelerator(&profile.gpu).is_none() && (near.is_some() || !is_id) {
        let message = format!("`{}` is not in the catalogue{}", profile.gpu, catalog::suggestion(near));
        problems.push(Problem::new("profile.gpu", message));
    }
    let software = || Engine::NAMES.iter().chain(Framework::NAMES).copied();
    for word in profile.software.split(',').filter(|word| !word.is_empty()) {
        if !software().any(|known| known == word) {
            let near = catalog::suggestion(catalog::nearest(word, software()));
            problems.push(Problem::new("profile.software", format!("`{word}` is no known software{near}")));
        }
    }
    let scenario = Scenario { profile, ..Scenario::default() };
    problems.extend(scenario.out_of_range());
    if problems.is_empty() { Ok(scenario.profile) } else { Err(problems) }
}

/// Returns true if a document has a calibration profile and nothing else.
fn is_profile(file: &str) -> bool {
    let Ok(Json::Object(fields)) = Json::parse(file) else { return false };
    let has = |name: &str| fields.iter().any(|(key, _)| key == name);
    has("profile") && fields.iter().all(|(key, _)| key == "profile" || key == "version")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::json;

    fn imported(current: &str, file: &str) -> Result<String, String> {
        import(&link::decode(current).scenario, file)
            .map(|scenario| link::encode(&scenario))
            .map_err(|problems| problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn a_scenario_file_is_what_its_link_means() {
        let link = "v=1&view=inference&model=mixtral-8x7b&serve.tp=4";
        let file = link::decode(link).scenario.to_json();
        assert_eq!(imported("v=1", &file).as_deref(), Ok(link));
        let answer = json::estimate_or_problems(&link::decode(link).scenario);
        assert_eq!(answer, json::json(&file));
        assert!(answer["inference"]["ttft"].is_number(), "{answer}");
    }

    #[test]
    fn a_checkpoint_replaces_the_model_and_nothing_else() {
        let config = include_str!("../../tests/fixtures/configs/llama-3.1-8b.json");
        let link = imported("v=1&gpus=64&tp=2&pp=1", config).expect("a question");
        assert!(link.contains("gpus=64") && link.contains("model.layers=32"), "{link}");
        let decoded = link::decode(&link);
        assert_eq!(decoded.problems, []);
        assert!(decoded.scenario.training().is_ok());
    }

    #[test]
    fn a_profile_replaces_the_profile_and_nothing_else() {
        let file = r#"{"profile": {"name": "ours", "kernels": 1.25, "rows": 3}}"#;
        let link = "v=1&gpus=64&tp=2&pp=1";
        let with = format!("{link}&profile.name=ours&profile.kernels=1.25&profile.rows=3");
        assert_eq!(imported(link, file), Ok(with));
        assert_eq!(imported(link, r#"{"profile": {}, "view": "training"}"#).as_deref(), Ok("v=1"));
    }

    #[test]
    fn what_is_no_question_is_explained() {
        for (file, part) in [
            ("", "is of no known kind"),
            ("[]", "is of no known kind"),
            ("{\"modle\": 1}", "did you mean `model`"),
            ("{\"num_hidden_layers\": 2}", "hidden_size"),
            ("https://example.org/#v=1&tpp=8", "no key `tpp`"),
        ] {
            let problems = imported("v=1", file).expect_err("no question");
            assert!(problems.contains(part), "{problems}");
        }
        assert_eq!(imported("v=1", "https://example.org/page?x#v=1&tp=4").as_deref(), Ok("v=1&tp=4"));
        assert!(imported("", &"x".repeat(MAX_FILE + 1)).expect_err("a long file").contains("at most"));
    }
}
