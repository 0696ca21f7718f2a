//! A normalised text, cut into words or into characters.
//!
//! A word is a maximal run of letters, marks and digits. In scripts written without spaces it is
//! every two adjacent characters of such a run (the character itself if the run has only one), so
//! that a changed character changes two tokens and not a clause.

use crate::characters::{self, Class};
use crate::simd::bits;

/// Which tokens a text is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Words, as this room defines them.
    Words,
    /// Characters (code points) of the text with white space collapsed.
    Characters,
}

/// Where tokens begin and end in the normalised text, in bytes.
#[derive(Debug, Default)]
pub struct Tokens {
    /// First byte of each token.
    pub starts: Vec<usize>,
    /// One past the last byte of each token.
    pub ends: Vec<usize>,
    /// One bit per byte: whether it belongs to a word of a script with spaces.
    in_word: Vec<u64>,
    /// One bit per byte: whether it is not ASCII.
    beyond_ascii: Vec<u64>,
    /// First byte, and one past the last, of each token in a script without spaces.
    unspaced: Vec<(usize, usize)>,
}

impl Tokens {
    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Forgets the tokens, keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }

    /// Reads all that is not ASCII.
    fn read_beyond_ascii(&mut self, bytes: &[u8]) {
        let mut at = 0;
        for block in 0..self.beyond_ascii.len() {
            let (start, end) = (64 * block, 64 * (block + 1));
            while at < end {
                let skipped = at.saturating_sub(start);
                let left = self.beyond_ascii[block] >> skipped << skipped;
                if left == 0 {
                    break;
                }
                at = self.read_run(bytes, start + left.trailing_zeros() as usize);
            }
        }
    }

    /// Reads from `at` on up to what is ASCII, and returns where that is.
    fn read_run(&mut self, bytes: &[u8], mut at: usize) -> usize {
        let mut word = at;
        while bytes.get(at).is_some_and(|byte| !byte.is_ascii()) {
            let (class, next) = match char_at(bytes, at) {
                Some((c, next)) => (characters::class(c), next),
                None => (Class::Separator, at + 1),
            };
            if matches!(class, Class::Word | Class::Mark) {
                at = next;
                continue;
            }
            self.mark(word, at);
            at = if class == Class::Unspaced { self.read_unspaced(bytes, at, next) } else { next };
            word = at;
        }
        self.mark(word, at);
        at
    }

    /// Notes that the bytes `at..end` belong to words.
    fn mark(&mut self, mut at: usize, end: usize) {
        while at < end {
            let count = (64 - at % 64).min(end - at);
            self.in_word[at / 64] |= u64::MAX >> (64 - count) << (at % 64);
            at += count;
        }
    }

    /// Reads a run of characters of scripts without spaces, the first at `start..next`, with the
    /// marks among them, and returns where it ends.
    fn read_unspaced(&mut self, bytes: &[u8], start: usize, next: usize) -> usize {
        let (mut previous, mut at) = (start, next);
        while let Some((c, next)) = char_at(bytes, at) {
            if !matches!(characters::class(c), Class::Unspaced | Class::Mark) {
                break;
            }
            self.unspaced.push((previous, next));
            (previous, at) = (at, next);
        }
        if previous == start {
            self.unspaced.push((start, at));
        }
        at
    }

    /// Puts the tokens of scripts without spaces among the others, in the order of their starts.
    fn merge_unspaced(&mut self) {
        let mut words = self.starts.len();
        let mut to = words + self.unspaced.len();
        self.starts.resize(to, 0);
        self.ends.resize(to, 0);
        for &(start, end) in self.unspaced.iter().rev() {
            while words > 0 && self.starts[words - 1] > start {
                (words, to) = (words - 1, to - 1);
                (self.starts[to], self.ends[to]) = (self.starts[words], self.ends[words]);
            }
            to -= 1;
            (self.starts[to], self.ends[to]) = (start, end);
        }
    }
}

