//! The output of `make validate` agrees with the model: the accuracy tables, the bands, the page's rows.

use std::path::PathBuf;

use foretoken::validation::Case;
use foretoken_tools::accuracy::predictions::Predictions;
use foretoken_tools::accuracy::{bands, left_out, page, room, tables, unmeasured};
use foretoken_tools::published::{Collection, PeerPrediction};

fn text(path: &str) -> String {
    std::fs::read_to_string(foretoken_tools::root().join(path)).expect(path).replace("\r\n", "\n")
}

/// The rows that the Makefile names, in its order.
fn published() -> (Vec<Case>, Vec<PeerPrediction>) {
    let listed =
        std::fs::read_dir(foretoken_tools::root().join("tests/measured")).expect("a folder of measurements");
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl" || end == "csv"));
    files.sort();
    files.push(foretoken_tools::root().join("tests/golden/calculon_cases.json"));
    files.push(foretoken_tools::root().join("tests/golden/subramanian_cases.json"));
    files.push(foretoken_tools::root().join("tests/golden/subramanian_search.json"));
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a file of measurements");
    let texts: Vec<String> = files.iter().map(read).collect();
    let Collection { cases, peers, unread } = Collection::of(texts.iter().map(String::as_str));
    assert!(unread.is_empty(), "{unread:?}");
    (cases, peers)
}

#[test]
fn what_was_written_is_what_the_model_gives() {
    let (cases, peers) = published();
    let predictions = Predictions::of(&cases);
    let stale = "is out of date: make validate";
    let same = |path: &str, marker: &str, table: &str| {
        let old = text(path);
        let new = tables::replaced(&old, marker, table).expect("markers of the table");
        assert!(old == new, "{path} {stale}");
    };
    same("docs/accuracy.md", "accuracy", &tables::all(&cases, &predictions, &peers));
    same("README.md", "abroad", &left_out::headline(&predictions));
    let files = [
        ("src/validation/spreads.csv", bands::spreads(&predictions)),
        ("src/validation/loads.csv", bands::loads(&predictions)),
        ("src/validation/abroad.csv", left_out::scores(&predictions)),
        ("src/validation/unmeasured.csv", unmeasured::table(&predictions)),
        ("src/validation/makers.csv", bands::makers(&predictions)),
        ("src/validation/bands.csv", bands::table(&predictions)),
        ("public/validation.csv", page::points(&predictions, &peers)),
    ];
    for (path, now) in files {
        assert!(text(path) == now, "{path} {stale}");
    }
}

#[test]
fn checks_are_read_from_the_all_gather_beside_a_run() {
    let (cases, _) = published();
    let checks = |id: &str| {
        let case = cases.iter().find(|case| case.id == id).expect(id);
        let scenario = case.question.as_ref().expect(id).scenario().expect(id);
        (scenario.system.gpus, scenario.recipe.checks_us)
    };
    // A run on one node and one over nodes have no checks. With checks: 1.0737 GB / 128 members / 28.06 GB/s, and the limit of 322 µs.
    assert_eq!(checks("train-ultrascale-full-0000"), (8, 0));
    assert_eq!(checks("train-ultrascale-full-0185"), (128, 0));
    assert_eq!(checks("train-ultrascale-full-0157"), (128, 298));
    assert_eq!(checks("train-ultrascale-full-0014"), (32, 322));
    let checked = cases.iter().filter_map(Case::scenario);
    let checked: Vec<u32> = checked.map(|run| run.recipe.checks_us).filter(|checks| *checks > 0).collect();
    let usual = checked.iter().filter(|checks| (280..=322).contains(*checks)).count();
    assert!(checked.len() > 300 && 50 * usual > 49 * checked.len(), "{usual} of {}", checked.len());
}

#[test]
fn runs_that_were_measured_are_answered() {
    let (cases, _) = published();
    let runs = room::total(&room::runs(&cases));
    assert!(runs.measured > 3000, "{runs:?}");
    assert!(runs.share() <= 0.02, "{runs:?}");
}

#[test]
fn the_papers_code_is_reproduced_within_1_percent() {
    let (cases, _) = published();
    let theirs = cases.iter().filter(|case| !case.is_measured()).flat_map(Case::outcomes);
    let mut count = 0;
    for outcome in theirs {
        let predicted = outcome.predicted.as_ref().expect("a prediction");
        assert!((predicted - outcome.measured).abs() <= 0.01 * outcome.measured, "{}", outcome.case.id);
        count += 1;
    }
    assert!(count >= 56 * 3 + 352, "{count} quantities");
}
