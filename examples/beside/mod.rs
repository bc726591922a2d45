//! Data files that the page loads from its own folder, for programs that answer every view without a browser.

/// The measured rows, which the Validation view needs.
const ROWS: &str = include_str!("../../public/validation.csv");

/// The measured collectives, which a result of the Papers view needs.
const COLLECTIVES: &str = include_str!("../../tests/measured/nccl_perlmutter.csv");

/// The text of a file, or why there is none.
pub(crate) fn read(name: &str) -> Result<String, String> {
    match name {
        "validation.csv" => Ok(ROWS.to_owned()),
        "nccl_perlmutter.csv" => Ok(COLLECTIVES.to_owned()),
        _ => Err(format!("there is no file {name}")),
    }
}
