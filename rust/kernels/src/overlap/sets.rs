//! A column of sets.

/// Sets of `u32` as a column: row `i` is `values[offsets[i]..offsets[i + 1]]`, sorted ascending and
/// distinct. Rows are numbered in `u32`, and a set has fewer than 2^32 values. An empty row is
/// allowed and matches nothing. A row whose offsets do not lie in `values` reads as empty.
#[derive(Debug, Clone, Copy)]
pub struct Sets<'a> {
    /// One more than there are rows, ascending.
    pub offsets: &'a [i64],
    /// The values of all rows, one row after the other.
    pub values: &'a [u32],
}

impl<'a> Sets<'a> {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The set in row `row`.
    #[must_use]
    pub fn get(&self, row: usize) -> &'a [u32] {
        let bound = |at: usize| usize::try_from(*self.offsets.get(at)?).ok();
        match (bound(row), row.checked_add(1).and_then(bound)) {
            (Some(start), Some(end)) => self.values.get(start..end).unwrap_or(&[]),
            _ => &[],
        }
    }
}
