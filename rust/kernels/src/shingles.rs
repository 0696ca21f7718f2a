//! Shingles (k-grams) of a text: k adjacent words or characters, hashed.

use std::ops::Range;

use crate::hash;
use crate::text::{self, Normalisation, Normalised};
use crate::tokens::{self, Tokens, Unit};

/// How a text becomes shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingling {
    /// Words or characters.
    pub unit: Unit,
    /// Tokens per shingle, at least 1.
    pub width: usize,
    /// How the text is prepared.
    pub normalisation: Normalisation,
}

/// Cuts texts into shingles; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Shingler {
    normalised: Normalised,
    tokens: Tokens,
    words: Vec<u64>,
    hashes: Vec<u64>,
}

impl Shingler {
    /// The hashes of the text's shingles in reading order, repetitions included.
    ///
    /// A text of at least one but fewer than `width` tokens has one shingle: all of them.
    pub fn shingles(&mut self, text: &str, shingling: Shingling) -> &[u64] {
        self.normalised.set(text, shingling.normalisation);
        self.hashes.clear();
        match shingling.unit {
            Unit::Words => self.of_words(shingling.width),
            Unit::Characters => self.of_characters(shingling.width),
        }
        &self.hashes
    }

    /// The hash of every word of the text, and where it stands in the text as given (bytes).
    pub fn words(
        &mut self,
        text: &str,
        normalisation: Normalisation,
    ) -> (Vec<u64>, Vec<Range<usize>>) {
        self.normalised.set(text, normalisation);
        self.hash_words();
        let places = self.tokens.starts.iter().zip(&self.tokens.ends);
        let places = places.map(|(&start, &end)| self.normalised.origin(start..end)).collect();
        (self.words.clone(), places)
    }

    /// The number of words of the text.
    pub fn count_words(&mut self, text: &str, normalisation: Normalisation) -> usize {
        self.normalised.set(text, normalisation);
        tokens::words(&self.normalised.bytes, &mut self.tokens);
        self.tokens.len()
    }

    fn hash_words(&mut self) {
        let bytes = &self.normalised.bytes;
        tokens::words(bytes, &mut self.tokens);
        self.words.clear();
        let places = self.tokens.starts.iter().zip(&self.tokens.ends);
        self.words.extend(places.map(|(&start, &end)| hash::bytes(&bytes[start..end])));
    }

    fn of_words(&mut self, width: usize) {
        self.hash_words();
        if self.words.is_empty() {
            return;
        }
        let width = width.clamp(1, self.words.len());
        self.hashes.extend(self.words.windows(width).map(hash::shingle));
    }

    fn of_characters(&mut self, width: usize) {
        text::collapse(&mut self.normalised.bytes);
        let bytes = &self.normalised.bytes;
        tokens::characters(bytes, &mut self.tokens);
        if self.tokens.is_empty() {
            return;
        }
        let width = width.clamp(1, self.tokens.len());
        let starts = &self.tokens.starts[..=self.tokens.len() - width];
        let ends = &self.tokens.ends[width - 1..];
        let places = starts.iter().zip(ends);
        self.hashes.extend(places.map(|(&start, &end)| hash::bytes(&bytes[start..end])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, unit: Unit, width: usize) -> usize {
        let shingling = Shingling { unit, width, normalisation: Normalisation::Fold };
        Shingler::default().shingles(text, shingling).len()
    }

    #[test]
    fn how_many_shingles() {
        for (text, unit, width, expected) in [
            ("", Unit::Words, 3, 0),
            ("...", Unit::Words, 3, 0),
            ("one two", Unit::Words, 3, 1),
            ("one two three", Unit::Words, 3, 1),
            ("one two three four", Unit::Words, 3, 2),
            (" ", Unit::Characters, 3, 0),
            (" a b ", Unit::Characters, 3, 1),
            ("ab", Unit::Characters, 3, 1),
            ("漢字仮名", Unit::Characters, 3, 2),
        ] {
            assert_eq!(count(text, unit, width), expected, "{text:?}");
        }
    }

    #[test]
    fn words_lead_back_to_their_places() {
        let text = "Straße ﬁnds Ünique — TEXT";
        let (hashes, places) = Shingler::default().words(text, Normalisation::Fold);
        let found: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
        assert_eq!(found, ["Straße", "ﬁnds", "Ünique", "TEXT"]);
        assert_eq!(hashes[3], hash::bytes(b"text"));
    }
}
