//! The pairs of rows that a join returns, put in order.

use super::distance::distance;
use super::order::visit_distinct_ascending;
use super::partition::Source;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;

/// Pairs handled between two looks at the progress, and the nanoseconds one costs.
const CHUNK: u64 = 1 << 18;
const COST: u64 = 10;

/// Pairs of rows, sorted by (left, right); for a self-join left < right, every pair once.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Pairs {
    /// The row on the left of each pair.
    pub left: Vec<u32>,
    /// The row on the right of each pair.
    pub right: Vec<u32>,
    /// The bits in which the fingerprints of the two rows differ.
    pub distance: Vec<u8>,
}

impl Pairs {
    /// Sorts the pairs of blocks, `count` of them and no two equal, and measures their distances.
    pub(super) fn sort_and_measure_pairs_of_blocks<'a, T: Fingerprint>(
        left: &[T],
        right: &[T],
        blocks: impl Iterator<Item = Block<'a>>,
        count: u64,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let count = count as usize;
        // A pair is the number left x 2^32 + right.
        let mut numbers = reserve::new_list(count)?;
        let pair = |left, right| numbers.push(u64::from(left) << u32::BITS | u64::from(right));
        visit_pairs(blocks, progress, pair)?;
        let mut pairs = Self {
            left: reserve::new_list(count)?,
            right: reserve::new_list(count)?,
            distance: reserve::new_list(count)?,
        };
        let pieces = [&numbers[..]];
        let source = Source::all(&pieces, |number| number);
        let bits = u32::BITS + (left.len() as u64).bit_length();
        visit_distinct_ascending(source, bits, usize::MAX, progress, |number| {
            let (row, other) = ((number >> u32::BITS) as u32, number as u32);
            pairs.left.push(row);
            pairs.right.push(other);
            pairs.distance.push(distance(left[row as usize], right[other as usize]));
        })?;
        drop(numbers);
        reserve::check_room(17 * count)?; // Of these callers make columns.
        Ok(pairs)
    }
}

/// Rows that all pair with each other.
#[derive(Debug, Clone, Copy)]
pub(super) enum Block<'a> {
    /// Every two of the rows, the smaller on the left; the rows ascend.
    Within(&'a [u32]),
    /// Every row of the one with every row of the other, the smaller on the left.
    Between(&'a [u32], &'a [u32]),
    /// Every row on the left with every row on the right.
    Across(&'a [u32], &'a [u32]),
}

/// Calls `pair` with every pair of the blocks.
fn visit_pairs<'a>(
    blocks: impl Iterator<Item = Block<'a>>,
    progress: &Progress,
    mut pair: impl FnMut(u32, u32),
) -> Result<(), KernelError> {
    let mut pending = 0;
    for block in blocks {
        let (rows, others) = match block {
            Block::Within(rows) => (rows, rows),
            Block::Between(rows, others) | Block::Across(rows, others) => (rows, others),
        };
        for (i, &row) in rows.iter().enumerate() {
            match block {
                Block::Within(_) => rows[i + 1..].iter().for_each(|&other| pair(row, other)),
                Block::Between(..) => {
                    others.iter().for_each(|&other| pair(row.min(other), row.max(other)))
                }
                Block::Across(..) => others.iter().for_each(|&other| pair(row, other)),
            }
            pending += others.len() as u64;
            if pending >= CHUNK {
                progress.spend_nanoseconds(pending * COST)?;
                pending = 0;
            }
        }
    }
    Ok(())
}
