//! Requests in the formats of load generators: Mooncake's and AIPerf's JSON lines, vLLM's custom dataset, ShareGPT.

use super::sessions::Turn;
use super::{Fault, Format};
use crate::json::Json;

/// Characters of a token, from which the tokens of a text are estimated: OpenAI's rule of thumb for English text
/// (help.openai.com, "What are tokens and how to count them"). Code and other languages have fewer.
const CHARACTERS: f64 = 4.0;

/// Limits of `vllm bench serve` for conversations of ShareGPT (vllm-project/vllm, `is_valid_sequence`): fewest tokens of a prompt and
/// of an answer, most tokens of a prompt, and of both together.
const SHORTEST: f64 = 4.0;
const LONGEST_PROMPT: f64 = 1024.0;
const LONGEST: f64 = 2048.0;

/// Milliseconds of a second.
const MS: f64 = 1e3;

/// Requests as a file has them.
#[derive(Debug)]
pub(super) struct Dataset {
    pub(super) format: Format,
    pub(super) turns: Vec<Turn>,
    /// True if token counts are estimated from texts.
    pub(super) estimated: bool,
    /// Number of conversations outside the limits of `vllm bench serve`.
    pub(super) skipped: usize,
}

/// Reads JSON, or JSON lines, of which invalid ones, such as a truncated last one, are skipped.
pub(super) fn read(text: &str) -> Result<Dataset, Fault> {
    if text.starts_with('[') {
        let all = Json::parse(text).map_err(|_| Fault::Unknown)?;
        return share_gpt(all.items().iter());
    }
    let first = text.lines().next().unwrap_or_default();
    let first = Json::parse(first.trim()).map_err(|_| Fault::Unknown)?;
    let has = |keys: &[&str]| keys.iter().any(|key| first.get(key).is_some());
    let lines = || text.lines().filter_map(|line| Json::parse(line.trim()).ok());
    if has(&["conversations"]) {
        return share_gpt(lines().collect::<Vec<_>>().iter());
    }
    let (format, field) = if has(&["turns", "text", "texts", "text_input", "messages", "session_id"]) {
        (Format::Aiperf, "output_length")
    } else if has(&["input_length"]) {
        (Format::Mooncake, "output_length")
    } else if has(&["prompt"]) {
        (Format::VllmCustom, "output_tokens")
    } else {
        return Err(Fault::Unknown);
    };
    let mut dataset = Dataset { format, turns: Vec::new(), estimated: false, skipped: 0 };
    for (place, line) in lines().enumerate() {
        if line.get("turns").is_none() {
            dataset.turns.extend(turn(&line, session(&line), &mut dataset.estimated));
            continue;
        }
        // Each conversation without an id is a session.
        let name = session(&line).unwrap_or_else(|| format!("\n{place}"));
        let turns = line.list("turns").iter();
        let turns = turns.filter_map(|line| turn(line, Some(name.clone()), &mut dataset.estimated));
        dataset.turns.extend(turns);
    }
    if dataset.turns.iter().all(|turn| turn.output.is_none()) {
        return Err(Fault::Outputs { format, field });
    }
    Ok(dataset)
}

/// The name of a line's session.
fn session(line: &Json<'_>) -> Option<String> {
    let id = line.get("session_id")?;
    id.as_text().map(str::to_owned).or_else(|| id.as_number().map(|id| id.to_string()))
}

/// A request, or a turn of a session; `None` if its prompt is neither a length nor text.
fn turn(line: &Json<'_>, session: Option<String>, estimated: &mut bool) -> Option<Turn> {
    let number = |key: &str| line.get(key).and_then(Json::as_number);
    let messages = line.get("messages").filter(|_| line.get("message_mode").is_none());
    let input = number("input_length").or_else(|| {
        *estimated = true;
        prompt_characters(line).map(tokens)
    })?;
    let blocks: Vec<u64> =
        line.list("hash_ids").iter().filter_map(Json::as_number).map(|id| id as u64).collect();
    let delay = number("delay").unwrap_or(0.0) / MS;
    Some(Turn {
        session,
        arrival: number("timestamp").map(|time| time / MS),
        delay: if delay.is_finite() { delay.max(0.0) } else { 0.0 },
        input,
        // Hashes and message lists cover the whole prompt, earlier turns included.
        whole: messages.is_some() || !blocks.is_empty(),
        output: number("output_length").or_else(|| number("output_tokens")),
        blocks,
    })
}

/// Characters of a text; `None` if the value is no text.
fn characters(value: &Json<'_>) -> Option<usize> {
    value.as_text().map(|text| text.chars().count())
}

/// Characters of a line's prompt: one text, several texts or messages.
fn prompt_characters(line: &Json<'_>) -> Option<usize> {
    let one = ["text_input", "text", "prompt"].into_iter().find_map(|key| characters(line.get(key)?));
    let several = |key: &str, of: fn(&Json<'_>) -> Option<usize>| {
        let items = line.list(key);
        (!items.is_empty()).then(|| items.iter().filter_map(of).sum())
    };
    one.or_else(|| several("texts", characters))
        .or_else(|| several("messages", |message| characters(message.get("content")?)))
}

/// Estimated tokens of a text of this many characters.
fn tokens(characters: usize) -> f64 {
    libm::ceil(characters as f64 / CHARACTERS)
}

/// Reads conversations of ShareGPT: the first message as the prompt, the second as the answer, as `vllm bench serve` sends them.
fn share_gpt<'a>(all: impl Iterator<Item = &'a Json<'a>>) -> Result<Dataset, Fault> {
    let format = Format::ShareGpt;
    let mut dataset = Dataset { format, turns: Vec::new(), estimated: true, skipped: 0 };
    let mut found = false;
    for conversation in all {
        found |= conversation.get("conversations").is_some();
        let [prompt, answer, ..] = conversation.list("conversations") else {
            dataset.skipped += 1;
            continue;
        };
        let of = |message: &Json<'_>| message.get("value").and_then(characters).map_or(0.0, tokens);
        let (input, output) = (of(prompt), of(answer));
        if input.min(output) < SHORTEST || input > LONGEST_PROMPT || input + output > LONGEST {
            dataset.skipped += 1;
            continue;
        }
        dataset.turns.push(Turn { input, output: Some(output), ..Turn::default() });
    }
    match (found, dataset.turns.is_empty()) {
        (false, _) => Err(Fault::Unknown),
        (true, true) => Err(Fault::Empty { format }),
        (true, false) => Ok(dataset),
    }
}
