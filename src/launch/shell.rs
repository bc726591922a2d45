//! Splits shell text into invocations: program, flags and values.

use std::collections::BTreeMap;

/// Maximum lines of one command, with its continuation lines and multi-line quoted arguments.
const MOST_LINES: usize = 64;

/// One command of a shell text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Invocation {
    /// The words of the command, with quotes removed and variables expanded.
    pub(super) words: Vec<String>,
    /// Shell variables assigned before the command.
    pub(super) variables: BTreeMap<String, String>,
    /// `key: value` lines of YAML before the command. Nested keys are joined with dots.
    pub(super) settings: BTreeMap<String, String>,
}

/// The commands of a text in their order. Comments, and lines that are not valid shell words, are skipped.
pub(super) fn invocations(text: &str) -> Vec<Invocation> {
    let mut found = Vec::new();
    let (mut variables, mut settings) = (BTreeMap::new(), BTreeMap::new());
    let mut nesting: Vec<(usize, String)> = Vec::new();
    let mut arrays: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Line { indent, words, text } in lines(text) {
        if let Some((name, items)) = list(&words) {
            let items = items.iter().map(|word| replaced(word, &variables)).collect();
            arrays.insert(name, items);
            continue;
        }
        if let Some((key, value)) = setting(&text) {
            nesting.retain(|(outer, _)| *outer < indent);
            nesting.push((indent, key.to_owned()));
            let path: Vec<&str> = nesting.iter().map(|(_, key)| key.as_str()).collect();
            settings.insert(path.join("."), value.trim_matches(['"', '\'']).to_owned());
            continue;
        }
        for command in words.split(|word| matches!(word.as_str(), "&&" | "&" | ";" | "|" | "||")) {
            let mut command: Vec<String> = command
                .iter()
                .flat_map(|word| match array(word).and_then(|name| arrays.get(name)) {
                    Some(items) => items.clone(),
                    None => vec![replaced(word, &variables)],
                })
                .collect();
            take_assignments(&mut command, &mut variables);
            // Another file of settings begins: `cat > decode.yaml <<'EOF'`.
            if command.first().is_some_and(|word| word == "cat") {
                settings.clear();
            }
            if !command.is_empty() {
                let variables = variables.clone();
                found.push(Invocation { words: command, variables, settings: settings.clone() });
            }
        }
    }
    found
}

/// Takes the assignments in front of a command, each with or without `export`.
fn take_assignments(command: &mut Vec<String>, variables: &mut BTreeMap<String, String>) {
    loop {
        if command.first().is_some_and(|word| word == "export") {
            command.remove(0);
        }
        let Some((name, value)) = command.first().and_then(|word| assignment(word)) else { break };
        variables.insert(name.to_owned(), value.to_owned());
        command.remove(0);
    }
}

/// A line of shell text joined with its continuation lines. `indent` is in bytes.
struct Line {
    indent: usize,
    words: Vec<String>,
    text: String,
}

fn lines(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(first) = lines.next() {
        let mut line = first.to_owned();
        let mut spanned = 1;
        let words = loop {
            let continued = line.trim_end().strip_suffix('\\').map(str::to_owned);
            let open = continued.is_none().then(|| shlex::split(&line));
            match (continued, open) {
                (_, Some(Some(words))) if !is_open(&words) => break words,
                (start, _) if spanned < MOST_LINES => {
                    let Some(next) = lines.next() else { break Vec::new() };
                    line = match start {
                        Some(start) => format!("{start} {}", next.trim_start()),
                        None => format!("{line}\n{next}"),
                    };
                    spanned += 1;
                }
                _ => break Vec::new(),
            }
        };
        if !words.is_empty() {
            let indent = line.len() - line.trim_start().len();
            found.push(Line { indent, words, text: line.trim().to_owned() });
        }
    }
    found
}

/// Key and value of a YAML line: `key: value`, or `key:` with an empty value.
fn setting(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let plain = |mark: char| mark.is_ascii_alphanumeric() || mark == '_';
    let fine = key.chars().all(plain) && !key.is_empty() && (value.is_empty() || value.starts_with(' '));
    fine.then_some((key, value.trim()))
}

