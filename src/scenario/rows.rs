//! Measured rows as a file: one scenario document per line (JSON Lines), each with a `measured` group.

use super::{Problem, Scenario};

/// Returns true if a text has at least two lines, and each is a JSON object with measured values.
pub(crate) fn is_rows(text: &str) -> bool {
    let mut count = 0;
    lines(text).all(|(_, line)| {
        count += 1;
        line.starts_with('{') && line.ends_with('}') && line.contains("\"measured\"")
    }) && count > 1
}

/// Reads the rows of a file.
///
/// # Errors
/// The problems of the first line that is no scenario document, with its number.
pub fn read_rows(text: &str) -> Result<Vec<Scenario>, Vec<Problem>> {
    let read = |(place, line): (usize, &str)| {
        Scenario::from_json(line).map_err(|problems| {
            let of_line = |problem: &Problem| Problem::new("file", format!("line {}: {problem}", place + 1));
            problems.iter().map(of_line).collect()
        })
    };
    lines(text).map(read).collect()
}

/// Writes rows as a file that [`read_rows`] reads.
pub fn write_rows(rows: &[Scenario]) -> String {
    // A value is written in one line by code that the page has already; writing scenarios so would add 10 kB to it.
    let line = |row: &Scenario| {
        let document: serde_json::Value = crate::json::from_text(&row.to_json()).unwrap_or_default();
        format!("{document}\n")
    };
    rows.iter().map(line).collect()
}

/// The lines that are not blank, with their indices.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let links = [
            "v=1&gpus=64&measured.step=2.5",
            "v=1&view=inference&serve.tp=4&measured.from=vllm+bench+serve&measured.tpot=13.57",
        ];
        let rows: Vec<Scenario> = links.iter().map(|text| link::decode(text).scenario).collect();
        let file = write_rows(&rows);
        assert!(is_rows(&file) && file.lines().count() == 2, "{file}");
        assert_eq!(read_rows(&file), Ok(rows));
        assert!(!is_rows(file.lines().next().unwrap_or_default()), "one row is a question");
        let problems = read_rows(&format!("{file}{{\"measured\": 1}}")).expect_err("line 3");
        assert!(problems[0].to_string().contains("line 3: "), "{problems:?}");
    }
}
