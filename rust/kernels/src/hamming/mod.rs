//! Exact joins of fingerprints: every pair at most `radius` bits apart, and no other.
//!
//! Equal fingerprints are put together first ([`values`]), so that copies cost nothing; the
//! distinct values are searched with covering tables ([`search`], planned by [`cover`]); the edges
//! found are expanded to the rows that hold the values and put in order ([`pairs`]). Nothing
//! depends on chance or on the processor but the time taken. An [`Index`] answers, for
//! fingerprints that come and go, which of them are near one.

#[cfg(test)]
mod cases;
mod cover;
mod design;
mod distance;
mod edges;
mod index;
mod meter;
mod pairs;
mod partition;
mod plan;
mod search;
mod values;

pub use distance::distance;
pub use index::{Answers, Index};
pub use pairs::Pairs;
pub use plan::Plan;

use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::fingerprint::Fingerprint;
use edges::{Edges, Weight};
use meter::Meter;
use pairs::Block;
use search::{Search, Sides};
use values::Values;

/// Equal fingerprints grouped, and the groups joined.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Groups {
    /// For each row its group; groups are numbered in order of their first row.
    pub group: Vec<u32>,
    /// For each group the first row that holds its value.
    pub first: Vec<u32>,
    /// Pairs of groups, left < right, whose values are 1 to `radius` bits apart.
    pub edges: Pairs,
}

/// All pairs of rows whose fingerprints are at most `radius` bits apart.
///
/// # Errors
/// [`KernelError::TooManyPairs`] with the exact number of pairs if it is above `max_pairs`; they
/// are counted, not stored. [`KernelError::TooManyRows`] from 2^32 rows, and
/// [`KernelError::Interrupted`] by the watch.
pub fn self_join<T: Fingerprint>(
    fingerprints: &[T],
    radius: u32,
    max_pairs: u64,
    watch: Watch,
) -> Result<Pairs, KernelError> {
    let meter = Meter::start(watch)?;
    let values = Values::new(fingerprints, &meter)?;
    let groups = || (0..values.distinct.len()).map(|value| values.rows(value));
    let equal = groups().map(|rows| pairs_of(rows.len())).sum();
    let edges = Edges::after(equal, max_pairs);
    let edges = edges.search(&values, None, radius, Weight::Rows, &meter)?;
    let blocks = || {
        let between =
            |&(a, b): &(u32, u32)| Block::Between(values.rows(a as usize), values.rows(b as usize));
        let copies = groups().filter(|rows| rows.len() > 1);
        copies.map(Block::Within).chain(edges.iter().map(between))
    };
    Pairs::sorted(fingerprints, fingerprints, blocks, &meter)
}

/// All pairs of a left and a right row whose fingerprints are at most `radius` bits apart.
///
/// # Errors
/// As for [`self_join`].
pub fn join<T: Fingerprint>(
    left: &[T],
    right: &[T],
    radius: u32,
    max_pairs: u64,
    watch: Watch,
) -> Result<Pairs, KernelError> {
    let meter = Meter::start(watch)?;
    let from = Values::new(left, &meter)?;
    let to = Values::new(right, &meter)?;
    let edges = Edges::after(0, max_pairs);
    let edges = edges.search(&from, Some(&to), radius, Weight::Rows, &meter)?;
    let across = |&(a, b): &(u32, u32)| Block::Across(from.rows(a as usize), to.rows(b as usize));
    Pairs::sorted(left, right, || edges.iter().map(across), &meter)
}

/// Groups of equal fingerprints, and all pairs of groups at most `radius` bits apart.
///
/// # Errors
/// As for [`self_join`], with the pairs of groups counted.
pub fn pair_groups<T: Fingerprint>(
    fingerprints: &[T],
    radius: u32,
    max_pairs: u64,
    watch: Watch,
) -> Result<Groups, KernelError> {
    let meter = Meter::start(watch)?;
    let values = Values::new(fingerprints, &meter)?;
    let edges = Edges::after(0, max_pairs);
    let edges = edges.search(&values, None, radius, Weight::Edge, &meter)?;
    let (group, first) = values.numbered();
    let number: Vec<u32> = (0..values.distinct.len())
        .filter_map(|value| values.rows(value).first())
        .map(|&row| group[row as usize])
        .collect();
    drop(values);
    let blocks = || {
        edges.iter().map(|&(a, b)| {
            let group = |value: u32| std::slice::from_ref(&number[value as usize]);
            Block::Between(group(a), group(b))
        })
    };
    let firsts: Vec<T> = first.iter().map(|&row| fingerprints[row as usize]).collect();
    let edges = Pairs::sorted(&firsts, &firsts, blocks, &meter)?;
    Ok(Groups { group, first, edges })
}

/// For each row the first row that pairs at most `radius` bits apart connect it with.
///
/// No pair is stored, so that their number does not matter.
///
/// # Errors
/// [`KernelError::TooManyRows`] from 2^32 rows, and [`KernelError::Interrupted`] by the watch.
pub fn connected<T: Fingerprint>(
    fingerprints: &[T],
    radius: u32,
    watch: Watch,
) -> Result<Vec<u32>, KernelError> {
    let meter = Meter::start(watch)?;
    let values = Values::new(fingerprints, &meter)?;
    let count = values.distinct.len();
    let mut forest = Forest::new(count as u32);
    let found = |a, b| {
        forest.union(values.place(a) as u32, values.place(b) as u32);
    };
    Search::new(radius, &meter, found).run(Sides::Within(&values.distinct))?;
    let roots = forest.into_smallest();
    let mut firsts = vec![u32::MAX; count];
    for value in 0..count {
        let first = &mut firsts[roots[value] as usize];
        *first = values.rows(value).first().map_or(*first, |&row| row.min(*first));
    }
    let mut connected = vec![0; fingerprints.len()];
    for value in 0..count {
        for &row in values.rows(value) {
            connected[row as usize] = firsts[roots[value] as usize];
        }
    }
    Ok(connected)
}

/// Pairs of two different ones among some.
fn pairs_of(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests;
