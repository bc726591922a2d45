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
        .filter(|candidate| similarity_bound(&lower, candidate) >= 0.75)
        .map(|candidate| (strsim::jaro_winkler(&lower, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// An upper bound of the Jaro-Winkler similarity, from the letters alone: a fraction of the work of the similarity.
pub(crate) fn similarity_bound(word: &str, candidate: &str) -> f64 {
    let letters = |text: &str| {
        text.chars().fold((0_u32, 0_u64), |(count, set), c| (count + 1, set | 1 << (u32::from(c) % 64)))
    };
    let ((length, own), (other_length, other)) = (letters(word), letters(candidate));
    // Each letter that only one of them has is no match; letters that share a bit may count as matches.
    let matches = (length - (own & !other).count_ones()).min(other_length - (other & !own).count_ones());
    if matches == 0 {
        return 0.0;
    }
    let matches = f64::from(matches);
    let jaro = ((matches / f64::from(length) + matches / f64::from(other_length) + 1.0) / 3.0).min(1.0);
    let prefix = word.bytes().zip(candidate.bytes()).take(4).take_while(|(a, b)| a == b).count();
    // Rounding must not make it smaller than the similarity itself.
    jaro + 0.1 * prefix as f64 * (1.0 - jaro) + 1e-9
}

#[cfg(test)]
mod tests {
    use super::similarity_bound;

    #[test]
    fn no_similarity_is_above_its_bound() {
        let words = ["tp", "tensor", "serve.tp", "h100-sxm", "H200-SMX", "quantum", "é", "", "aaaa", "gpuss"];
        for word in words {
            for candidate in words {
                let similarity = strsim::jaro_winkler(word, candidate);
                let bound = similarity_bound(word, candidate);
                assert!(
                    similarity <= bound || word.is_empty(),
                    "{word}, {candidate}: {similarity} > {bound}"
                );
            }
        }
        assert!(similarity_bound("xyzzy", "gpus") < 0.1);
    }
}
