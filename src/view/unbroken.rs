//! Keeps a number and its unit on one line.

/// Words after a number that are no unit.
const WORDS: [&str; 14] =
    ["a", "and", "are", "as", "at", "by", "for", "in", "is", "of", "on", "or", "to", "with"];

/// Letters of the longest unit that stays beside its number: `tokens`.
const LONGEST: usize = 6;

/// A sentence with no-break spaces between a number and its unit (`15.0 T`), around `×`, and in a parallelism degree (`TP 8`).
pub fn unbroken(text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let mut joined = String::with_capacity(text.len() + 8);
    while let Some(word) = words.next() {
        joined.push_str(word);
        if let Some(next) = words.peek() {
            joined.push(if together(word, next) { '\u{a0}' } else { ' ' });
        }
    }
    joined
}

/// Returns true if a line must not break between two words.
fn together(word: &str, next: &str) -> bool {
    if word == "×" || next == "×" {
        return true;
    }
    let numeric = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let bare = next.trim_end_matches(|c: char| ".,;:)".contains(c));
    let is_unit =
        !numeric(next) && bare.chars().count() <= LONGEST && !WORDS.contains(&bare) && !bare.is_empty();
    let start = word.trim_start_matches(['(', '$', '≈']);
    let ends_in_digit = word.ends_with(|c: char| c.is_ascii_digit());
    let degree = matches!(word, "TP" | "CP" | "PP" | "DP" | "EP" | "ZeRO") && numeric(next);
    degree || (numeric(start) && ends_in_digit && is_unit)
}

#[cfg(test)]
mod tests {
    use super::unbroken;

    #[test]
    fn numbers_keep_their_units() {
        let marked = |text: &str| unbroken(text).replace('\u{a0}', "_");
        assert_eq!(
            marked("380 days (330 to 510 days) and $16.4M on 15.0 T tokens with 512 × H100 SXM: TP 8, PP 4"),
            "380_days (330 to 510_days) and $16.4M on 15.0_T tokens with 512_×_H100 SXM: TP_8, PP_4"
        );
        assert_eq!(marked("94.3 % of 80.0 GiB; 64 microbatches"), "94.3_% of 80.0_GiB; 64 microbatches");
        assert_eq!(marked("in 2026 and 3 of 4"), "in 2026 and 3 of 4");
        assert_eq!(marked(""), "");
    }
}
