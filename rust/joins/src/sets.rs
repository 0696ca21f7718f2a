//! Sets of numbers as a column: per row its values, ascending and distinct.

use std::ops::Range;

use crate::error::KernelError;
use crate::reserve;
use crate::simd::sort;
use crate::stop;

/// Row i is `values[offsets[i]..offsets[i + 1]]`, ascending and distinct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<T> {
    /// One more than there are rows; the first is 0.
    pub offsets: Vec<i64>,
    /// All sets, one after the other.
    pub values: Vec<T>,
}

impl<T> Default for Column<T> {
    /// No rows.
    fn default() -> Self {
        Self { offsets: vec![0], values: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    /// Moves the rows of another column to the end of these; sets that follow none are not copied.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn append(&mut self, other: &mut Self) -> Result<(), KernelError> {
        if self.values.is_empty() {
            std::mem::swap(&mut self.values, &mut other.values);
            reserve::make_room(&mut self.offsets, other.offsets.len())?;
            self.offsets.extend(other.offsets.drain(1..));
            return Ok(());
        }
        self.append_rows(other, 0..other.offsets.len() - 1)?;
        other.clear();
        Ok(())
    }

    /// Removes all rows, and keeps the memory.
    pub fn clear(&mut self) {
        self.offsets.truncate(1);
        self.values.clear();
    }

    /// Appends some rows of another column.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn append_rows(&mut self, other: &Self, rows: Range<usize>) -> Result<(), KernelError> {
        let (begin, end) = (other.offsets[rows.start], other.offsets[rows.end]);
        let values = &other.values[begin as usize..end as usize];
        reserve::make_room(&mut self.offsets, rows.len())?;
        reserve::make_room(&mut self.values, values.len())?;
        let base = self.values.len() as i64 - begin;
        self.offsets.extend(other.offsets[rows.start + 1..=rows.end].iter().map(|end| base + end));
        self.values.extend_from_slice(values);
        Ok(())
    }

    /// Appends the set of a row again.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn append_copy_of_row(&mut self, row: usize) -> Result<(), KernelError> {
        let set = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        reserve::make_room(&mut self.values, set.len())?;
        self.values.extend_from_within(set);
        self.offsets.push(self.values.len() as i64);
        Ok(())
    }

    /// The set of the last row.
    pub fn last_row_mut(&mut self) -> &mut [T] {
        let before = self.offsets.len().checked_sub(2).map_or(0, |at| self.offsets[at] as usize);
        &mut self.values[before..]
    }

    /// Hands over the values, and puts the rows after those of `done`, which holds no values: its
    /// offsets number what was ever handed over. No row is left.
    pub fn hand_over(&mut self, done: &mut Self) -> Vec<T> {
        let Self { offsets, mut values } = std::mem::take(self);
        let base = done.offsets.last().copied().unwrap_or(0);
        done.offsets.extend(offsets[1..].iter().map(|end| base + end));
        values.shrink_to_fit();
        values
    }
}

/// The size of a set: none has 2^32 values.
#[must_use]
pub fn saturate_to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Makes a set of the values from `start` on.
#[inline]
pub fn sort_into_set_from(values: &mut Vec<u32>, start: usize) {
    let distinct = sort::sort_distinct(&mut values[start..]);
    values.truncate(start + distinct);
}

/// Lists of numbers, in any order and with repetitions, as sets; `None` if they are sets already.
pub fn sort_lists_unless_sets<'a>(
    rows: usize,
    list: impl Fn(usize) -> &'a [u32],
) -> Option<Column<u32>> {
    let ascends = |row| {
        stop::count_work_or_unwind(size_of_val(list(row)));
        list(row).is_sorted_by(|a, b| a < b)
    };
    if (0..rows).all(ascends) {
        return None;
    }
    let mut sets = Column::default();
    for row in 0..rows {
        let start = sets.values.len();
        sets.values.extend_from_slice(list(row));
        sort_into_set_from(&mut sets.values, start);
        sets.offsets.push(sets.values.len() as i64);
    }
    Some(sets)
}

/// Their upper halves, each once.
#[must_use]
pub fn distinct_upper_halves(hashes: &[u64]) -> Vec<u32> {
    let mut ids: Vec<u32> = hashes.iter().map(|&hash| crate::hash::id_of_hash(hash)).collect();
    // Ascending hashes have ascending upper halves.
    ids.dedup();
    ids
}

