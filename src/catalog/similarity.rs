//! Jaro-Winkler similarity of a word with many names.

/// Letters of the longest text that is compared: their positions are bits.
pub(super) const LONGEST: usize = 64;

/// A word in lower case, prepared for comparisons.
pub(super) struct Word {
    letters: Vec<char>,
    /// Positions of each ASCII letter, as bits.
    places: [u64; 128],
}

impl Word {
    /// The beginning of a word, in lower case.
    pub(super) fn new(word: &str) -> Self {
        let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).take(LONGEST).collect();
        let mut places = [0; 128];
        for (position, letter) in letters.iter().enumerate().filter(|(_, letter)| letter.is_ascii()) {
            places[*letter as usize] |= 1 << position;
        }
        Self { letters, places }
    }

    /// The letters of the word.
    pub(super) fn letters(&self) -> impl Iterator<Item = char> {
        self.letters.iter().copied()
    }

    /// Jaro-Winkler similarity with a name of at most [`LONGEST`] ASCII letters, from 0 to 1 (Winkler 1990); 0 with a longer one.
    ///
    /// A match of two equal letters at most half the longer length apart is a bit in both texts, so that a letter of the name
    /// takes a few instructions.
    pub(super) fn similarity(&self, name: &str) -> f64 {
        const BOOST: f64 = 0.7;
        let (name, own) = (name.as_bytes(), self.letters.len());
        let length = name.len();
        if length == 0 || own == 0 || length > LONGEST {
            return if length == own { 1.0 } else { 0.0 };
        }
        let reach = (length.max(own) / 2).saturating_sub(1);
        let (mut taken, mut matched) = (0_u64, 0_u64);
        for (position, letter) in name.iter().enumerate() {
            let places = self.places.get(usize::from(*letter)).copied().unwrap_or_default();
            // Places from `reach` before the letter's to `reach` behind it.
            let near = (u64::MAX << position.saturating_sub(reach))
                & (u64::MAX >> (63_usize.saturating_sub(position + reach)));
            let free = places & near & !taken;
            taken |= free & free.wrapping_neg();
            matched |= u64::from(free != 0) << position;
        }
        if matched == 0 {
            return 0.0;
        }
        let matches = f64::from(matched.count_ones());
        let (mut displaced, mut left) = (0_u32, matched);
        while left != 0 {
            let (place, own) = (left.trailing_zeros() as usize, taken.trailing_zeros() as usize);
            displaced += u32::from(self.letters[own] != char::from(name[place]));
            (left, taken) = (left & (left - 1), taken & (taken - 1));
        }
        let ordered = matches - f64::from(displaced / 2);
        let jaro = (matches / length as f64 + matches / own as f64 + ordered / matches) / 3.0;
        if jaro <= BOOST {
            return jaro;
        }
        let pairs = name.iter().zip(&self.letters).take(4);
        let prefix = pairs.take_while(|(letter, own)| char::from(**letter) == **own).count();
        jaro + 0.1 * prefix as f64 * (1.0 - jaro)
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    /// Another implementation gives the same bits.
    #[test]
    fn similarities_are_those_of_strsim() {
        let long = ["abcdefgh".repeat(8), "hgfedcba".repeat(8)];
        let names = [
            "",
            "t",
            "tp",
            "tensor",
            "serve.tp",
            "serve.cache.ssd_gb_s",
            "martha",
            "marhta",
            "dixon",
            "dicksonx",
            "dwayne",
            "duane",
            "gpus",
            "gpuss",
            "aaaa",
            "aabaa",
            &long[0],
            &long[1],
        ];
        for word in names.into_iter().chain(["né", "é", "serve.tpé"]) {
            for name in names {
                let expected = strsim::jaro_winkler(name, word);
                assert_eq!(Word::new(word).similarity(name).to_bits(), expected.to_bits(), "{word}, {name}");
            }
        }
        assert_eq!(Word::new("a").similarity(&"a".repeat(65)).to_bits(), 0.0_f64.to_bits());
    }
}
