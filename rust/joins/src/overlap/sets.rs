//! A column of sets.

use super::ratio::Ratio;

/// Sets as a column: row `i` is `values[offsets[i]..offsets[i + 1]]`, sorted ascending and
/// distinct. Rows are numbered in `u32`, and a set has fewer than 2^32 values. An empty row is
/// allowed and matches nothing. A row whose offsets do not lie in `values` reads as empty.
#[derive(Debug, Clone, Copy)]
pub struct SetColumn<'a, T> {
    /// One more than there are rows, ascending.
    pub offsets: &'a [i64],
    /// The values of all rows, one row after the other.
    pub values: &'a [T],
}

/// Sets of 32-bit ids.
pub type IdSets<'a> = SetColumn<'a, u32>;

/// Sets of 64-bit hashes; a row is empty where the ids of its set suffice.
pub type HashSets<'a> = SetColumn<'a, u64>;

impl<'a, T> SetColumn<'a, T> {
    /// A column without rows.
    pub(crate) const EMPTY: Self = Self { offsets: &[], values: &[] };

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Return whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The set in row `row`; empty where there is no such row.
    #[must_use]
    pub fn set_or_empty(&self, row: usize) -> &'a [T] {
        let bound = |at: usize| usize::try_from(*self.offsets.get(at)?).ok();
        match (bound(row), row.checked_add(1).and_then(bound)) {
            (Some(start), Some(end)) => self.values.get(start..end).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// Whole hashes of sets so large that ids meet by chance; they decide. Joins look for candidates at
/// a threshold a little lower than this one, so that none is lost.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a> {
    /// The hashes of large sets.
    pub hashes: HashSets<'a>,
    /// The threshold that counts.
    pub threshold: Ratio,
}

/// Choice of a row that shows no set in a [`Sets`].
pub const HIDDEN: u8 = 0;
/// Choice of a row that shows its set of the first column.
pub const FIRST: u8 = 1;
/// Choice of a row that shows its set of the second column.
pub const SECOND: u8 = 2;

/// The sets that are joined: a column, or for every row that of one of two columns, or none. So
/// short texts are joined by other sets than long ones, and part of the rows is left out, without
/// a copy of the sets.
#[derive(Debug, Clone, Copy)]
pub struct Sets<'a> {
    columns: [IdSets<'a>; 2],
    /// Per row [`HIDDEN`], [`FIRST`] or [`SECOND`]; `None` shows the first column.
    choice: Option<&'a [u8]>,
    whole: Option<Whole<'a>>,
}

impl<'a> Sets<'a> {
    /// The sets of one column.
    #[must_use]
    pub fn of(column: IdSets<'a>) -> Self {
        Self { columns: [column; 2], choice: None, whole: None }
    }

    /// A column without rows.
    #[must_use]
    pub fn empty() -> Self {
        Self::of(IdSets::EMPTY)
    }

    /// For every row the set that `choice` names; a row without a choice reads as empty.
    #[must_use]
    pub fn by_choice(columns: [IdSets<'a>; 2], choice: &'a [u8]) -> Self {
        Self { columns, choice: Some(choice), whole: None }
    }

    /// The same sets of some rows, which `choice` names as in [`Self::by_choice`]; others read as
    /// empty.
    pub(super) fn with_choice<'b>(&self, choice: &'b [u8]) -> Sets<'b>
    where
        'a: 'b,
    {
        Sets { choice: Some(choice), ..*self }
    }

    /// Returns which set of a row is shown.
    pub(super) fn choice_of(&self, row: usize) -> u8 {
        self.choice.map_or(FIRST, |choice| choice.get(row).copied().unwrap_or(HIDDEN))
    }

    /// The same sets; large ones are judged by their whole hashes.
    #[must_use]
    pub fn judged_by(self, whole: Whole<'a>) -> Self {
        Self { whole: Some(whole), ..self }
    }

    /// The threshold that counts, where it is not that of the join.
    pub(super) fn exact_threshold(&self) -> Option<Ratio> {
        self.whole.map(|whole| whole.threshold)
    }

    /// The whole hashes of the set in row `row`; `None` where its ids suffice.
    pub(super) fn whole_hashes_if_large(&self, row: usize) -> Option<&'a [u64]> {
        self.whole.map(|whole| whole.hashes.set_or_empty(row)).filter(|hashes| !hashes.is_empty())
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.choice.map_or(self.columns[0].len(), <[u8]>::len)
    }

    /// Return whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The set that is shown in row `row`; empty where none is, or there is no such row.
    #[inline]
    #[must_use]
    pub fn set_or_empty(&self, row: usize) -> &'a [u32] {
        match self.choice {
            None => self.columns[0].set_or_empty(row),
            Some(choice) => match choice.get(row) {
                Some(&FIRST) => self.columns[0].set_or_empty(row),
                Some(&SECOND) => self.columns[1].set_or_empty(row),
                _ => &[],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_shows_one_of_two_sets_or_none() {
        let words = IdSets { offsets: &[0, 2, 3, 3], values: &[1, 5, 7] };
        let characters = IdSets { offsets: &[0, 1, 1, 4], values: &[9, 2, 4, 6] };
        let sets = Sets::by_choice([words, characters], &[FIRST, HIDDEN, SECOND]);
        assert_eq!(sets.len(), 3);
        let rows: Vec<&[u32]> = (0..4).map(|row| sets.set_or_empty(row)).collect();
        assert_eq!(rows, [&[1, 5][..], &[], &[2, 4, 6], &[]]);
        assert_eq!(Sets::of(words).set_or_empty(1), [7]);
    }
}
