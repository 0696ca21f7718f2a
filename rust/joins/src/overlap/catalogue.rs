//! The distinct sets of a column, by size, each with the rows that hold it.

use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::KernelError;
use crate::parallel::{Team, lock};
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::sets::saturate_to_u32;
use crate::simd::prefetch::prefetch_set;
use std::ops::Range;
use std::sync::Mutex;

/// The number of a distinct set in its [`Catalogue`].
pub(crate) type Rank = u32;

/// The distinct non-empty sets of a column. A set is known by its rank: sets ascend by size, then
/// by the greatest row that holds them. Equal sets are one set with many rows, so that 10^5 copies
/// cost no more than one.
pub(super) struct Catalogue<'a> {
    column: Sets<'a>,
    sets: Vec<&'a [u32]>,
    /// The rows of the first set, of the second and so on, ascending within a set.
    rows: Vec<u32>,
    /// Starts of each set's rows in `rows`, and their end.
    starts: Vec<u32>,
    /// The size of each set.
    sizes: Vec<u32>,
    /// Number of sets smaller than each size up to the greatest.
    smaller: Vec<u32>,
}

/// A row with the size and the hash of its set, by which rows are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    size: u32,
    hash: u64,
    row: u32,
}

/// The sets of a catalogue from a rank on.
#[derive(Clone, Copy)]
pub(super) struct CatalogueTail<'c, 'a> {
    pub(super) catalogue: &'c Catalogue<'a>,
    pub(super) first: Rank,
}

impl CatalogueTail<'_, '_> {
    /// The number of the sets.
    pub(super) fn len(self) -> usize {
        (self.catalogue.len() - self.first) as usize
    }

    /// The ranks of the sets.
    pub(super) fn ranks(self) -> Range<Rank> {
        self.first..self.catalogue.len()
    }
}

/// Rows whose keys are made together, and the stretches of sizes that are sorted apart, at the
/// most: more pieces than there are threads, so that no thread waits long for the last one.
const ROWS: usize = 1 << 10;
const STRETCHES: usize = 1 << 7;

/// Bytes of a row: its key, the place of its group, and what is kept of both.
const ROW_BYTES: usize = size_of::<Key>() + size_of::<Range<usize>>() + size_of::<&[u32]>() + 16;

