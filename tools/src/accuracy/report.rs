//! Prints the accuracy tables on a terminal.

use std::io::{self, Write};

use crate::published::PeerPrediction;
use foretoken::validation::Case;

use super::predictions::Predictions;
use super::tables;

/// Prints all tables. Rows that a constant was fitted on are counted but not scored.
pub fn print(cases: &[Case], predictions: &Predictions<'_>, peers: &[PeerPrediction]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in aligned(&tables::all(cases, predictions, peers)) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Aligns the columns of Markdown tables: the first two to the left, the others to the right.
fn aligned(markdown: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut table: Vec<Vec<&str>> = Vec::new();
    for line in markdown.lines().chain([""]) {
        if let Some(row) = line.strip_prefix('|') {
            table.push(row.trim_end_matches('|').split('|').map(str::trim).collect());
            continue;
        }
        let columns = table.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = table.iter().filter_map(|row| row.get(column));
            cells.filter(|cell| !cell.starts_with("---")).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in table.drain(..).filter(|row| !row[0].starts_with("---")) {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, &width))| match column {
                0 | 1 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            lines.push(cells.collect::<Vec<_>>().join("  "));
        }
        lines.push(line.to_owned());
    }
    lines
}
