//! The pairs a join found, and their order.

use super::catalogue::Catalogue;
use crate::error::KernelError;
use crate::reserve;

/// Pairs of rows and how many values their sets share, by left row, then by right row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// The left row of each pair.
    pub left: Vec<u32>,
    /// The right row of each pair.
    pub right: Vec<u32>,
    /// |A n B| of each pair.
    pub shared: Vec<u32>,
}

/// Pairs as they are found, at most `limit` of them; where several threads find them
/// ([`Self::add_possibly_known`]), one may be there more than once.
pub(super) struct FoundPairs {
    pairs: Overlaps,
    limit: u64,
}

impl FoundPairs {
    pub(super) fn new(limit: u64) -> Self {
        Self { pairs: Overlaps::default(), limit }
    }

    /// Adds the pairs of rows with equal sets, smaller row left.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`] with the number of these pairs.
    pub(super) fn push_pairs_of_equal_sets(
        &mut self,
        catalogue: &Catalogue,
    ) -> Result<(), KernelError> {
        self.make_room(count_equal_pairs(catalogue))?;
        for rank in 0..catalogue.len() {
            let (rows, size) = (catalogue.rows(rank), catalogue.sizes()[rank as usize]);
            for (place, &left) in rows.iter().enumerate() {
                for &right in &rows[place + 1..] {
                    self.push_pair(left, right, size);
                }
            }
        }
        Ok(())
    }

    /// Adds the same pairs with each row as the left one.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`] with the number of these pairs.
    pub(super) fn push_pairs_of_equal_sets_both_ways(
        &mut self,
        catalogue: &Catalogue,
    ) -> Result<(), KernelError> {
        self.make_room(count_equal_pairs(catalogue).saturating_mul(2))?;
        self.push_pairs_of_equal_sets(catalogue)?;
        for place in 0..self.pairs.left.len() {
            let (left, right) = (self.pairs.left[place], self.pairs.right[place]);
            self.push_pair(right, left, self.pairs.shared[place]);
        }
        Ok(())
    }

    /// Checks that `more` pairs are still allowed, and makes room for them.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`] with the pairs known so far, these included.
    fn make_room(&mut self, more: u64) -> Result<(), KernelError> {
        let count = (self.pairs.left.len() as u64).saturating_add(more);
        if count > self.limit {
            let limit = self.limit;
            return Err(KernelError::TooManyPairs { count, limit });
        }
        for numbers in [&mut self.pairs.left, &mut self.pairs.right, &mut self.pairs.shared] {
            reserve::make_room(numbers, more as usize)?;
        }
        Ok(())
    }

    fn push_pair(&mut self, left: u32, right: u32, shared: u32) {
        self.pairs.left.push(left);
        self.pairs.right.push(right);
        self.pairs.shared.push(shared);
    }

    /// Adds every row of `left` with every row of `right`; the sets share `shared` values.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`].
    pub(super) fn push_product(
        &mut self,
        left: &[u32],
        right: &[u32],
        shared: u32,
    ) -> Result<(), KernelError> {
        self.make_room(left.len() as u64 * right.len() as u64)?;
        for &left in left {
            for &right in right {
                self.push_pair(left, right, shared);
            }
        }
        Ok(())
    }

    /// The same with the smaller row left, whichever side it comes from.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`].
    pub(super) fn push_product_smaller_row_left(
        &mut self,
        rows: &[u32],
        others: &[u32],
        shared: u32,
    ) -> Result<(), KernelError> {
        self.make_room(rows.len() as u64 * others.len() as u64)?;
        for &row in rows {
            for &other in others {
                self.push_pair(row.min(other), row.max(other), shared);
            }
        }
        Ok(())
    }

    /// Adds pairs, some of them perhaps there already; left rows are below `rows`.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`], whose count is one above the limit: so it does not depend on
    /// who found how many.
    pub(super) fn add_possibly_known(
        &mut self,
        pairs: impl Iterator<Item = (u32, u32, u32)>,
        rows: usize,
    ) -> Result<(), KernelError> {
        for (left, right, shared) in pairs {
            reserve::push(&mut self.pairs.left, left)?;
            reserve::push(&mut self.pairs.right, right)?;
            reserve::push(&mut self.pairs.shared, shared)?;
        }
        let limit = self.limit;
        // Only sorting tells which pairs were there before, and it costs more than adding: it waits
        // until the number matters.
        if self.pairs.left.len() as u64 > limit {
            self.pairs = sort_and_deduplicate(std::mem::take(&mut self.pairs), rows)?;
        }
        if self.pairs.left.len() as u64 > limit {
            return Err(KernelError::TooManyPairs { count: limit + 1, limit });
        }
        Ok(())
    }

    /// The pairs in order, each once; left rows are below `rows`.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn sort_and_deduplicate(self, rows: usize) -> Result<Overlaps, KernelError> {
        sort_and_deduplicate(self.pairs, rows)
    }
}

/// Puts pairs in order, and each once; left rows are below `rows`.
fn sort_and_deduplicate(mut pairs: Overlaps, rows: usize) -> Result<Overlaps, KernelError> {
    // Callers make three columns of eight bytes of them.
    reserve::check_room(24 * pairs.left.len() + 16 * rows)?;
    let mut starts = vec![0; rows + 1];
    for &left in &pairs.left {
        starts[left as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let mut ends: Vec<usize> = starts[..rows].to_vec();
    // A pair of one row is eight bytes here, so that one sort of numbers orders it. The columns are
    // copied and can be written over below.
    let mut entries = vec![0; pairs.left.len()];
    for ((&left, &right), &shared) in pairs.left.iter().zip(&pairs.right).zip(&pairs.shared) {
        entries[ends[left as usize]] = u64::from(right) << 32 | u64::from(shared);
        ends[left as usize] += 1;
    }
    let mut count = 0;
    for row in 0..rows {
        let entries = &mut entries[starts[row]..starts[row + 1]];
        entries.sort_unstable();
        for same in entries.chunk_by(|one, other| one == other) {
            pairs.left[count] = row as u32;
            pairs.right[count] = (same[0] >> 32) as u32;
            pairs.shared[count] = same[0] as u32;
            count += 1;
        }
    }
    for numbers in [&mut pairs.left, &mut pairs.right, &mut pairs.shared] {
        numbers.truncate(count);
    }
    Ok(pairs)
}

/// Number of pairs of rows with equal sets.
fn count_equal_pairs(catalogue: &Catalogue) -> u64 {
    let pairs = |rank| {
        let rows = catalogue.rows(rank).len() as u64;
        rows * (rows - 1) / 2
    };
    (0..catalogue.len()).map(pairs).fold(0, u64::saturating_add)
}
