//! Shingle sets as a column: per text the sorted, distinct ids of its shingles.

use crate::parallel;
use crate::shingles::{Shingler, Shingling};
use crate::simd::sort;

/// Row i is `values[offsets[i]..offsets[i + 1]]`, ascending and distinct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<T> {
    /// One more than there are rows; the first is 0.
    pub offsets: Vec<i64>,
    /// All sets, one after the other.
    pub values: Vec<T>,
}

/// The sets of 32-bit shingle ids of `rows` texts; a null text has an empty set.
pub fn ids<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<&'a str> + Sync,
    shingling: Shingling,
    jobs: usize,
) -> Column<u32> {
    column(rows, jobs, |shingler, row, values| {
        let start = values.len();
        if let Some(text) = text(row) {
            shingler.ids(text, shingling, values);
        }
        let distinct = sort::sort_distinct(&mut values[start..]);
        values.truncate(start + distinct);
    })
}

/// The sets of 64-bit shingle hashes, for documents so large that 32 bits would meet by chance.
pub fn hashes<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<&'a str> + Sync,
    shingling: Shingling,
    jobs: usize,
) -> Column<u64> {
    column(rows, jobs, |shingler, row, values| {
        let hashes = text(row).map_or(&[][..], |text| shingler.shingles(text, shingling));
        let mut set = hashes.to_vec();
        set.sort_unstable();
        set.dedup();
        values.append(&mut set);
    })
}

fn column<T: Copy + Send>(
    rows: usize,
    jobs: usize,
    append: impl Fn(&mut Shingler, usize, &mut Vec<T>) + Sync,
) -> Column<T> {
    let parts = parallel::map(rows, jobs, |range| {
        let mut shingler = Shingler::default();
        let mut values = Vec::new();
        let mut ends = Vec::with_capacity(range.len());
        for row in range {
            append(&mut shingler, row, &mut values);
            ends.push(values.len());
        }
        (values, ends)
    });
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    // The first part is not copied: with one job it is all there is.
    let mut values = Vec::new();
    for (part, ends) in parts {
        let base = values.len();
        offsets.extend(ends.iter().map(|end| (base + end) as i64));
        if values.is_empty() { values = part } else { values.extend_from_slice(&part) }
    }
    Column { offsets, values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use crate::text::Normalisation;
    use crate::tokens::Unit;

    #[test]
    fn sets_are_sorted_distinct_and_in_row_order() {
        let texts = [Some("a b a b a b"), None, Some(""), Some("x y z x y z w"), Some("a")];
        let shingling =
            Shingling { unit: Unit::Words, width: 2, normalisation: Normalisation::Fold };
        for jobs in [1, 2] {
            let small = ids(texts.len(), |row| texts[row], shingling, jobs);
            let large = hashes(texts.len(), |row| texts[row], shingling, jobs);
            assert_eq!(small.offsets, [0, 2, 2, 2, 6, 7]);
            assert_eq!(small.offsets, large.offsets);
            for pair in small.offsets.windows(2) {
                let range = pair[0] as usize..pair[1] as usize;
                assert!(small.values[range.clone()].is_sorted());
                let ids: Vec<u32> =
                    large.values[range.clone()].iter().map(|&h| hash::id(h)).collect();
                assert_eq!(ids, small.values[range]);
            }
        }
    }
}
