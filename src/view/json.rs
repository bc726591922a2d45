//! Questions and answers as JSON, for programs and notebooks.

mod answer;

use serde_json::{Value, json};

use super::{Answer, Comparison, Question, Views, trace};
use crate::figure::Size;
use crate::json::Json;
use crate::scenario::link::{self, Decoded};
use crate::scenario::{Problem, Profile, Scenario, View};

/// The estimate of a scenario file's question, as an object named by its view; or `error` and `problems`.
pub fn json(document: &str) -> Value {
    or_refusal(Scenario::from_json(document).and_then(|scenario| estimate(&scenario)))
}

/// The estimate of a question, under the name of its view.
pub fn estimate(scenario: &Scenario) -> Result<Value, Vec<Problem>> {
    let mut value = estimated(scenario)?;
    if scenario.is_corrected() {
        value["profile"] = json!(scenario.profile);
    }
    // Import warnings about the model affect every number.
    if let Some(warnings) =
        scenario.architecture().ok().map(|model| &model.warnings).filter(|some| !some.is_empty())
    {
        value["warnings"] = json!(warnings);
    }
    Ok(value)
}

/// A question, the ones that are pinned beside it, and notices about the link that they were read from.
struct Asked {
    scenario: Scenario,
    pinned: Vec<Scenario>,
    notices: Vec<Problem>,
}

impl Asked {
    /// A question that no link asks.
    const fn of(scenario: Scenario) -> Self {
        Self { scenario, pinned: Vec::new(), notices: Vec::new() }
    }
}

/// The question of a link, with the ones that are pinned beside it; the error lists the problems of the link.
fn linked(link: &str) -> Result<Asked, Vec<Problem>> {
    let mut links = link::decode_all(link).into_iter();
    let Decoded { scenario, mut problems, mut notices, .. } =
        links.next().unwrap_or_else(|| link::decode(""));
    let mut pinned = Vec::new();
    for other in links {
        if !other.pin {
            let message = "the link compares questions, and a drawing needs one: the program `predict` compares the questions of \
                           a link; with `pin=true` the charts of the first question have the others' curves";
            return Err(vec![Problem::new("link", message)]);
        }
        problems.extend(other.problems);
        notices.extend(other.notices);
        pinned.push(other.scenario);
    }
    if problems.is_empty() { Ok(Asked { scenario, pinned, notices }) } else { Err(problems) }
}

/// Adds notices to the warnings of an answer.
fn warn(value: &mut Value, notices: &[Problem]) {
    if notices.is_empty() {
        return;
    }
    let warnings = &mut value["warnings"];
    let known = warnings.as_array().cloned().unwrap_or_default();
    *warnings = known.into_iter().chain(notices.iter().map(|notice| json!(notice.to_string()))).collect();
}

/// Returns true for an array of scenarios and for a link of several questions.
fn is_comparison(text: &str) -> bool {
    is_array(text) || fragment(text).starts_with("v=") && fragment(text).contains(link::AND)
}

