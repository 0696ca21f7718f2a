//! The passages that two documents share, by seed and extend over words.
//!
//! A seed is a run of `min_words` words of the left text that stands in the right text too. The
//! left text is read from its start; of a seed's places in the right text the one that runs on
//! furthest makes a passage. What follows a passage is looked for first at the seed right behind
//! it, then at the seeds that begin ever further inside it, and only then further on: so no common
//! run that begins inside a passage is missed, and passages overlap as little as they can. Unlike
//! an alignment this finds passages that were moved.

mod grams;
mod meter;
mod runs;
#[cfg(test)]
mod tests;

use crate::error::{KernelError, Watch};
use meter::Meter;
pub use runs::Passage;
use runs::Runs;

/// Most words of a text: the positions that a `u32` can name.
const MAX_WORDS: usize = u32::MAX as usize;

/// The passages of `left` that stand in `right` too, in the order of `left`, where none overlap.
///
/// `left`, `right`: one 64-bit hash per word; equal hashes are equal words, and every passage is
/// compared word by word. Words past the first 2^32 - 1 of a text are left out.
///
/// The passages cover exactly the words of `left` that lie in a run of at least `min_words` words
/// (0 counts as 1) that stands in `right`. Each goes on until the texts differ, at the place in
/// `right` where it goes on longest; of equals, the one in step with the passage before, else the
/// first. At most 64 places of a seed are compared, the one in step and then the first ones: in a
/// text that repeats itself this may cut the cover into more passages, but it loses no word, since
/// any one place covers the whole seed.
///
/// Where runs overlap in `left`, the earlier passage keeps the words: the later one may then be
/// shorter than `min_words`, and its seed begins in the earlier one. In `right`, passages may
/// overlap and stand in any order.
///
/// The time is proportional to the words of both texts, times 64 in `left` where seeds repeat. No
/// text makes it quadratic (unless it was built so that different seeds have one hash): any two
/// passages in a row advance by at least `min_words`, so that runs are not compared over and over.
///
/// # Errors
/// [`KernelError::Interrupted`] if `watch` asks to stop.
pub fn shared_passages(
    left: &[u64],
    right: &[u64],
    min_words: usize,
    watch: Watch,
) -> Result<Vec<Passage>, KernelError> {
    let left = &left[..left.len().min(MAX_WORDS)];
    let right = &right[..right.len().min(MAX_WORDS)];
    let length = min_words.max(1);
    let mut meter = Meter::new(left.len() + right.len(), watch);
    let runs = Runs::new(left, right, length, &mut meter)?;

    let mut passages = Vec::new();
    // Where the last passage ends in both texts, and the first seed that is still to be looked at.
    let (mut left_end, mut right_end, mut open) = (0, 0, 0);
    loop {
        // What overlaps the last passage least comes first: the seed behind it, then backwards.
        let overlapping = (open..runs.seeds().min(left_end + 1)).rev();
        let mut next = None;
        for at in overlapping.chain(left_end + 1..runs.seeds()) {
            meter.reach(right.len() + at)?;
            // A line that is often repeated belongs to the one in step with the text before it.
            let in_step = (at + right_end).checked_sub(left_end);
            next = runs.longest(at, in_step);
            if next.is_some() {
                break;
            }
        }
        let Some(run) = next else {
            return Ok(passages);
        };
        passages.push(run.passage_from(left_end));
        open = runs.first_seed_past(run.left_end()).max(left_end + 1);
        (left_end, right_end) = (run.left_end(), run.right_end());
    }
}
