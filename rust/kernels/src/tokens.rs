//! A normalised text, cut into words or into characters.
//!
//! A word is a maximal run of letters, marks and digits. In scripts written without spaces it is
//! every two adjacent characters of such a run (the character itself if the run has only one), so
//! that a changed character changes two tokens and not a clause.

use crate::characters::{self, Class};

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

    fn push(&mut self, start: usize, end: usize) {
        self.starts.push(start);
        self.ends.push(end);
    }
}

/// Finds the words of `bytes`, normalised UTF-8. Bytes that are not UTF-8 separate words.
pub fn words(bytes: &[u8], tokens: &mut Tokens) {
    tokens.clear();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            if !bytes[at].is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let end = ascii_word_end(bytes, at);
            if bytes.get(end).is_none_or(u8::is_ascii) {
                tokens.push(at, end);
                at = end;
                continue;
            }
        }
        at = mixed_run(bytes, at, tokens);
    }
}

fn ascii_word_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    start + rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len())
}

/// Reads one run of word characters, some of them beyond ASCII, and returns where it ends.
fn mixed_run(bytes: &[u8], start: usize, tokens: &mut Tokens) -> usize {
    let mut at = start;
    let mut kind = None;
    // In an unspaced run: where the last and the one before the last character began.
    let mut previous = start;
    let mut characters = 0;
    while let Some((c, next)) = char_at(bytes, at) {
        let class = characters::class(c);
        match (class, kind) {
            (Class::Mark, None) | (Class::Word, None) => kind = Some(Class::Word),
            (Class::Unspaced, None) => kind = Some(Class::Unspaced),
            (Class::Word, Some(Class::Word)) => {}
            (Class::Unspaced | Class::Mark, Some(Class::Unspaced)) | (Class::Mark, Some(_)) => {}
            _ => break,
        }
        if kind == Some(Class::Unspaced) {
            if characters > 0 {
                tokens.push(previous, next);
            }
            previous = at;
            characters += 1;
        }
        at = next;
    }
    match kind {
        Some(Class::Unspaced) if characters == 1 => tokens.push(start, at),
        Some(Class::Unspaced) => {}
        Some(_) => tokens.push(start, at),
        // A separator: step over it.
        None => at = char_at(bytes, start).map_or(start + 1, |(_, next)| next),
    }
    at
}

/// The character that begins at `at`, and where the next one begins.
fn char_at(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = bytes.get(at..)?;
    let length = match rest.first()? {
        0x00..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    };
    let c = std::str::from_utf8(rest.get(..length)?).ok()?.chars().next()?;
    Some((c, at + length))
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
    fn bytes_that_are_not_utf8_separate_words() {
        let mut tokens = Tokens::default();
        words(b"ab\xFFcd\xE3\x81", &mut tokens);
        assert_eq!(tokens.len(), 2);
    }
}
