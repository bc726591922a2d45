//! JavaScript of the page, which only starts the program, serves it offline and embeds it.

use std::fs;
use std::path::Path;

#[test]
fn scripts_have_at_most_350_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public");
    let scripts = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let lines: usize = scripts
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .map(|path| fs::read_to_string(path).expect("a script").lines().count())
        .sum();
    assert!((100..=350).contains(&lines), "{lines} lines");
}
