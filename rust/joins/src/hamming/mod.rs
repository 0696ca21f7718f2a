//! Exact joins of fingerprints: every pair at most `radius` bits apart, and no other.
//!
//! Equal fingerprints are put together first ([`values`]), so that copies cost nothing; the
//! distinct values are searched with covering tables ([`search`], planned by [`cover`]); rows are
//! looked up only for values that have an edge ([`rows_by_value`]); and the pairs of these rows are
//! put in order ([`pairs`]). Nothing depends on chance, on the memory or on the
//! processor but the time taken. An [`Index`] answers, for fingerprints that come and go, which of
//! them are near one.

#[cfg(test)]
pub(crate) mod cases;
mod cover;
mod design;
mod distance;
mod edges;
mod families;
mod index;
mod order;
mod pairs;
mod partition;
mod plan;
mod rows_by_value;
mod search;
mod shared;
mod values;

pub use distance::{distance, find_within_radius};
pub use families::connect_fingerprints;
pub use index::{Answers, Index};
pub use pairs::Pairs;
pub use plan::{Limits, Plan};

use crate::error::{KernelError, Watch};
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;
use edges::{EdgeCount, Edges};
use pairs::Block;
use plan::Reserve;
use rows_by_value::RowsByValue;
use shared::Worker;
use values::{MixOrdered, Values};

/// The first rows of equal fingerprints, and the pairs of such rows.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Groups {
    /// For each row the first row that holds its value.
    pub first: Vec<u32>,
    /// Pairs of first rows, left < right, whose values are 1 to `radius` bits apart.
    pub edges: Pairs,
}

/// All pairs of rows whose fingerprints are at most `radius` bits apart.
///
/// # Errors
/// [`KernelError::TooManyPairs`] with the exact number of pairs if it is above the limit; they are
/// counted, not stored. [`KernelError::TooManyRows`] from 2^32 rows or pairs, and
/// [`KernelError::Interrupted`] by the watch.
pub fn self_join<T: Fingerprint>(
    fingerprints: &[T],
    radius: u32,
    limits: Limits,
    watch: Watch,
) -> Result<Pairs, KernelError> {
    let progress = Progress::begin(watch)?;
    let reserve = Reserve::of::<T>(fingerprints.len(), limits);
    let values = Values::of(fingerprints, reserve, &progress)?;
    let edges = Edges::starting_at_count(values.count_equal_pairs(), limits.pairs);
    let edges = edges.find_edges(&values, None, EdgeCount::Rows, radius, reserve, &progress)?;
    let repeated = values.into_repeated();
    let asked = MixOrdered::of(&[repeated.values(), edges.end_values()], reserve, &progress)?;
    let rows_by_value = RowsByValue::of(&asked, fingerprints, reserve, &progress)?;
    let between = |&[a, b]: &[T; 2]| Block::Between(rows_by_value.rows(a), rows_by_value.rows(b));
    let blocks = |worker: Worker| {
        let own = rows_by_value.iter_places(worker.own_range_of(rows_by_value.len()));
        let copies = own.filter(|rows| rows.len() > 1).map(Block::Within);
        copies.chain(edges.share_of(worker).iter().map(between))
    };
    Pairs::sort_and_measure_pairs_of_blocks(
        fingerprints,
        fingerprints,
        blocks,
        edges.count,
        reserve.threads,
        &progress,
    )
}

/// All pairs of a left and a right row whose fingerprints are at most `radius` bits apart.
///
/// # Errors
/// As for [`self_join`].
pub fn join<T: Fingerprint>(
    left: &[T],
    right: &[T],
    radius: u32,
    limits: Limits,
    watch: Watch,
) -> Result<Pairs, KernelError> {
    let progress = Progress::begin(watch)?;
    let reserve = Reserve::of::<T>(left.len() + right.len(), limits);
    let (from, to) =
        (Values::of(left, reserve, &progress)?, Values::of(right, reserve, &progress)?);
    let edges = Edges::starting_at_count(0, limits.pairs);
    let edges = edges.find_edges(&from, Some(&to), EdgeCount::Rows, radius, reserve, &progress)?;
    drop((from, to));
    let asked = MixOrdered::of(&[edges.end_values()], reserve, &progress)?;
    let rows_of = |column: &[T]| RowsByValue::of(&asked, column, reserve, &progress);
    let (from, to) = (rows_of(left)?, rows_of(right)?);
    let across = |&[a, b]: &[T; 2]| Block::Across(from.rows(a), to.rows(b));
    let blocks = |worker: Worker| edges.share_of(worker).iter().map(across);
    let (count, threads) = (edges.count, reserve.threads);
    Pairs::sort_and_measure_pairs_of_blocks(left, right, blocks, count, threads, &progress)
}

/// Groups of equal fingerprints, and all pairs of groups at most `radius` bits apart.
///
/// # Errors
/// As for [`self_join`], with the pairs of groups counted.
pub fn join_equal_groups<T: Fingerprint>(
    fingerprints: &[T],
    radius: u32,
    limits: Limits,
    watch: Watch,
) -> Result<Groups, KernelError> {
    let progress = Progress::begin(watch)?;
    let reserve = Reserve::of::<T>(fingerprints.len(), limits);
    let values = Values::of(fingerprints, reserve, &progress)?;
    let edges = Edges::starting_at_count(0, limits.pairs);
    let edges = edges.find_edges(&values, None, EdgeCount::Edge, radius, reserve, &progress)?;
    let repeated = values.into_repeated();
    let asked = MixOrdered::of(&[repeated.values(), edges.end_values()], reserve, &progress)?;
    let rows_by_value = RowsByValue::of(&asked, fingerprints, reserve, &progress)?;
    reserve::check_room(12 * fingerprints.len())?; // A number a row, and a column of them.
    let mut first: Vec<u32> = (0..fingerprints.len() as u32).collect();
    for rows in rows_by_value.iter() {
        for &row in rows {
            first[row as usize] = rows[0];
        }
    }
    let between =
        |&[a, b]: &[T; 2]| Block::Between(&rows_by_value.rows(a)[..1], &rows_by_value.rows(b)[..1]);
    let blocks = |worker: Worker| edges.share_of(worker).iter().map(between);
    let edges = Pairs::sort_and_measure_pairs_of_blocks(
        fingerprints,
        fingerprints,
        blocks,
        edges.count,
        reserve.threads,
        &progress,
    )?;
    Ok(Groups { first, edges })
}

#[cfg(test)]
mod tests;
