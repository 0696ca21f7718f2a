//! The pairs of rows that a join returns, put in order.

use super::distance::distance;
use super::meter::Meter;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;

/// Pairs handled between two looks at the meter, and the nanoseconds one costs.
const CHUNK: u64 = 1 << 18;
const COST: u64 = 20;

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
    /// Sorts groups of pairs: every row of the first list with every row of the second.
    ///
    /// `blocks` is walked through twice: once to count the pairs of each left row, once to put them
    /// in their places. The only memory beside the result is 8 bytes for each row of `left`.
    pub(super) fn sorted<'a, T, B>(
        left: &[T],
        right: &[T],
        blocks: impl Fn() -> B,
        meter: &Meter,
    ) -> Result<Self, KernelError>
    where
        T: Fingerprint,
        B: Iterator<Item = Block<'a>>,
    {
        let mut ends = vec![0_usize; left.len() + 1];
        visit(blocks(), meter, |row, _| ends[row as usize + 1] += 1)?;
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut pairs = Self {
            left: Vec::with_capacity(sum),
            right: vec![0; sum],
            distance: Vec::with_capacity(sum),
        };
        visit(blocks(), meter, |row, other| {
            let place = &mut ends[row as usize];
            pairs.right[*place] = other;
            *place += 1;
        })?;
        let mut start = 0;
        for ((row, &value), &end) in (0..).zip(left).zip(&ends) {
            if start == end {
                continue;
            }
            let others = &mut pairs.right[start..end];
            others.sort_unstable();
            pairs.left.resize(end, row);
            let to = |&other: &u32| distance(value, right[other as usize]);
            pairs.distance.extend(others.iter().map(to));
            meter.spend((end - start) as u64 * COST)?;
            start = end;
        }
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
fn visit<'a>(
    blocks: impl Iterator<Item = Block<'a>>,
    meter: &Meter,
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
                meter.spend(pending * COST)?;
                pending = 0;
            }
        }
    }
    Ok(())
}
