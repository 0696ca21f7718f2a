//! The pairs of rows that a join returns, put in order.

use super::distance::distance;
use super::order::list_distinct_ascending;
use super::partition::check_countable;
use super::plan::Reserve;
use super::shared::{Worker, run_on_threads};
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
    /// `blocks` gives each thread some of the blocks.
    ///
    /// # Errors
    /// [`KernelError::TooManyRows`] from 2^32 pairs, [`KernelError::NoReserve`] and
    /// [`KernelError::Interrupted`].
    pub(super) fn sort_and_measure_pairs_of_blocks<'a, T: Fingerprint, B>(
        left: &[T],
        right: &[T],
        blocks: impl Fn(Worker) -> B + Sync,
        count: u64,
        threads: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError>
    where
        B: Iterator<Item = Block<'a>>,
    {
        check_countable(count)?; // Before they fill the memory.
        let count = count as usize;
        let reserve = Reserve { numbers: usize::MAX, threads };
        let numbers = run_on_threads(reserve.threads_for(count), progress, |worker, progress| {
            list_pairs(blocks(worker), count / worker.threads, progress)
        })?;
        let bits = u32::BITS + (left.len() as u64).bit_length();
        let new_list = |count| {
            Ok(Self {
                left: reserve::new_list(count)?,
                right: reserve::new_list(count)?,
                distance: reserve::new_list(count)?,
            })
        };
        let add = |pairs: &mut Self, number: u64| {
            let (row, other) = ((number >> u32::BITS) as u32, number as u32);
            pairs.left.push(row);
            pairs.right.push(other);
            pairs.distance.push(distance(left[row as usize], right[other as usize]));
        };
        let read = |number| number;
        let parts = list_distinct_ascending(numbers, read, bits, reserve, progress, new_list, add)?;
        let pairs = Self::concatenate(parts)?;
        reserve::check_room(17 * count)?; // Of these callers make columns.
        Ok(pairs)
    }

    fn concatenate(parts: Vec<Self>) -> Result<Self, KernelError> {
        let (mut left, mut right, mut distance) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            left.push(part.left);
            right.push(part.right);
            distance.push(part.distance);
        }
        Ok(Self {
            left: reserve::concatenate(left)?,
            right: reserve::concatenate(right)?,
            distance: reserve::concatenate(distance)?,
        })
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

/// The pairs of the blocks, about `count`, each as the number left x 2^32 + right.
fn list_pairs<'a>(
    blocks: impl Iterator<Item = Block<'a>>,
    count: usize,
    progress: &Progress,
) -> Result<Vec<u64>, KernelError> {
    let mut numbers = reserve::new_list(count)?;
    let pair = |left, right| u64::from(left) << u32::BITS | u64::from(right);
    let mut pending = 0;
    for block in blocks {
        let (rows, others) = match block {
            Block::Within(rows) => (rows, rows),
            Block::Between(rows, others) | Block::Across(rows, others) => (rows, others),
        };
        for (i, &row) in rows.iter().enumerate() {
            let others = if let Block::Within(_) = block { &others[i + 1..] } else { others };
            reserve::make_room(&mut numbers, others.len())?;
            if let Block::Between(..) = block {
                numbers.extend(others.iter().map(|&o| pair(row.min(o), row.max(o))));
            } else {
                numbers.extend(others.iter().map(|&o| pair(row, o)));
            }
            pending += others.len() as u64;
            if pending >= CHUNK {
                progress.spend_nanoseconds(pending * COST)?;
                pending = 0;
            }
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::hamming::{Limits, self_join};

    #[test]
    fn a_list_of_pairs_takes_no_more_room_than_there_are() {
        let progress = Progress::begin(&|_| true).unwrap();
        let rows: Vec<u32> = (0..100).collect();
        for (block, count) in [
            (Block::Within(&rows), 4950),
            (Block::Between(&rows[..9], &rows[9..]), 819),
            (Block::Across(&rows, &rows), 10_000),
        ] {
            let numbers = list_pairs([block].into_iter(), count, &progress).unwrap();
            assert_eq!((numbers.len(), numbers.capacity()), (count, count), "{block:?}");
        }
    }

    #[test]
    fn one_thread_asks_for_the_memory_of_columns_alone() {
        let (column, pairs) = ([7_u64; 300], 300 * 299 / 2);
        let limits = Limits { pairs: u64::MAX, memory: u64::MAX, threads: 1 };
        let joined = || self_join(&column, 0, limits, &|_| true);
        let bytes = 17 * pairs;
        let found = reserve::tests::with_room_for(bytes, joined);
        assert_eq!(found.unwrap().left.len(), pairs);
        let lacking = reserve::tests::with_room_for(bytes - 1, joined);
        assert_eq!(lacking, Err(KernelError::NoReserve { bytes }));
    }

    #[test]
    fn more_pairs_than_32_bits_count_are_an_error() {
        let (column, limit) = (vec![7_u64; 92_683], u64::from(u32::MAX));
        for threads in [1, 3] {
            let limits = Limits { pairs: u64::MAX, memory: u64::MAX, threads };
            let count = 92_683 * 92_682 / 2;
            let error = KernelError::TooManyRows { count, limit };
            assert_eq!(self_join(&column, 0, limits, &|_| true), Err(error));
        }
    }
}
