//! Blocks of code in a chapter of `docs/embed.md`, for tests that follow it.

use std::fs;
use std::io;

/// A block: what follows its opening back-quotes, such as `toml file=book.toml`, and its lines.
pub(crate) struct Block {
    pub(crate) info: String,
    pub(crate) body: String,
}

impl Block {
    /// The file that the block is the content of, if it names one.
    pub(crate) fn file(&self) -> Option<&str> {
        self.info.split_once(" file=").map(|(_, file)| file)
    }
}

/// The blocks of a chapter; none if there is no such chapter.
pub(crate) fn blocks(chapter: &str) -> io::Result<Vec<Block>> {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/embed.md"))?;
    let (_, text) = guide.split_once(&format!("\n## {chapter}\n")).unwrap_or_default();
    let mut lines = text.lines();
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("## ") {
            break;
        }
        let info = line.trim_start_matches('`');
        let fence = &line[..line.len() - info.len()];
        if fence.len() >= 3 {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
            blocks.push(Block { info: info.to_owned(), body: body.join("\n") + "\n" });
        }
    }
    Ok(blocks)
}