impl<'a> Catalogue<'a> {
    /// Reads the sets of `column` whose sizes fit, but for empty ones, on `jobs` threads. Keys are
    /// made by rows, and sorted by stretches of sizes; both are put together in order, so that
    /// ranks do not depend on the threads.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn of_fitting_sizes(
        column: Sets<'a>,
        fits: impl Fn(usize) -> bool + Sync,
        jobs: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        reserve::check_room(ROW_BYTES * column.len())?;
        let mut team = Team::new(jobs, || ());
        let rows = column.len();
        let keys = team.share_out(rows.div_ceil(ROWS), progress, |(), piece, progress| {
            progress.note_done(piece * ROWS, rows);
            make_row_keys(column, piece * ROWS..rows.min((piece + 1) * ROWS), &fits, progress)
        })?;
        let (mut keys, ends) = sort_by_stretch(keys);
        let stretches: Vec<_> = split_at_each(&mut keys, &ends).map(Mutex::new).collect();
        let groups = team.share_out(stretches.len(), progress, |(), stretch, progress| {
            let mut keys = lock(&stretches[stretch]);
            keys.sort_unstable();
            sort_colliding(column, &mut keys, progress)?;
            let mut groups = group_equal_sets(column, &keys, progress)?;
            // The hash decides no rank, only which rows stand side by side. The greatest row does:
            // ranks must ascend with (size, row), which is the order in which
            // [`super::containment`] calls one set larger than another.
            groups.sort_unstable_by_key(|group| (keys[group.start].size, keys[group.end - 1].row));
            Ok(groups)
        })?;
        drop(stretches);
        let count = groups.iter().map(Vec::len).sum();
        // The sizes of one stretch are all below those of the next, so that ranks run on from
        // stretch to stretch.
        let mut catalogue = Self {
            column,
            sets: Vec::with_capacity(count),
            rows: Vec::with_capacity(keys.len()),
            starts: Vec::with_capacity(count + 1),
            sizes: Vec::with_capacity(count),
            smaller: Vec::new(),
        };
        catalogue.starts.push(0);
        for (groups, keys) in groups.into_iter().zip(split_at_each(&mut keys, &ends)) {
            for group in groups {
                let members = &keys[group];
                catalogue.sizes.push(members[0].size);
                catalogue.sets.push(column.set_or_empty(members[0].row as usize));
                catalogue.rows.extend(members.iter().map(|key| key.row));
                catalogue.starts.push(saturate_to_u32(catalogue.rows.len()));
            }
        }
        for (rank, &size) in catalogue.sizes.iter().enumerate() {
            if catalogue.smaller.len() <= size as usize {
                catalogue.smaller.resize(size as usize + 1, saturate_to_u32(rank));
            }
        }
        Ok(catalogue)
    }

    /// The number of distinct sets.
    pub(super) fn len(&self) -> Rank {
        saturate_to_u32(self.sizes.len())
    }

    /// The sizes of the sets, ascending.
    pub(super) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The set of rank `rank`.
    #[inline]
    pub(super) fn set(&self, rank: Rank) -> &'a [u32] {
        self.sets[rank as usize]
    }

    /// Asks for a set to be brought near, if there is one of this rank.
    #[inline]
    pub(super) fn prefetch_set(&self, rank: Rank) {
        if let Some(set) = self.sets.get(rank as usize) {
            prefetch_set(set);
        }
    }

    /// The whole hashes of the set of rank `rank`; `None` where its ids suffice.
    pub(super) fn whole_hashes_if_large(&self, rank: Rank) -> Option<&'a [u64]> {
        self.column.whole_hashes_if_large(self.rows(rank)[0] as usize)
    }

    /// The threshold that counts, where it is not that of the join.
    pub(super) fn exact_threshold(&self) -> Option<Ratio> {
        self.column.exact_threshold()
    }

    /// The rows that hold the set, ascending; at least one.
    pub(super) fn rows(&self, rank: Rank) -> &[u32] {
        let (start, end) = (self.starts[rank as usize], self.starts[rank as usize + 1]);
        &self.rows[start as usize..end as usize]
    }

    /// Number of sets with fewer than `size` values; they have the ranks below that.
    pub(super) fn count_smaller_than(&self, size: usize) -> Rank {
        self.smaller.get(size).copied().unwrap_or(self.len())
    }

    /// The rank of the set of each row of the column; `None` for an empty row, and for one whose
    /// size does not fit.
    pub(super) fn make_ranks_of_rows(&self) -> Vec<Option<Rank>> {
        let mut ranks = vec![None; self.column.len()];
        for rank in 0..self.len() {
            for &row in self.rows(rank) {
                ranks[row as usize] = Some(rank);
            }
        }
        ranks
    }

    /// The sets whose size lets them resemble a set.
    pub(super) fn ranks_of_fitting_sizes(&self, rule: Resemblance, rank: Rank) -> Range<Rank> {
        let own = self.sizes[rank as usize] as usize;
        let end = self.count_smaller_than(rule.largest_partner(own).saturating_add(1));
        self.count_smaller_than(rule.smallest_partner(own))..end
    }

    /// Number of sets, from the smallest on, of a size that `small` accepts; it must accept every
    /// size below one it accepts.
    pub(super) fn count_sizes_while(&self, small: impl Fn(usize) -> bool) -> Rank {
        saturate_to_u32(self.sizes.partition_point(|&size| small(size as usize)))
    }
}

fn make_row_keys(
    column: Sets,
    rows: Range<usize>,
    fits: impl Fn(usize) -> bool,
    progress: &Progress,
) -> Result<Vec<Key>, KernelError> {
    let mut keys = Vec::with_capacity(rows.len());
    for row in rows {
        let set = column.set_or_empty(row);
        // An empty set resembles nothing, not even another empty one.
        if !set.is_empty() && fits(set.len()) {
            progress.spend_values(set.len() + JUMP)?;
            keys.push(Key {
                size: saturate_to_u32(set.len()),
                hash: hash_set(set),
                row: saturate_to_u32(row),
            });
        }
    }
    Ok(keys)
}

