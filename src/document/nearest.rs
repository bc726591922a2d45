//! The name that was probably meant.

/// The candidate that somebody who wrote `word` most likely meant, if any is close.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long word costs time quadratic in its length, and resembles nothing.
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let candidates: Vec<&str> = candidates.into_iter().collect();
    // A beginning means the first entry that continues it: `h100` the H100 SXM, which is listed first.
    if let Some(continued) =
        candidates.iter().find(|candidate| word.len() > 2 && candidate.starts_with(&lower))
    {
        return Some(continued);
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lower, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}