/// Finds the words of `bytes`, normalised UTF-8. Bytes that are not UTF-8 separate words.
pub fn words(bytes: &[u8], tokens: &mut Tokens) {
    bits::classify(bytes, &mut tokens.in_word, &mut tokens.beyond_ascii);
    tokens.unspaced.clear();
    tokens.read_beyond_ascii(bytes);
    bits::runs(&tokens.in_word, &mut tokens.starts, &mut tokens.ends);
    tokens.merge_unspaced();
}

/// The character that begins at `at`, and where the next one begins; none if it is not UTF-8.
#[inline]
fn char_at(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let mut four = [0; 4];
    match (bytes.get(at..)?, bytes[at..].first_chunk()) {
        ([], _) => return None,
        (_, Some(whole)) => four = *whole,
        (rest, None) => four[..rest.len()].copy_from_slice(rest),
    }
    let four = u32::from_le_bytes(four);
    let low = |i: u32| four >> (8 * i) & 0x3F;
    // The bits that say "first of so many" and "one that follows", all in one comparison.
    let (code, length, least) = if four & 0x80 == 0 {
        (four & 0x7F, 1, 0)
    } else if four & 0xC0E0 == 0x80C0 {
        ((four & 0x1F) << 6 | low(1), 2, 0x80)
    } else if four & 0x00C0_C0F0 == 0x0080_80E0 {
        ((four & 0x0F) << 12 | low(1) << 6 | low(2), 3, 0x800)
    } else if four & 0xC0C0_C0F8 == 0x8080_80F0 {
        ((four & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4, 0x1_0000)
    } else {
        return None;
    };
    if code < least {
        return None;
    }
    Some((char::from_u32(code)?, at + length))
}

/// Finds the characters (code points) of `bytes`, UTF-8.
pub fn characters(bytes: &[u8], tokens: &mut Tokens) {
    tokens.clear();
    tokens.starts.extend((0..bytes.len()).filter(|&at| bytes[at] & 0xC0 != 0x80));
    tokens.ends.extend(tokens.starts.iter().skip(1));
    if !tokens.is_empty() {
        tokens.ends.push(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        let mut tokens = Tokens::default();
        words(text.as_bytes(), &mut tokens);
        tokens.starts.iter().zip(&tokens.ends).map(|(&s, &e)| &text[s..e]).collect()
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
        let pool: Vec<char> = "aZ9 _é\u{301}—\u{A0}漢字ーกि한😀\0".chars().collect();
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
            for found in crate::simd::each_level(|| cut(&text)) {
                assert_eq!(found, expected, "{text:?}");
            }
        }
    }

    #[test]
    fn characters_are_code_points() {
        let mut tokens = Tokens::default();
        characters("aé漢😀".as_bytes(), &mut tokens);
        assert_eq!(tokens.starts, [0, 1, 3, 6]);
        assert_eq!(tokens.ends, [1, 3, 6, 10]);
        characters(b"", &mut tokens);
        assert!(tokens.is_empty());
    }

    #[test]
    fn a_character_is_what_utf8_says() {
        let starts = (0..=0x10_FFFF).filter_map(char::from_u32);
        let mut buffer = [0; 4];
        assert!(starts.into_iter().all(|c| {
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            char_at(bytes, 0) == Some((c, bytes.len()))
        }));
        for bytes in [
            &b"\x80"[..],
            b"\xC1\xBF",
            b"\xE0\x9F\xBF",
            b"\xED\xA0\x80",
            b"\xE3\x81",
            b"\xF0\x8F\xBF\xBF",
            b"\xF4\x90\x80\x80",
            b"\xF8\x88\x80\x80",
            b"\xC3a",
            b"\xE3\x81a",
            b"",
        ] {
            assert_eq!(char_at(bytes, 0), None, "{bytes:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_separate_words() {
        let mut tokens = Tokens::default();
        words(b"ab\xFFcd\xE3\x81", &mut tokens);
        assert_eq!(tokens.len(), 2);
    }
}
