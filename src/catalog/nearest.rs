//! The known name nearest to a misspelt one, by Jaro-Winkler similarity.

/// Characters of a word that are compared: no name is longer, and comparing takes time quadratic in the length.
const LONGEST: usize = 64;

/// The candidate nearest to `word`, if any is close.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.8;
    // Longer than any name.
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let names = Names::of(candidates);
    // A prefix selects the first entry that starts with it: `h100` gives the H100 SXM.
    let mut all = names.0.iter().map(|(_, name)| *name);
    let continued = all.find(|name| word.len() > 2 && name.starts_with(&lower));
    continued.or_else(|| names.nearest(&lower, NEAR).map(|position| names.0[position].1))
}

/// End of a message about an unknown name, which suggests the nearest; empty without one.
pub fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(": did you mean `{near}`?"))
}

/// Candidate names, each with the numbers of its letters, which bound its similarity to a word.
#[derive(Clone, Debug)]
pub(crate) struct Names<'a>(Vec<(Letters, &'a str)>);

impl<'a> Names<'a> {
    /// Names to match, in order of precedence at equal distance.
    pub(crate) fn of(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().map(|name| (Letters::of(name), name)).collect())
    }

    /// The position of the name with the highest Jaro-Winkler similarity to a word: at least `least`, and the first
    /// of equals.
    pub(crate) fn nearest(&self, word: &str, least: f64) -> Option<usize> {
        let word: String = word.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
        let letters = Letters::of(&word);
        let bounds: Vec<f64> = self.0.iter().map(|(own, name)| own.bound(name, &letters, &word)).collect();
        // The most promising name comes first, so that few others need a comparison.
        let (promising, _) = bounds.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        let mut best: Option<(f64, usize)> = None;
        for position in std::iter::once(promising).chain(0..self.0.len()) {
            let floor = best.map_or(least, |(similarity, _)| similarity);
            if bounds[position] < floor {
                continue;
            }
            let similarity = strsim::jaro_winkler(&word, self.0[position].1);
            let better = best.is_none_or(|(best, first)| {
                similarity > best || (similarity.total_cmp(&best).is_eq() && position < first)
            });
            if similarity >= least && better {
                best = Some((similarity, position));
            }
        }
        best.map(|(_, position)| position)
    }
}

/// The letters of a text: how many there are, and how many of each of 32 groups.
#[derive(Clone, Copy, Debug)]
struct Letters {
    count: u32,
    groups: [u8; 32],
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Self { count: 0, groups: [0; 32] };
        for letter in text.chars() {
            letters.count += 1;
            // Each lower-case letter has a group of its own.
            let group = &mut letters.groups[letter as usize % 32];
            // A word that is compared is too short to saturate.
            *group = group.saturating_add(1);
        }
        letters
    }

    /// Letters that the texts have in common, if letters of a group are not told apart.
    fn common(&self, other: &Self) -> u32 {
        self.groups.iter().zip(&other.groups).map(|(own, other)| u32::from(*own.min(other))).sum()
    }

    /// Upper bound of the Jaro-Winkler similarity of two texts with these letters, which is cheaper to compute. It is 0 where
    /// one text is more than twice as long as the other, since a long text has the letters of any name.
    fn bound(&self, text: &str, other: &Self, other_text: &str) -> f64 {
        if self.count > 2 * other.count || other.count > 2 * self.count {
            return 0.0;
        }
        let matches = self.common(other);
        if matches == 0 {
            return 0.0;
        }
        let matches = f64::from(matches);
        let parts = matches / f64::from(self.count) + matches / f64::from(other.count) + 1.0;
        let jaro = (parts / 3.0).min(1.0);
        let prefix = text.bytes().zip(other_text.bytes()).take(4).take_while(|(a, b)| a == b).count();
        // Rounding must not make it smaller than the similarity itself.
        jaro + 0.1 * prefix as f64 * (1.0 - jaro) + 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::{Letters, Names};

    const WORDS: [&str; 10] =
        ["tp", "tensor", "serve.tp", "h100-sxm", "H200-SMX", "quantum", "é", "", "aaaa", "gpuss"];

    #[test]
    fn no_similarity_is_above_its_bound() {
        for word in WORDS {
            for candidate in WORDS {
                let similarity = strsim::jaro_winkler(word, candidate);
                let bound = Letters::of(candidate).bound(candidate, &Letters::of(word), word);
                let (length, other) = (word.chars().count(), candidate.chars().count());
                let alike = length <= 2 * other && other <= 2 * length;
                assert!(
                    similarity <= bound || word.is_empty() || !alike,
                    "{word}, {candidate}: {similarity} > {bound}"
                );
            }
        }
        assert!(Letters::of("gpus").bound("gpus", &Letters::of("xyzzy"), "xyzzy") < 0.1);
    }

    /// The bounds leave out work, not names.
    #[test]
    fn the_nearest_is_the_first_of_the_most_similar() {
        let names = Names::of(WORDS.into_iter().chain(WORDS));
        for word in ["t", "tensr", "serve", "h100", "x", "quantm", "aa", "gpus", "sxm-h100"] {
            let mut best = (0.6, None);
            for (position, name) in WORDS.into_iter().enumerate() {
                let similarity = strsim::jaro_winkler(word, name);
                let alike = word.len() <= 2 * name.len() && name.len() <= 2 * word.len();
                if alike && similarity > best.0 {
                    best = (similarity, Some(position));
                }
            }
            assert_eq!(names.nearest(word, 0.6), best.1, "{word}");
        }
        assert_eq!(Names::of([]).nearest("word", 0.6), None);
    }
}
