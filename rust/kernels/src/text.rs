//! A text, normalised: NFKC, full case folding, white space as plain spaces.
//!
//! Most characters keep their form or become one other character, and are copied through a table;
//! only those that combine, decompose or grow go through the full algorithms, and only with their
//! neighbours up to the next stable starter.

use std::ops::Range;

use crate::characters::{self, Class, Rewrite};

/// How a text is prepared before it is cut into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalisation {
    /// NFKC, then full case folding (Unicode 3.13, toCasefold).
    Fold,
    /// The text as it stands.
    None,
}

/// A normalised text, with the way back to where each byte came from.
#[derive(Debug, Default)]
pub struct Normalised {
    /// The normalised text as UTF-8. White space beyond ASCII is written as U+0020.
    pub bytes: Vec<u8>,
    /// Whether every byte is ASCII.
    pub is_ascii: bool,
    /// In order, the pieces whose length changed; around them both advance byte by byte alike.
    changes: Vec<Change>,
}

/// A piece of the text, and what became of it.
#[derive(Debug)]
struct Change {
    from: Range<usize>,
    to: Range<usize>,
}

impl Normalised {
    /// Normalises `text`, reusing the buffers of what stood here before.
    pub fn set(&mut self, text: &str, normalisation: Normalisation) {
        self.bytes.clear();
        self.changes.clear();
        self.is_ascii = text.is_ascii();
        match (normalisation, self.is_ascii) {
            (Normalisation::Fold, true) => {
                self.bytes.extend_from_slice(text.as_bytes());
                self.bytes.make_ascii_lowercase();
            }
            (Normalisation::Fold, false) => self.fold(text),
            (Normalisation::None, true) => self.bytes.extend_from_slice(text.as_bytes()),
            (Normalisation::None, false) => {
                for (at, c) in text.char_indices() {
                    self.write(at..at + c.len_utf8(), [c]);
                }
            }
        }
    }

    /// Where in the text the bytes `place` of the normalised text came from; not empty.
    #[must_use]
    pub fn origin(&self, place: Range<usize>) -> Range<usize> {
        let first = self.byte_origin(place.start);
        let last = self.byte_origin(place.end.saturating_sub(1).max(place.start));
        first.start..last.end
    }

    fn byte_origin(&self, at: usize) -> Range<usize> {
        match self.changes.partition_point(|change| change.to.start <= at) {
            0 => at..at + 1,
            i => {
                let Change { from, to } = &self.changes[i - 1];
                if at < to.end {
                    return from.clone();
                }
                let there = from.end + (at - to.end);
                there..there + 1
            }
        }
    }

    fn fold(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        // Where the last character that kept its length began, in the text and in `self.bytes`: a
        // character that joins reaches back to it.
        let mut before = (0, 0);
        while at < bytes.len() {
            let ascii = ascii_run(&bytes[at..]);
            if ascii > 0 {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(&bytes[at..at + ascii]);
                self.bytes[start..].make_ascii_lowercase();
                at += ascii;
                before = (at - 1, self.bytes.len() - 1);
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            let next = at + c.len_utf8();
            let here = (at, self.bytes.len());
            at = match characters::rewrite(c) {
                Rewrite::Keep => {
                    self.write(at..next, [c]);
                    next
                }
                Rewrite::To(folded) => {
                    self.write(at..next, [folded]);
                    next
                }
                rewrite => {
                    let start = if rewrite == Rewrite::Joins { before.0 } else { at };
                    if rewrite == Rewrite::Joins {
                        self.forget(before.1);
                    }
                    let end = piece_end(text, next);
                    let normal = characters::nfkc(&text[start..end]);
                    self.write(start..end, characters::fold(&normal).chars());
                    end
                }
            };
            before = here;
        }
    }

    /// Takes back what was written from `start` on.
    fn forget(&mut self, start: usize) {
        self.bytes.truncate(start);
        while self.changes.last().is_some_and(|change| change.to.end > start) {
            self.changes.pop();
        }
    }

    /// Writes what a piece of the text becomes.
    fn write(&mut self, from: Range<usize>, chars: impl IntoIterator<Item = char>) {
        let start = self.bytes.len();
        for c in chars {
            let spaced = !c.is_ascii() && characters::class(c) == Class::Space;
            let mut buffer = [0; 4];
            let written = if spaced { ' ' } else { c }.encode_utf8(&mut buffer);
            self.bytes.extend_from_slice(written.as_bytes());
        }
        let to = start..self.bytes.len();
        if to.len() != from.len() {
            self.changes.push(Change { from, to });
        }
    }
}

/// Where the first character from `at` on stands that does not join what is before it.
fn piece_end(text: &str, at: usize) -> usize {
    let mut rest = text[at..].char_indices();
    rest.find(|&(_, c)| characters::rewrite(c) != Rewrite::Joins)
        .map_or(text.len(), |(i, _)| at + i)
}

/// The number of ASCII bytes that `bytes` begins with.
fn ascii_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<16>() {
        let high = u128::from_le_bytes(*block) & 0x8080_8080_8080_8080_8080_8080_8080_8080;
        if high != 0 {
            return at + high.trailing_zeros() as usize / 8;
        }
        at += 16;
    }
    at + bytes[at..].iter().take_while(|b| b.is_ascii()).count()
}

