//! A text, normalised: NFKC, full case folding, white space as plain spaces.
//!
//! Most characters keep their form or become one other character, and are copied through a table;
//! only those that combine, decompose or grow go through the full algorithms, and only with their
//! neighbours up to the next stable starter.

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::characters::{self, Class, Rewrite};
use crate::simd::ascii;
use ilk_joins::stop;

/// Preparation of a text before it is cut into tokens. Case folding is full (Unicode 3.13,
/// toCasefold).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalisation {
    /// NFKC, then case folding.
    Fold,
    /// NFC, then case folding.
    NfcFold,
    /// Case folding alone.
    CaseFold,
    /// NFKC alone.
    Nfkc,
    /// NFC alone.
    Nfc,
    /// The text as it is.
    None,
}

/// Bytes of a text to work on at once: few enough that what they turn into stays in the cache.
const PIECE: usize = 1 << 14;

/// Cuts a text where neither normalisation nor a word can reach across: before an ASCII
/// character that is neither letter nor digit, the first one after every 16 KiB.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    pieces_before(text, |byte| !byte.is_ascii_alphanumeric())
}

/// Cuts a text before the first of some ASCII characters after every 16 KiB.
pub fn pieces_before(text: &str, may_cut: impl Fn(u8) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let far = rest.as_bytes().get(PIECE..).unwrap_or_default();
        // Before the cut nothing reaches over it: a mark that follows the ASCII character stays
        // with it.
        let cut = far.iter().position(|&byte| byte.is_ascii() && may_cut(byte));
        let (piece, next) = rest.split_at(cut.map_or(rest.len(), |i| PIECE + i));
        rest = next;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A normalised text, with the way back to where each byte came from.
#[derive(Debug, Default)]
pub struct Normalised {
    /// The normalised text as UTF-8. White space beyond ASCII is written as U+0020.
    pub bytes: Vec<u8>,
    /// The class of each of its characters beyond ASCII, in order: they are looked up once.
    pub classes: Vec<Class>,
    /// True if folding took from a character what it said of a number
    /// ([`characters::loses_number_in_nfkc`]).
    pub numerals: bool,
    /// In order, the parts whose characters have other lengths or orders; around them both advance
    /// byte by byte alike.
    changes: Vec<ChangedPart>,
}

/// A part of the text, and what became of it.
#[derive(Debug)]
struct ChangedPart {
    from: Range<usize>,
    to: Range<usize>,
}

impl Normalised {
    /// Normalises `text`, reusing the buffers of what stood here before. Every reading of a text
    /// comes here piece by piece, so that Ctrl-C is heard here ([`stop`]).
    pub fn set_text(&mut self, text: &str, normalisation: Normalisation) {
        stop::count_work_or_unwind(text.len());
        self.bytes.clear();
        self.classes.clear();
        self.changes.clear();
        self.numerals = false;
        match normalisation {
            Normalisation::Fold => self.fold_text(text),
            Normalisation::NfcFold => self
                .rewrite_parts(text, |part| characters::fold(&characters::nfc(part)).into_owned()),
            Normalisation::CaseFold => {
                self.rewrite_parts(text, |part| characters::fold(part).into_owned());
            }
            Normalisation::Nfkc => {
                self.rewrite_parts(text, |part| characters::nfkc(part).into_owned());
            }
            Normalisation::Nfc => {
                self.rewrite_parts(text, |part| characters::nfc(part).into_owned())
            }
            Normalisation::None => self.append_unnormalised(text),
        }
    }

    /// Bytes of the text that became the bytes `place` of the normalised text; not empty.
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
                let ChangedPart { from, to } = &self.changes[i - 1];
                if at < to.end {
                    return from.clone();
                }
                let there = from.end + (at - to.end);
                there..there + 1
            }
        }
    }

    fn append_unnormalised(&mut self, text: &str) {
        if text.is_ascii() {
            self.bytes.extend_from_slice(text.as_bytes());
            return;
        }
        for (at, c) in text.char_indices() {
            self.write_part(text, at..at + c.len_utf8(), [c]);
        }
    }

    /// Writes what every part of the text becomes: a run of ASCII without its last character, which
    /// joins nothing before it, or that character and all after it up to the next ASCII.
    fn rewrite_parts(&mut self, text: &str, becomes: impl Fn(&str) -> String) {
        let mut at = 0;
        while at < text.len() {
            let ascii = text[at..].bytes().take_while(u8::is_ascii).count();
            let others = text[at + ascii..].bytes().take_while(|byte| !byte.is_ascii()).count();
            // That last character may join what follows, as a letter joins an accent.
            let last = (at + ascii).saturating_sub(1).max(at);
            let end = at + ascii + others;
            for part in [at..last, last..end] {
                let becomes = becomes(&text[part.clone()]);
                self.write_part(text, part, becomes.chars());
            }
            at = end;
        }
    }

    fn fold_text(&mut self, text: &str) {
        let mut at = 0;
        // Start of the last character that joins nothing before it, in the text and in
        // `self.bytes`: one that joins reaches back to it.
        let mut before = (0, 0);
        loop {
            let run =
                ascii::push_prefix_kept_by_folding(&text[at..], &mut self.bytes, &mut self.classes);
            at += run;
            if run > 0 {
                let last = text[..at].chars().next_back().map_or(0, char::len_utf8);
                before = (at - last, self.bytes.len() - last);
            }
            let Some(c) = text[at..].chars().next() else { break };
            let next = at + c.len_utf8();
            self.numerals |= characters::loses_number_in_nfkc(c);
            let start = match characters::rewrite(c) {
                (Rewrite::Joins, _) => before.0,
                (Rewrite::To(folded), class) => {
                    before = (at, self.bytes.len());
                    self.push_character(folded, class);
                    self.note_change(at..next, before.1);
                    at = next;
                    continue;
                }
                _ => at,
            };
            if start < at {
                // The mark joins a character that was written already: both are done again
                // together.
                self.take_back(before.1);
            }
            at = self.fold_slowly(text, start, next);
            before = (at, self.bytes.len());
        }
    }

    /// Takes back what was written from `start` on.
    fn take_back(&mut self, start: usize) {
        // The first byte of each such character is 0xC0 or more; those that follow are less.
        let beyond_ascii = self.bytes[start..].iter().filter(|&&byte| byte >= 0xC0).count();
        self.classes.truncate(self.classes.len() - beyond_ascii);
        self.bytes.truncate(start);
        while self.changes.last().is_some_and(|change| change.to.end > start) {
            self.changes.pop();
        }
    }

    /// Folds the part from `start` to the first character from `next` on that joins nothing;
    /// returns where that is.
    fn fold_slowly(&mut self, text: &str, start: usize, next: usize) -> usize {
        let mut rest = text[next..].char_indices();
        let free = rest.find(|&(_, c)| characters::rewrite(c).0 != Rewrite::Joins);
        let end = free.map_or(text.len(), |(i, _)| next + i);
        let normal = characters::nfkc(&text[start..end]);
        self.write_part(text, start..end, characters::fold(&normal).chars());
        end
    }

    /// Writes what a part of the text becomes.
    fn write_part(
        &mut self,
        text: &str,
        from: Range<usize>,
        chars: impl IntoIterator<Item = char>,
    ) {
        let start = self.bytes.len();
        for c in chars {
            match characters::class(c) {
                Class::Space if !c.is_ascii() => self.bytes.push(b' '),
                class => self.push_character(c, class),
            }
        }
        // Marks that change places may leave the length as it was, and no character where it was.
        let following = |byte: &u8| byte & 0xC0 == 0x80;
        let before = text.as_bytes()[from.clone()].iter().map(following);
        if !before.eq(self.bytes[start..].iter().map(following)) {
            self.changes.push(ChangedPart { from, to: start..self.bytes.len() });
        }
    }

    /// Writes one character.
    fn push_character(&mut self, c: char, class: Class) {
        self.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        if !c.is_ascii() {
            self.classes.push(class);
        }
    }

    /// Notes that a part of the text became what is written from `start` on.
    fn note_change(&mut self, from: Range<usize>, start: usize) {
        let to = start..self.bytes.len();
        if to.len() != from.len() {
            self.changes.push(ChangedPart { from, to });
        }
    }
}

/// Appends a part of a text, in which runs of white space become one space. `after_space` is kept
/// from one part to the next, and true before the first; where it is true after the last, white
/// space at the end is still to go.
pub fn push_collapsed(part: &[u8], after_space: &mut bool, to: &mut Vec<u8>) {
    ascii::push_collapsed(part, after_space, to);
}

/// Runs of white space become one space; white space at both ends goes. In place.
pub fn collapse_spaces(bytes: &mut Vec<u8>) {
    let left = ascii::collapse(bytes);
    bytes.truncate(left);
    if bytes.last() == Some(&b' ') {
        bytes.pop();
    }
}
