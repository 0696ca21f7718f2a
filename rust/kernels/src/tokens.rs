//! A normalised text, cut into words or into characters.
//!
//! A word is a maximal run of letters, marks and digits. In scripts written without spaces it is
//! every two adjacent characters of such a run (the character itself if the run has only one), so
//! that a changed character changes two tokens and not a clause.

use crate::simd::bits::{self, BitRows};
use crate::text::Normalised;

/// Kind of the tokens of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Words, as this room defines them.
    Words,
    /// Characters (code points) of the text with white space collapsed.
    Characters,
}

/// Starts and ends of tokens in the normalised text, in bytes.
#[derive(Debug, Default)]
pub struct Tokens {
    /// First byte of each token.
    pub starts: Vec<usize>,
    /// One past the last byte of each token.
    pub ends: Vec<usize>,
    /// Bytes that belong to words.
    rows: BitRows,
}

impl Tokens {
    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Return whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Forgets the tokens, keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }
}

/// Finds the words of a normalised text.
pub fn cut_words(text: &Normalised, tokens: &mut Tokens) {
    bits::classify(&text.bytes, &text.classes, &mut tokens.rows);
    bits::cut(&tokens.rows, &mut tokens.starts, &mut tokens.ends);
}

/// Finds the characters (code points) of `bytes`, UTF-8.
pub fn cut_characters(bytes: &[u8], tokens: &mut Tokens) {
    tokens.clear();
    // Bytes after the first of a character begin with the bits 10.
    tokens.starts.extend((0..bytes.len()).filter(|&at| bytes[at] & 0xC0 != 0x80));
    tokens.ends.extend(tokens.starts.iter().skip(1));
    if !tokens.is_empty() {
        tokens.ends.push(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characters::{self, Class};
    use crate::text::Normalisation;

    fn cut(text: &str) -> Vec<&str> {
        let mut tokens = Tokens::default();
        let mut normalised = Normalised::default();
        normalised.set_text(text, Normalisation::None);
        cut_words(&normalised, &mut tokens);
        let places = tokens.starts.iter().zip(&tokens.ends);
        places.map(|(&start, &end)| &text[normalised.origin(start..end)]).collect()
    }

    #[test]
    fn words_of_many_scripts() {
        let table: [(&str, &[&str]); 12] = [
            ("", &[]),
            (" \0!_-", &[]),
            ("it's 4 o'clock", &["it", "s", "4", "o", "clock"]),
            ("naïve café", &["naïve", "café"]),
            ("élan x", &["élan", "x"]),
            ("x—y z", &["x", "y", "z"]),
            ("漢字仮名", &["漢字", "字仮", "仮名"]),
            ("漢", &["漢"]),
            ("abc漢字def", &["abc", "漢字", "def"]),
            ("第3章", &["第", "3", "章"]),
            ("한국어 문서", &["한국어", "문서"]),
            ("\u{301}a \u{301}漢", &["\u{301}a", "\u{301}", "漢"]),
        ];
        for (text, expected) in table {
            assert_eq!(cut(text), expected, "{text:?}");
        }
    }

    /// The words by the definition, one character after the other.
    fn words_by_definition(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let run = |belongs: &dyn Fn(Class) -> bool| {
                let class = |&(_, c): &(usize, char)| !belongs(characters::class(c));
                let end = rest.char_indices().skip(1).find(class);
                rest.split_at(end.map_or(rest.len(), |(i, _)| i))
            };
            let (word, next) = match characters::class(first) {
                Class::Word | Class::Mark => run(&|c| matches!(c, Class::Word | Class::Mark)),
                Class::Unspaced => run(&|c| matches!(c, Class::Unspaced | Class::Mark)),
                _ => ("", &rest[first.len_utf8()..]),
            };
            let mut ends: Vec<usize> = word.char_indices().map(|(i, _)| i).skip(1).collect();
            ends.push(word.len());
            if characters::class(first) != Class::Unspaced || ends.len() == 1 {
                words.extend(Some(word).filter(|word| !word.is_empty()));
            } else {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                words.extend(starts.zip(&ends[1..]).map(|(start, &end)| &word[start..end]));
            }
            rest = next;
        }
        words
    }

    #[test]
    fn every_level_finds_the_words_by_the_definition() {
        let pool: Vec<char> =
            "aZ9 _é\u{301}—\u{A0}漢字ーกि한😀\0\u{20000}\u{1E000}".chars().collect();
        let mut state = 3u64;
        for length in (0..2000).map(|i| i % 150).chain([5000]) {
            let text: String = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // Mostly ASCII in every second text.
                    let range = if length % 2 == 0 && state >> 60 != 0 { 5 } else { pool.len() };
                    pool[(state >> 33) as usize % range]
                })
                .collect();
            let expected = words_by_definition(&text);
            for found in ilk_joins::simd::each_level(|| cut(&text)) {
                assert_eq!(found, expected, "{text:?}");
            }
        }
    }

    #[test]
    fn characters_are_code_points() {
        let mut tokens = Tokens::default();
        cut_characters("aé漢😀".as_bytes(), &mut tokens);
        assert_eq!(tokens.starts, [0, 1, 3, 6]);
        assert_eq!(tokens.ends, [1, 3, 6, 10]);
        cut_characters(b"", &mut tokens);
        assert!(tokens.is_empty());
    }
}
