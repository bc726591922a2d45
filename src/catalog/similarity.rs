//! The Jaro-Winkler similarity of one word to many names.

/// Longest name that is compared by masks, which have a bit for each of its letters.
const MASK: usize = u64::BITS as usize;

/// A word that is compared with names.
///
/// The similarities are those of `strsim`. Masks replace its loop over the letters of a name for each letter of the word:
/// a link may ask for four nearest names, each the nearest of a thousand.
pub(super) struct Word<'a> {
    text: &'a str,
    letters: Vec<char>,
    /// Where each ASCII letter occurs in the name that is being compared; 0 between comparisons.
    places: [u64; 128],
}

impl<'a> Word<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, letters: text.chars().collect(), places: [0; 128] }
    }

    /// The similarity of a name, from 0 to 1.
    pub(super) fn similarity(&mut self, name: &str) -> f64 {
        if !name.is_ascii() || name.len() > MASK {
            return strsim::jaro_winkler(self.text, name);
        }
        let name = name.as_bytes();
        for (place, letter) in name.iter().enumerate() {
            self.places[usize::from(*letter)] |= 1 << place;
        }
        let jaro = self.jaro(name);
        for letter in name {
            self.places[usize::from(*letter)] = 0;
        }
        if jaro <= 0.7 {
            return jaro;
        }
        let pairs = self.letters.iter().zip(name).take(4);
        let prefix = pairs.take_while(|(own, other)| **own == char::from(**other)).count();
        jaro + 0.1 * prefix as f64 * (1.0 - jaro)
    }

    /// The Jaro similarity of a name whose letters are in `places`.
    fn jaro(&self, name: &[u8]) -> f64 {
        let (length, other) = (self.letters.len(), name.len());
        if length == 0 || other == 0 {
            return if length == other { 1.0 } else { 0.0 };
        }
        let range = (length.max(other) / 2).saturating_sub(1);
        // A letter matches the first equal one of the name that is near and has no match yet.
        let mut taken = 0_u64;
        let mut matched = [0_u8; MASK];
        let mut matches = 0;
        for (place, letter) in self.letters.iter().enumerate() {
            let near = below(place + range + 1) & !below(place.saturating_sub(range));
            let all = self.places.get(*letter as usize).copied().unwrap_or(0);
            let free = all & near & !taken;
            if free != 0 {
                taken |= free & free.wrapping_neg();
                matched[matches] = *letter as u8;
                matches += 1;
            }
        }
        if matches == 0 {
            return 0.0;
        }
        let mut swapped = 0;
        for letter in &matched[..matches] {
            swapped += usize::from(*letter != name[taken.trailing_zeros() as usize]);
            taken &= taken - 1;
        }
        let matched = matches as f64;
        (matched / length as f64 + matched / other as f64 + (matches - swapped / 2) as f64 / matched) / 3.0
    }
}

/// A mask of the places below this one.
const fn below(place: usize) -> u64 {
    if place < MASK { (1 << place) - 1 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::catalog;

    #[test]
    fn similarities_are_those_of_strsim() {
        let long = "x".repeat(MASK) + "y";
        let odd =
            ["", "t", "é", "aé", "aaaaaaaa", "abababab", "babababa", "tnesor", &long, &long[1..], "gpus\0"];
        let ids = catalog().architectures.iter().map(|model| model.id.as_str());
        let names: Vec<&str> = ids
            .chain(catalog().accelerators.iter().map(|device| device.source.as_str()))
            .chain(odd)
            .collect();
        let strange = names.iter().step_by(7).map(|name| name.chars().rev().collect::<String>());
        let words: Vec<String> = strange.chain(odd.map(str::to_owned)).collect();
        for text in &words {
            let mut word = Word::new(text);
            for name in &names {
                let expected = strsim::jaro_winkler(text, name);
                assert_eq!(word.similarity(name).to_bits(), expected.to_bits(), "{text}, {name}");
            }
        }
    }
}
