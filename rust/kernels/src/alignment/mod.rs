//! Agreement of a text and a copy with wrong characters, character by character.
//!
//! Texts are compared bare ([`bare`]): folded, and without what is between words, so that
//! case, punctuation, hyphens and spaces are never wrong. [`mod@distance`] counts the wrong
//! characters of the best alignment of two whole texts (Levenshtein 1965; Myers 1999, in blocks
//! and in the band of Ukkonen 1985); [`mod@within`] those of one text and the stretch of the other
//! where it fits best (Sellers 1980; Myers 1999); [`mod@moved`] those left where parts may be
//! in any order. [`mod@scatter`] tells noise from edits. [`align_pairs_in_order_with_patience`]
//! aligns many pairs, and no family pair by pair.

mod bare;
mod distance;
mod each_pair;
mod matches;
mod moved;
mod scatter;
#[cfg(test)]
mod tests;
mod within;

pub use bare::{Bare, Barer};
pub use distance::measure_distance;
pub use each_pair::{Aligned, Conditions, align_pairs_in_order_with_patience};
pub use moved::{JUMP, count_wrong_characters_with_moves};
pub use scatter::measure_scatter_or_infinity;
pub use within::measure_distance_within;

use matches::Matches;

/// Aligns texts; keeps its buffers from one pair to the next.
#[derive(Debug, Default)]
pub struct Aligner {
    matches: Matches,
    blocks: Vec<ColumnBlock>,
    sum_columns: moved::SumColumns,
}

/// Sixty-four rows of a column: where the distance rises by one, where it falls, and what it is in
/// the last of them (Myers 1999, figure 8).
#[derive(Debug, Clone, Copy)]
struct ColumnBlock {
    up: u64,
    down: u64,
    score: usize,
}

impl ColumnBlock {
    /// A column in which every row is one more than the row before.
    fn first(score: usize) -> Self {
        Self { up: u64::MAX, down: 0, score }
    }

    /// Goes on to the next column; `last` is the row whose score is kept.
    ///
    /// Input and output are the changes of the row above the block and of its last row: a bit that
    /// is set where they rise, and one where they fall.
    #[inline(always)]
    fn advance(&mut self, equal: u64, (rises, falls): (u64, u64), last: u32) -> (u64, u64) {
        let reached = equal | self.down;
        let equal = equal | falls;
        // The carry of the addition runs through the rows in which the distance rises: a match
        // lowers all of them at once. That is what lets 64 rows be one step.
        let diagonal = ((equal & self.up).wrapping_add(self.up) ^ self.up) | equal;
        let rises_across = self.down | !(diagonal | self.up);
        let falls_across = self.up & diagonal;
        let out = ((rises_across >> last) & 1, (falls_across >> last) & 1);
        let rises = (rises_across << 1) | rises;
        self.up = (falls_across << 1) | falls | !(reached | rises);
        self.down = rises & reached;
        self.score = self.score.wrapping_add(out.0 as usize).wrapping_sub(out.1 as usize);
        out
    }
}