/// Name and value of a shell assignment `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let plain = |mark: char| mark.is_ascii_uppercase() || mark.is_ascii_digit() || mark == '_';
    (name.starts_with(|mark: char| mark.is_ascii_uppercase()) && name.chars().all(plain))
        .then_some((name, value))
}

/// Name and items of an array: `NAME=(item item)`.
fn list(words: &[String]) -> Option<(String, Vec<String>)> {
    let inner = words.join("\0");
    let (name, value) = assignment(&inner)?;
    let items = value.strip_prefix('(')?.strip_suffix(')')?;
    let items = items.split('\0').filter(|item| !item.is_empty()).map(str::to_owned);
    Some((name.to_owned(), items.collect()))
}

/// Returns true if an array begins in these words and does not end.
fn is_open(words: &[String]) -> bool {
    let begins =
        words.first().and_then(|word| assignment(word)).is_some_and(|(_, value)| value.starts_with('('));
    begins && !words.iter().any(|word| word.ends_with(')'))
}

/// The name of an array whose items a word stands for (`${NAME[@]}`, `${NAME[*]}`).
fn array(word: &str) -> Option<&str> {
    let name = word.strip_prefix("${")?;
    name.strip_suffix("[@]}").or_else(|| name.strip_suffix("[*]}"))
}

/// The value of a word that is a variable (`$NAME` or `${NAME}`); other words are unchanged.
fn replaced(word: &str, variables: &BTreeMap<String, String>) -> String {
    let name = word.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    name.and_then(|name| variables.get(name)).cloned().unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuations_quotes_variables_and_settings_are_read() {
        let text = "# a comment\nMODEL=meta/llama  # its name\ncat > s.yaml <<'EOF'\nkv_cache_config:\n  dtype: fp8\nEOF\n\
                    CUDA_VISIBLE_DEVICES=0,1 serve \"$MODEL\" \\\n  --tp 8 --json '{\"a\": 1,\n \"b\": 2}' && echo done";
        let found = invocations(text);
        let serve = found.iter().find(|one| one.words[0] == "serve").expect("the command");
        assert_eq!(serve.words, ["serve", "meta/llama", "--tp", "8", "--json", "{\"a\": 1,\n \"b\": 2}"]);
        assert_eq!(serve.settings["kv_cache_config.dtype"], "fp8");
        assert_eq!(serve.variables["CUDA_VISIBLE_DEVICES"], "0,1");
        assert_eq!(found.last().map(|one| one.words.join(" ")), Some("echo done".to_owned()));
    }

    #[test]
    fn arrays_stand_for_their_items() {
        let text = "TP=4\nMODEL_ARGS=(\n    --num-layers 32 # of the model\n    --tp $TP\n)\nOTHER=(--bf16)\n\
                    torchrun pretrain_gpt.py ${MODEL_ARGS[@]} \"${OTHER[@]}\" ${LOST[@]}";
        let found = invocations(text);
        let words =
            ["torchrun", "pretrain_gpt.py", "--num-layers", "32", "--tp", "4", "--bf16", "${LOST[@]}"];
        assert_eq!(found.last().map(|one| one.words.clone()), Some(words.map(str::to_owned).to_vec()));
    }

    #[test]
    fn exported_variables_are_known_to_later_lines() {
        let found = invocations("export MODEL=meta/llama TP=4\nA=1 export B=2\nserve $MODEL --tp $TP");
        assert_eq!(found.last().map(|one| one.words.join(" ")), Some("serve meta/llama --tp 4".to_owned()));
        assert_eq!(found.last().map(|one| one.variables["B"].clone()), Some("2".to_owned()));
    }

    #[test]
    fn an_open_quote_ends_with_the_text() {
        assert!(invocations("serve 'never closed\nand on").is_empty());
        assert!(invocations("").is_empty());
    }
}