/// Whether an ASCII byte is white space (Unicode White_Space below U+0080).
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Runs of white space become one space; white space at both ends goes. In place.
pub fn collapse(bytes: &mut Vec<u8>) {
    let mut written = 0;
    let mut after_space = true;
    for read in 0..bytes.len() {
        let byte = bytes[read];
        let space = is_space(byte);
        bytes[written] = if space { b' ' } else { byte };
        written += usize::from(!(space && after_space));
        after_space = space;
    }
    if written > 0 && bytes[written - 1] == b' ' {
        written -= 1;
    }
    bytes.truncate(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut normalised = Normalised::default();
        normalised.set(text, Normalisation::Fold);
        String::from_utf8_lossy(&normalised.bytes).into_owned()
    }

    #[test]
    fn folding_equals_the_full_algorithms_on_the_whole_text() {
        let pool: Vec<char> = "aZ 9é\u{301}\u{327}\u{1100}\u{1161}\u{11A8}한ßﬁ…ΣǅЖ漢ー゛ｶﾞ\u{A0}\u{2028}\u{9BE}\u{9C7}İ\u{1F600}\u{345}"
            .chars()
            .collect();
        let mut state = 1u64;
        for length in 0..2000 {
            let text: String = (0..length % 9)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    pool[(state >> 33) as usize % pool.len()]
                })
                .collect();
            let expected: String = characters::fold(&characters::nfkc(&text))
                .chars()
                .map(|c| if c == '\u{2028}' { ' ' } else { c })
                .collect();
            assert_eq!(folded(&text), expected, "{text:?}");
        }
    }

    #[test]
    fn every_assigned_character_alone_and_before_an_acute() {
        for c in '\0'..=char::MAX {
            for text in [format!("{c}"), format!("x{c}\u{301}y")] {
                let expected = characters::fold(&characters::nfkc(&text)).into_owned();
                let spaced: String = expected
                    .chars()
                    .map(|c| {
                        if characters::class(c) == Class::Space && !c.is_ascii() { ' ' } else { c }
                    })
                    .collect();
                assert_eq!(folded(&text), spaced, "{text:?}");
            }
        }
    }

    #[test]
    fn origins_lead_back_into_the_text() {
        let text = "The Ligature ﬁne… — and\u{A0}Straße e\u{301}t ゛か ガ end";
        let mut normalised = Normalised::default();
        normalised.set(text, Normalisation::Fold);
        let folded = String::from_utf8_lossy(&normalised.bytes).into_owned();
        for (word, original) in [
            ("the", "The"),
            ("fine", "ﬁne"),
            ("and", "and"),
            ("strasse", "Straße"),
            ("ét", "e\u{301}t"),
            ("ガ", "ガ"),
            ("end", "end"),
        ] {
            let found = folded.find(word).map(|at| normalised.origin(at..at + word.len()));
            assert_eq!(found.and_then(|place| text.get(place)), Some(original), "{word}");
        }
    }

    #[test]
    fn collapsing_white_space() {
        for (text, expected) in
            [("", ""), (" \r\n\t", ""), ("  a \n b  ", "a b"), ("a", "a"), ("a ", "a")]
        {
            let mut bytes = text.as_bytes().to_vec();
            collapse(&mut bytes);
            assert_eq!(bytes, expected.as_bytes());
        }
    }
}