/// Puts keys in the order of stretches of sizes, each of about as many rows; answers where each
/// ends.
fn sort_by_stretch(pieces: Vec<Vec<Key>>) -> (Vec<Key>, Vec<usize>) {
    let mut counts: Vec<usize> = Vec::new();
    for key in pieces.iter().flatten() {
        let size = key.size as usize;
        if counts.len() <= size {
            counts.resize(size + 1, 0);
        }
        counts[size] += 1;
    }
    let total: usize = counts.iter().sum();
    let (mut stretches, mut starts, mut end) = (Vec::with_capacity(counts.len()), vec![0], 0);
    for count in counts {
        // A stretch ends only between two sizes, so that equal sets are sorted in one. If most sets
        // have one size, one thread sorts them.
        stretches.push(starts.len() - 1);
        end += count;
        if end - starts[starts.len() - 1] > total / STRETCHES {
            starts.push(end);
        }
    }
    let mut keys = vec![Key::default(); total];
    for key in pieces.into_iter().flatten() {
        let place = &mut starts[stretches[key.size as usize]];
        keys[*place] = key;
        *place += 1;
    }
    // Each beginning has moved to the end of its stretch.
    (keys, starts)
}

/// The stretches of a list that end at these places.
fn split_at_each<'k>(
    mut keys: &'k mut [Key],
    ends: &[usize],
) -> impl Iterator<Item = &'k mut [Key]> {
    let mut start = 0;
    ends.iter().map(move |&end| {
        let (own, rest) = std::mem::take(&mut keys).split_at_mut(end - start);
        (keys, start) = (rest, end);
        own
    })
}

/// Any function of the set will do: equal hashes are checked, and only cost time.
fn hash_set(set: &[u32]) -> u64 {
    let spread = |&value: &u32| {
        // A sum of plain products would be a product of the sum: {1, 4} and {2, 3} would meet. The
        // XOR before the second product breaks that. One more than the value, since 0 would add
        // nothing.
        let wide = (u64::from(value) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (wide ^ (wide >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    };
    set.iter().map(spread).fold(0, u64::wrapping_add)
}

/// Puts equal sets side by side where different ones have the same size and hash.
fn sort_colliding(column: Sets, keys: &mut [Key], progress: &Progress) -> Result<(), KernelError> {
    for run in keys.chunk_by_mut(|a, b| (a.size, a.hash) == (b.size, b.hash)) {
        if run.len() < 2 {
            continue; // Most sets are read no more.
        }
        let (first, mut differ) = (set_and_hashes(column, &run[0]), false);
        for key in &*run {
            progress.spend_values(first.0.len() + JUMP)?;
            differ |= set_and_hashes(column, key) != first;
        }
        if differ {
            run.sort_unstable_by_key(|key| (set_and_hashes(column, key), key.row));
        }
    }
    Ok(())
}

/// The stretches of `keys` that hold equal sets, which must be side by side, in their order.
fn group_equal_sets(
    column: Sets,
    keys: &[Key],
    progress: &Progress,
) -> Result<Vec<Range<usize>>, KernelError> {
    let mut groups = Vec::with_capacity(keys.len());
    let mut start = 0;
    for group in keys.chunk_by(|a, b| are_same_set(column, a, b)) {
        progress.spend_values((group.len() - 1) * (group[0].size as usize + JUMP))?;
        groups.push(start..start + group.len());
        start += group.len();
    }
    Ok(groups)
}

fn are_same_set(column: Sets, a: &Key, b: &Key) -> bool {
    (a.size, a.hash) == (b.size, b.hash) && set_and_hashes(column, a) == set_and_hashes(column, b)
}

/// The values of the set of a row, and its whole hashes where it is large.
fn set_and_hashes<'a>(column: Sets<'a>, key: &Key) -> (&'a [u32], Option<&'a [u64]>) {
    (column.set_or_empty(key.row as usize), column.whole_hashes_if_large(key.row as usize))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::overlap::IdSets;

    #[test]
    fn different_sets_of_one_hash_stay_apart_and_equal_ones_come_together() {
        let values = &[1, 2, 5, 9, 1, 2, 3, 4, 5, 9];
        let column = Sets::of(IdSets { offsets: &[0, 2, 4, 6, 8, 10], values });
        let mut keys: Vec<Key> = (0..5).map(|row| Key { size: 2, hash: 77, row }).collect();
        let progress = Progress::stage(&|_| true, 0.0, 1.0);
        sort_colliding(column, &mut keys, &progress).unwrap();
        let groups = group_equal_sets(column, &keys, &progress).unwrap();
        let rows = |group: Range<usize>| keys[group].iter().map(|key| key.row).collect::<Vec<_>>();
        let groups: Vec<Vec<u32>> = groups.into_iter().map(rows).collect();
        assert_eq!(groups, [vec![0, 2], vec![3], vec![1, 4]]);
    }
}
