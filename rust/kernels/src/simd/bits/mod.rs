//! Texts as rows of bits, one per byte, 64 in a word of the machine, the first byte lowest.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::characters::Class;
use ilk_joins::dispatch;
use ilk_joins::simd::Level;

/// A text, a bit for every byte, in rows of one word per 64 bytes begun. Bits beyond the end are 0.
#[derive(Debug, Default)]
pub struct BitRows {
    /// Bytes of words of scripts with spaces.
    pub in_word: Vec<u64>,
    /// Bytes of runs of scripts without spaces.
    pub in_unspaced: Vec<u64>,
    /// Bytes of characters after their first; unknown around nothing but ASCII.
    pub following: Vec<u64>,
}

/// Fills the rows of a text in UTF-8 from the classes of its characters beyond ASCII, in order. A
/// mark belongs to what it follows.
pub fn classify(bytes: &[u8], classes_beyond_ascii: &[Class], rows: &mut BitRows) {
    let words = bytes.len().div_ceil(64);
    for row in [&mut rows.in_word, &mut rows.in_unspaced, &mut rows.following] {
        row.clear();
        row.resize(words, 0);
    }
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::classify(bytes, classes_beyond_ascii, rows),
        Avx2 => avx2::classify(bytes, classes_beyond_ascii, rows),
        _ => portable::classify(bytes, classes_beyond_ascii, rows),
    );
}

/// 64 bytes of a text, one bit each.
#[derive(Debug, Clone, Copy)]
struct ByteBlock {
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
    /// Bytes of a block that belong to words, and to runs without spaces.
    #[inline]
    fn settle(&mut self, block: ByteBlock, firsts: Firsts) -> (u64, u64) {
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

/// Cut tokens: the place of the first byte of each, and the place after its last. Runs of a script
/// with spaces are cut as they are; of runs without, every two adjacent characters, or the only
/// one.
pub fn cut(rows: &BitRows, starts: &mut Vec<usize>, ends: &mut Vec<usize>) {
    starts.clear();
    ends.clear();
    dispatch!(
        Level::detect(),
        Avx512 => avx512::cut(rows, starts, ends),
        Avx512F | Avx2 => avx2::cut(rows, starts, ends),
        _ => portable::cut(rows, starts, ends),
    );
    let last = |row: &[u64]| row.last().map_or(0, |word| word >> 63);
    if last(&rows.in_word) | last(&rows.in_unspaced) == 1 {
        ends.push(64 * rows.in_word.len());
    }
}

/// Finds the edges of tokens, one word of the rows after the other.
///
/// No two tokens begin at one place or end at one, and those that overlap do so in order: the i-th
/// end is that of the i-th token.
#[derive(Debug, Default)]
struct Edges {
    /// The last bit of the row before.
    in_word: u64,
    in_unspaced: u64,
    /// 1 if the second character of a run without spaces is still to come.
    second: u64,
}

impl Edges {
    /// The first bits of the tokens, and the first bits after tokens, of word `i` of the rows.
    #[inline(always)]
    fn of(&mut self, rows: &BitRows, i: usize) -> (u64, u64) {
        let word = rows.in_word[i];
        let shifted = word << 1 | self.in_word;
        self.in_word = word >> 63;
        let (mut first, mut after) = (word & !shifted, !word & shifted);
        if rows.in_unspaced[i] | self.in_unspaced != 0 {
            let (unspaced_first, unspaced_after) = self.of_unspaced(rows, i);
            first |= unspaced_first;
            after |= unspaced_after;
        }
        (first, after)
    }

    /// A run's characters all begin a token but its last, unless that is its only one; and the
    /// token before ends where each begins, but for the first and the second.
    fn of_unspaced(&mut self, rows: &BitRows, i: usize) -> (u64, u64) {
        let run = rows.in_unspaced[i];
        let shifted = run << 1 | self.in_unspaced;
        let following = rows.following[i];
        let characters = run & !following;
        let only_or_first = run & !shifted;
        // A character has at most three bytes after its first, some of them in the next word.
        let wide = |row: &[u64]| {
            u128::from(row[i]) | u128::from(row.get(i + 1).copied().unwrap_or(0)) << 64
        };
        let (wide_run, wide_following) = (wide(&rows.in_unspaced), wide(&rows.following));
        let mut last = wide_run & !(wide_run >> 1);
        let mut second = only_or_first << 1 | self.second;
        for _ in 0..3 {
            last |= (last & wide_following) >> 1;
            second |= (second & following) << 1;
        }
        self.in_unspaced = run >> 63;
        self.second = (only_or_first | second & following) >> 63;
        let first = only_or_first | characters & !(last as u64);
        let after = !run & shifted | characters & !only_or_first & !second;
        (first, after)
    }
}
