//! Texts as rows of bits, one per byte, 64 in a word of the machine, the first byte lowest.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::characters::Class;
use crate::simd::level::Level;

/// Finds the bytes of UTF-8 that belong to words, and those that belong to runs of scripts without
/// spaces, from the classes of the characters beyond ASCII, in order: one bit each, in rows of one
/// word per 64 bytes begun. A mark belongs to what it follows. Bits beyond the end are 0.
pub fn classify(
    bytes: &[u8],
    classes: &[Class],
    in_word: &mut Vec<u64>,
    in_unspaced: &mut Vec<u64>,
) {
    in_word.clear();
    in_unspaced.clear();
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::classify(bytes, classes, in_word, in_unspaced) },
        Level::Portable => portable::classify(bytes, classes, in_word, in_unspaced),
    }
}

/// 64 bytes of a text, one bit each.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// ASCII letters and digits.
    alphanumeric: u64,
    /// All that is not ASCII.
    beyond_ascii: u64,
    /// Bytes of a character after its first.
    following: u64,
}

/// First bytes of characters, by class.
#[derive(Debug, Clone, Copy)]
struct Firsts {
    word: u64,
    mark: u64,
    unspaced: u64,
}

/// The last bits of the block before.
#[derive(Debug, Default)]
struct Before {
    word: u64,
    mark: u64,
    unspaced: u64,
    /// Also if a mark belongs to the run.
    in_unspaced: u64,
}

impl Before {
    /// Which bytes of a block belong to words, and to runs without spaces.
    #[inline]
    fn settle(&mut self, block: Block, firsts: Firsts) -> (u64, u64) {
        let whole = |first: u64, before: u64| {
            // A character has at most three bytes after its first.
            let two = first | (first << 1 | before) & block.following;
            let three = two | two << 1 & block.following;
            three | three << 1 & block.following
        };
        let marks = whole(firsts.mark, self.mark);
        let unspaced = whole(firsts.unspaced, self.unspaced);
        let words = whole(firsts.word, self.word);
        let next = (unspaced << 1 | self.in_unspaced) & marks;
        // Added to marks, one bit clears all that follow it: the carry runs through them.
        let in_unspaced = unspaced | marks & !marks.wrapping_add(next);
        *self = Self {
            word: words >> 63,
            mark: marks >> 63,
            unspaced: unspaced >> 63,
            in_unspaced: in_unspaced >> 63,
        };
        (block.alphanumeric | words | marks & !in_unspaced, in_unspaced)
    }
}

/// Where each run of ones begins, and the place after its last.
pub fn runs(row: &[u64], starts: &mut Vec<usize>, ends: &mut Vec<usize>) {
    starts.clear();
    ends.clear();
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::runs(row, starts, ends) },
        Level::Portable => portable::runs(row, starts, ends),
    }
    if row.last().is_some_and(|word| word >> 63 == 1) {
        ends.push(64 * row.len());
    }
}

/// The first bits of the runs in a word, and the first bits after runs; `before` is the bit in
/// front of the word, and becomes its last bit.
#[inline]
fn edges(word: u64, before: &mut u64) -> (u64, u64) {
    let shifted = word << 1 | *before;
    *before = word >> 63;
    (word & !shifted, !word & shifted)
}
