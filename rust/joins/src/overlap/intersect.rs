//! Size of the intersection of two sets.

use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::progress::{JUMP, Progress};
use crate::sets::saturate_to_u32;
use crate::simd::intersect::SetIntersector;
use crate::simd::prefetch::prefetch_set;

/// A set this many times larger than the other is searched instead of read: a search in steps that
/// double takes about 2 log2(64) = 12 of them for each value of the smaller one, none of which can
/// be foreseen; a merge reads the 64 values between two, several at once.
const SEARCHED: usize = 64;

/// Sets to come are brought near this many pairs ahead: memory takes longer to answer than a pair
/// of small sets takes to count, and what comes too early is driven out of the cache again.
pub(crate) const AHEAD: usize = 6;

/// |A n B| of row `left_rows[i]` of `left_sets` and row `right_rows[i]` of `right_sets`, for each
/// pair `i`, as far as both lists reach. A row that does not exist is an empty set. The pairs may
/// lie anywhere in memory: coming sets are asked for while one pair is counted.
///
/// # Errors
/// [`KernelError::Interrupted`] when `watch` says so.
pub fn count_shared_ids(
    left_sets: Sets,
    right_sets: Sets,
    left_rows: &[u32],
    right_rows: &[u32],
    watch: Watch,
) -> Result<Vec<u32>, KernelError> {
    let progress = Progress::stage(watch, 0.0, 1.0);
    let pair = |i: usize| {
        let (left, right) = (*left_rows.get(i)?, *right_rows.get(i)?);
        Some((left_sets.set_or_empty(left as usize), right_sets.set_or_empty(right as usize)))
    };
    let intersector = SetIntersector::detect();
    let mut shared = Vec::with_capacity(left_rows.len().min(right_rows.len()));
    while let Some((a, b)) = pair(shared.len()) {
        if let Some((a, b)) = pair(shared.len() + AHEAD) {
            prefetch_set(a);
            prefetch_set(b);
        }
        progress.note_done(shared.len(), left_rows.len());
        progress.spend_values(a.len() + b.len() + JUMP)?;
        shared.push(saturate_to_u32(count_shared_if_enough(intersector, a, b, 0).unwrap_or(0)));
    }
    Ok(shared)
}

/// |A n B| of two sets, each sorted ascending and distinct, if it is at least `need`.
#[inline]
pub(crate) fn count_shared_if_enough(
    intersector: SetIntersector,
    a: &[u32],
    b: &[u32],
    need: usize,
) -> Option<usize> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.len() < need {
        return None;
    }
    if large.len() / SEARCHED <= small.len() {
        return intersector.count_shared(small, large, need);
    }
    let shared = count_shared_by_search(small, large);
    (shared >= need).then_some(shared)
}

/// Looks up each value of `small` in what is left of `large`, in steps that double.
fn count_shared_by_search(small: &[u32], mut large: &[u32]) -> usize {
    let mut shared = 0;
    for &value in small {
        let mut reach = 1;
        while reach < large.len() && large[reach] < value {
            reach *= 2;
        }
        // What is at `reach` is not below the value, or the list ends before: the place is among
        // these.
        let near = &large[..large.len().min(reach + 1)];
        large = &large[near.partition_point(|&other| other < value)..];
        shared += usize::from(large.first() == Some(&value));
    }
    shared
}