/// A number of a set. A group shifts the 32 bits of an id, or the upper half of a hash.
pub trait Shift: Copy {
    /// Those that pass the end go on from 0.
    #[must_use]
    fn wrapping_add_to_id(self, by: u32) -> Self;
    /// Return whether it passes the end then.
    #[must_use]
    fn wraps_if_shifted(self, by: u32) -> bool;
}

impl Shift for u32 {
    fn wrapping_add_to_id(self, by: u32) -> Self {
        self.wrapping_add(by)
    }

    fn wraps_if_shifted(self, by: u32) -> bool {
        self.checked_add(by).is_none()
    }
}

impl Shift for u64 {
    fn wrapping_add_to_id(self, by: u32) -> Self {
        self.wrapping_add(Self::from(by) << 32)
    }

    fn wraps_if_shifted(self, by: u32) -> bool {
        self.checked_add(Self::from(by) << 32).is_none()
    }
}

/// The shift of a group: two groups have the same one only if they are the same.
///
/// Source: Appleby 2011, the finaliser of `MurmurHash3`, which has an inverse.
#[must_use]
pub fn mix_group_to_added_offset(group: u32) -> u32 {
    let mut mixed = group;
    mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x85eb_ca6b);
    mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
    mixed ^ (mixed >> 16)
}

/// Shifts the numbers of a set, which still ascend.
pub fn shift_set<T: Shift>(set: &mut [T], by: u32) {
    let passing = set.partition_point(|number| !number.wraps_if_shifted(by));
    for number in &mut *set {
        *number = number.wrapping_add_to_id(by);
    }
    // Those that passed the end are the least now; both parts kept their order.
    set.rotate_left(passing);
}

/// Sets in which the numbers of each row are shifted as its group says, still ascending. Hashed
/// numbers of two groups meet by chance alone, as those of two features do; within a group, sets
/// share what they shared.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn shift_each<'a, T: Shift + 'a>(
    groups: &[u32],
    set: impl Fn(usize) -> &'a [T],
) -> Result<Vec<T>, KernelError> {
    let mut values = Vec::new();
    reserve::make_room(&mut values, (0..groups.len()).map(|row| set(row).len()).sum())?;
    for (row, &group) in groups.iter().enumerate() {
        let (own, start) = (set(row), values.len());
        stop::count_work_or_unwind(size_of_val(own));
        values.extend_from_slice(own);
        shift_set(&mut values[start..], mix_group_to_added_offset(group));
    }
    Ok(values)
}

/// Number of hashes that two ascending, distinct sets share.
#[must_use]
pub fn count_shared(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        // Without branches: which of the three it is cannot be foreseen.
        count += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_hashes() {
        for (a, b, expected) in
            [(&[][..], &[1][..], 0), (&[1, 3, 5], &[3, 4, 5, 6], 2), (&[7], &[7], 1)]
        {
            assert_eq!((count_shared(a, b), count_shared(b, a)), (expected, expected));
        }
    }

    #[test]
    fn shifted_sets_ascend_and_keep_what_a_group_shares() {
        let rows: [&[u64]; 4] = [&[1, 1 << 40, u64::MAX - 2], &[1, u64::MAX], &[1 << 40], &[]];
        let groups = [3, 7, 3, 7];
        let values = shift_each(&groups, |row| rows[row]).unwrap_or_default();
        let ends = [0, 3, 5, 6, 6];
        let of = |row: usize| &values[ends[row]..ends[row + 1]];
        assert!((0..4).all(|row| of(row).is_sorted_by(|a, b| a < b)));
        assert_eq!(count_shared(of(0), of(2)), 1);
        assert_eq!(count_shared(of(0), of(1)), 0);
        let narrow: [Vec<u32>; 4] = rows.map(distinct_upper_halves);
        let ids = shift_each(&groups, |row| &narrow[row][..]).unwrap_or_default();
        assert_eq!(distinct_upper_halves(of(0)), ids[..3]);
    }

    #[test]
    fn no_two_groups_have_one_shift() {
        let mut shifts: Vec<u32> = (0..100_000).map(mix_group_to_added_offset).collect();
        shifts.sort_unstable();
        shifts.dedup();
        assert_eq!(shifts.len(), 100_000);
    }

    #[test]
    fn hashes_with_equal_upper_halves_have_one_id() {
        assert_eq!(
            distinct_upper_halves(&[1, 2, 1 << 32, 5 << 32, (5 << 32) + 1, u64::MAX]),
            [0, 1, 5, u32::MAX]
        );
        assert!(distinct_upper_halves(&[]).is_empty());
    }
}
