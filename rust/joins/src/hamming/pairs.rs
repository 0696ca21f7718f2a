//! The pairs of rows that a join returns, put in order.

use super::distance::distance;
use super::order::list_distinct_ascending;
use super::partition::Source;
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
        let count = count as usize;
        let reserve = Reserve { numbers: usize::MAX, threads };
        let numbers = run_on_threads(reserve.threads_for(count), progress, |worker, progress| {
            list_pairs(blocks(worker), count / worker.threads, progress)
        })?;
        let pieces: Vec<&[u64]> = numbers.iter().map(|numbers| &numbers[..]).collect();
        let source = Source::all(&pieces, |number| number);
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
        let parts = list_distinct_ascending(source, bits, reserve, progress, new_list, add)?;
        drop(numbers);
        reserve::check_room(26 * count)?; // These lists, and columns that callers make of them.
        Ok(parts.into_iter().reduce(Self::append).unwrap_or_default())
    }

    fn append(mut self, mut later: Self) -> Self {
        self.left.append(&mut later.left);
        self.right.append(&mut later.right);
        self.distance.append(&mut later.distance);
        self
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
            reserve::make_room(&mut numbers, others.len())?;
            match block {
                Block::Within(_) => numbers.extend(rows[i + 1..].iter().map(|&o| pair(row, o))),
                Block::Between(..) => {
                    numbers.extend(others.iter().map(|&o| pair(row.min(o), row.max(o))))
                }
                Block::Across(..) => numbers.extend(others.iter().map(|&o| pair(row, o))),
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