/// Returns true for a JSON array.
fn is_array(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

/// The part of an address that holds a question.
fn fragment(text: &str) -> &str {
    let text = text.trim();
    text.split_once('#').map_or(text, |(_, fragment)| fragment)
}

/// The scenarios of an array.
fn listed(array: &str) -> Result<Vec<Scenario>, Vec<Problem>> {
    let fault = |message: String| vec![Problem::new("", message)];
    let entries =
        Json::parse(array).map_err(|why| fault(format!("the array of scenarios is broken: {why}")))?;
    if entries.items().is_empty() {
        return Err(fault("the array has no scenario to compare".to_owned()));
    }
    entries.items().iter().map(Scenario::of_json).collect()
}

/// The questions of a link, with notices about it; the error lists the problems of all.
fn joined(link: &str) -> Result<(Vec<Scenario>, Vec<Problem>), Vec<Problem>> {
    let (mut questions, mut problems, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    for decoded in link::decode_all(fragment(link)) {
        questions.push(decoded.scenario);
        problems.extend(decoded.problems);
        notices.extend(decoded.notices);
    }
    if problems.is_empty() { Ok((questions, notices)) } else { Err(problems) }
}

fn estimated(scenario: &Scenario) -> Result<Value, Vec<Problem>> {
    match scenario.view {
        View::Training => scenario.training().map(|estimate| json!({ "training": estimate })),
        View::Inference => scenario.inference().map(|estimate| json!({ "inference": estimate })),
        View::Generations => scenario.generations().map(|rows| json!({ "generations": rows })),
        other => {
            let name = other.name();
            let message =
                format!("the {name} view has no estimate: ask for training, inference or generations");
            Err(vec![Problem::new("view", message)])
        }
    }
}

/// The estimate of a question under the name of its view, or `error` and `problems`.
pub fn estimate_or_problems(scenario: &Scenario) -> Value {
    or_refusal(estimate(scenario))
}

/// Reason why there is no answer.
pub fn refusal(problems: &[Problem]) -> Value {
    let sentences: Vec<String> = problems.iter().map(ToString::to_string).collect();
    json!({ "error": sentences.join("; "), "problems": problems })
}

fn or_refusal(value: Result<Value, Vec<Problem>>) -> Value {
    value.unwrap_or_else(|problems| refusal(&problems))
}

/// Supplies the text of a file beside the program, or the reason of a failure.
pub type Read = fn(&str) -> Result<String, String>;

/// Answers whole questions one after another: what the page shows, by the steps that the page takes.
///
/// Views keep what they have read and computed, so that questions about the same job share a search.
pub struct Answers {
    views: Views,
    read: Read,
    profile: Profile,
    size: Size,
}

impl Answers {
    /// Answers to questions, of which some need a file that `read` gives.
    pub fn reading(read: Read) -> Self {
        Self { views: Views::default(), read, profile: Profile::default(), size: Size::Wide }
    }

    /// Draws figures in a size, which is [`Size::Wide`] unless told.
    #[must_use]
    pub fn drawn(self, size: Size) -> Self {
        Self { size, ..self }
    }

    /// Applies a calibration profile to documents that have none.
    #[must_use]
    pub fn under(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// The question with its own profile, or that of all questions.
    fn profiled(&self, scenario: Scenario) -> Scenario {
        let own = !scenario.profile.is_empty();
        if own { scenario } else { Scenario { profile: self.profile.clone(), ..scenario } }
    }

    /// The question of a text: a scenario file, a link of the page (`https://…#v=1&gpus=64`) or its part after `#`.
    fn question(&self, text: &str) -> Result<Asked, Vec<Problem>> {
        let (text, fragment) = (text.trim(), fragment(text));
        if is_comparison(text) {
            let message = "a comparison has no estimate or timeline: give one scenario or link a line";
            return Err(vec![Problem::new("", message)]);
        }
        if text.starts_with('{') || !fragment.starts_with("v=") {
            let scenario = self.profiled(Scenario::from_json(text)?);
            return Ok(Asked::of(scenario));
        }
        let asked = linked(fragment)?;
        Ok(Asked { scenario: self.profiled(asked.scenario), ..asked })
    }

    /// The estimate of a scenario file's or link's question, as [`json()`] gives it.
    pub fn estimate(&self, question: &str) -> Value {
        or_refusal(self.question(question).and_then(|asked| {
            let mut value = estimate(&asked.scenario)?;
            warn(&mut value, &asked.notices);
            Ok(value)
        }))
    }

    /// The timeline of a scenario file's or link's training step as a Chrome trace; or `error` and `problems`.
    pub fn timeline(&self, question: &str) -> Value {
        let trace = self.question(question).and_then(|asked| trace::chrome(&asked.scenario));
        or_refusal(trace.map(|trace| json!(trace)))
    }

    /// The answer to a scenario file's or link's question: its estimate under the name of its view, where the view has one, and
    /// under `answer` everything that the page shows but the drawings. An array of scenarios, or a link of several questions, gives
    /// a `comparison`.
    pub fn json(&mut self, question: &str) -> Value {
        or_refusal(if is_comparison(question) {
            self.compared(question)
        } else {
            self.question(question).and_then(|asked| self.whole(asked))
        })
    }

    /// The answer to a link's question, with its drawings.
    pub fn answer(&mut self, link: &str) -> Result<Answer, Vec<Problem>> {
        self.drawing(linked(link)?)
    }

    /// The answer to a link's question, like [`Self::json`]; the error lists the problems of the link.
    pub fn of_link(&mut self, link: &str) -> Result<Value, Vec<Problem>> {
        self.whole(linked(link)?)
    }

    /// The answer to a question, with its drawings.
    fn drawing(&mut self, Asked { scenario, pinned, .. }: Asked) -> Result<Answer, Vec<Problem>> {
        self.views.whole(Question::new(scenario, self.size).beside(pinned), &self.read)
    }

    fn whole(&mut self, asked: Asked) -> Result<Value, Vec<Problem>> {
        let scenario = &asked.scenario;
        // A question that does not fit has no estimate, but an answer with alternatives.
        let mut value = if scenario.view.has_estimate() { or_refusal(estimate(scenario)) } else { json!({}) };
        warn(&mut value, &asked.notices);
        value["answer"] = answer::value(&self.drawing(asked)?);
        Ok(value)
    }

    /// The comparison of the scenarios of an array or of the questions of a link, the baseline first.
    fn compared(&self, text: &str) -> Result<Value, Vec<Problem>> {
        let (questions, notices) = if is_array(text) { (listed(text)?, Vec::new()) } else { joined(text)? };
        let questions: Vec<Scenario> =
            questions.into_iter().map(|scenario| self.profiled(scenario)).collect();
        let mut value = json!({ "comparison": answer::comparison(&Comparison::of(&questions)) });
        warn(&mut value, &notices);
        Ok(value)
    }
}
