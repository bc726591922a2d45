//! Launch commands parse with the flags that each tool itself defines (`tests/fixtures/flags.csv`).

use std::collections::BTreeMap;

use foretoken::launch::Command;

use crate::launch::questions;

/// A row of the fixture.
struct Flag {
    kind: &'static str,
    choices: Vec<&'static str>,
}

/// Flags by tool and name.
type Flags = BTreeMap<(&'static str, &'static str), Flag>;

fn flags() -> Flags {
    let rows = include_str!("../fixtures/flags.csv").lines().skip(1);
    let flag = |row: &'static str| {
        let cells: Vec<&str> = row.split(',').collect();
        let [tool, name, kind, choices, source] = cells[..] else { panic!("{row}") };
        assert!(!source.is_empty(), "{row}");
        let choices = choices.split('|').filter(|choice| !choice.is_empty()).collect();
        ((tool, name), Flag { kind, choices })
    };
    rows.map(flag).collect()
}

/// Programs: the words that start them, and their number of positional arguments.
const PROGRAMS: [(&[&str], &str, usize); 13] = [
    (&["vllm", "serve"], "vllm", 1),
    (&["vllm", "bench", "serve"], "vllm-bench", 0),
    (&["python", "-m", "sglang.launch_server"], "sglang", 0),
    (&["python", "-m", "sglang.bench_serving"], "sglang-bench", 0),
    (&["trtllm-serve"], "trtllm", 1),
    (&["llama-server"], "llamacpp", 0),
    (&["llama-bench"], "llama-bench", 0),
    (&["mlx_lm.server"], "mlx", 0),
    // Further matrices after the first one of `--lora_target_modules`.
    (&["trl", "sft"], "trl", 3),
    // Further modules after the first one of `--recompute-modules`.
    (&["pretrain_gpt.py"], "megatron", 2),
    (&["scripts/training/run_recipe.py"], "bridge", 0),
    // The policy of activation checkpointing.
    (&["./run_train.sh"], "torchtitan", 1),
    (&["-m", "torchtitan.train"], "torchtitan", 1),
];

/// Checks that a value has the flag's type and is one of its choices.
fn check(flags: &Flags, tool: &str, name: &str, value: Option<&str>) -> Result<(), String> {
    let known = flags.iter().find(|((of, flag), _)| *of == tool && *flag == name);
    let Some((_, flag)) = known else { return Err(format!("{tool} has no {name}")) };
    let fits = match (flag.kind, value) {
        ("switch" | "section", value) => value.is_none(),
        // The shell computes this value from the server's rank.
        ("whole", Some(value)) if value.starts_with("$((") => value.ends_with("))"),
        ("whole", Some(value)) => value.parse::<i64>().is_ok(),
        ("length", Some("auto")) => true,
        ("length", Some(value)) => value.parse::<u32>().is_ok(),
        ("number", Some(value)) => value.parse::<f64>().is_ok_and(f64::is_finite),
        ("json", Some(value)) => serde_json::from_str::<serde_json::Value>(value).is_ok(),
        ("text", Some(value)) => !value.is_empty(),
        _ => false,
    };
    let chosen = flag.choices.is_empty() || value.is_some_and(|value| flag.choices.contains(&value));
    if fits && chosen { Ok(()) } else { Err(format!("{tool} {name} cannot be {value:?}")) }
}

/// Checks the arguments of a program.
fn arguments(flags: &Flags, tool: &str, words: &[String], positional: usize) -> Result<(), String> {
    let takes = |name: &str| {
        let known = flags.iter().find(|((of, flag), _)| *of == tool && *flag == name);
        known.is_none_or(|(_, flag)| flag.kind != "switch")
    };
    let (mut words, mut others) = (words.iter().map(String::as_str), 0);
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            let value = takes(word).then(|| words.next()).flatten();
            check(flags, tool, word, value)?;
        } else if let Some((key, value)) = word.split_once('=') {
            check(flags, tool, key, Some(value))?;
        } else {
            others += 1;
        }
    }
    if others > positional { Err(format!("{tool} takes {positional} words: {words:?}")) } else { Ok(()) }
}

/// Checks one command line; returns false if it starts no known program.
fn invocation(flags: &Flags, words: &[String]) -> Result<bool, String> {
    let begins = |place: usize, start: &[&str]| {
        words.len() >= place + start.len() && start.iter().zip(&words[place..]).all(|(a, b)| *a == b.as_str())
    };
    for (start, tool, positional) in PROGRAMS {
        let Some(place) = (0..words.len()).find(|place| begins(*place, start)) else { continue };
        let before = &words[..place];
        let starter = before.first().filter(|word| ["torchrun", "mlx.launch"].contains(&word.as_str()));
        if let Some(starter) = starter {
            arguments(flags, starter, &before[1..], 0)?;
        } else if before.iter().any(|word| !word.contains('=')) {
            continue;
        }
        arguments(flags, tool, &words[place + start.len()..], positional)?;
        return Ok(true);
    }
    Ok(false)
}

/// Checks all commands and settings files of a text, and returns the number of programs that it starts.
fn parse(flags: &Flags, text: &str) -> Result<usize, String> {
    let (mut started, mut variables) = (0, BTreeMap::<String, String>::new());
    let joined = text.replace("\\\n", " ");
    let mut lines = joined.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("cat > ") {
            let mut section = "";
            for line in lines.by_ref().take_while(|line| *line != "EOF") {
                let (key, value) = line.split_once(':').ok_or(line)?;
                let path =
                    if line.starts_with(' ') { format!("{section}.{}", key.trim()) } else { key.to_owned() };
                section = if line.starts_with(' ') { section } else { key };
                let value = Some(value.trim()).filter(|value| !value.is_empty());
                check(flags, "trtllm-yaml", &path, value)?;
            }
            continue;
        }
        let words = shlex::split(line).ok_or(line)?;
        let expanded: Vec<String> = words
            .into_iter()
            .map(|word| word.strip_prefix('$').and_then(|name| variables.get(name)).cloned().unwrap_or(word))
            .collect();
        match &expanded[..] {
            [] => {}
            [one] if one.contains('=') => {
                let (name, value) = one.split_once('=').expect("an assignment");
                variables.insert(name.to_owned(), value.to_owned());
            }
            // Variables of the environment.
            [name, _] if matches!(name.as_str(), "export" | "unset") => {}
            words if invocation(flags, words)? => started += 1,
            _ => return Err(format!("no program is started by {line}")),
        }
    }
    Ok(started)
}

#[test]
fn commands_parse_with_the_definitions_of_their_tools() {
    let flags = flags();
    let mut wrong = Vec::new();
    for (tool, asked) in questions() {
        let text = Command::of(&asked, tool).text;
        match parse(&flags, &text) {
            Ok(started) => assert!(started >= 1, "{text}"),
            Err(why) => wrong.push(format!("{why}\n{text}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_commands_do_not_parse() {
    let flags = flags();
    for text in [
        "vllm serve model --tensor-parallel-degree 4",
        "vllm serve model --tensor-parallel-size four",
        "vllm serve model --kv-cache-dtype fp6",
        "vllm serve model other",
        "vllm serve model --speculative-config '{'",
        "trtllm-serve model --server_role BOTH",
        "cat > serve.yaml <<'EOF'\nkv_cache:\n  dtype: fp8\nEOF",
        "torchrun --nproc_per_node many pretrain_gpt.py",
        "trl sft --use_lora",
        "llama-bench -m model.gguf -c 4096",
        "reboot now",
    ] {
        assert!(parse(&flags, text).is_err(), "{text}");
    }
}
