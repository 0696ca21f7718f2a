//! Shingle sets as a column: per text the sorted, distinct ids of its shingles.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parallel;
use crate::shingles::{Shingler, Shingling};
use crate::simd::sort;
use crate::stops::Stops;

/// Row i is `values[offsets[i]..offsets[i + 1]]`, ascending and distinct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<T> {
    /// One more than there are rows; the first is 0.
    pub offsets: Vec<i64>,
    /// All sets, one after the other.
    pub values: Vec<T>,
}

/// The sets of 32-bit shingle ids of `rows` texts; empty for a null text, and for one of more than
/// `most` distinct shingles.
pub fn ids<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    shingling: Shingling,
    most: usize,
    jobs: usize,
) -> Column<u32> {
    column(rows, jobs, |shingler, row, values| {
        let Some(text) = text(row) else { return };
        if most < text.len() {
            // A long text mostly shows by its beginning that it has too many.
            let beginning = beginning(&text, most.saturating_mul(8));
            let start = values.len();
            append(shingler, beginning, shingling, values);
            let distinct = values.len() - start;
            values.truncate(start);
            if distinct > most {
                return;
            }
        }
        let start = values.len();
        append(shingler, &text, shingling, values);
        if values.len() - start > most {
            values.truncate(start);
        }
    })
}

/// At most about `length` bytes of a text, cut before an ASCII character: its shingles are shingles
/// of the whole text, since normalisation never reaches over such a cut. The whole, if there is none.
fn beginning(text: &str, length: usize) -> &str {
    let cut = text.bytes().skip(length).position(|byte| byte.is_ascii_alphanumeric());
    cut.and_then(|cut| text.get(..length + cut)).unwrap_or(text)
}

/// The rule by which texts are measured: word shingles, and characters for short texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// How texts of enough words are cut.
    pub words: Shingling,
    /// How shorter ones are.
    pub characters: Shingling,
    /// Words that are enough.
    pub fewest: usize,
}

/// The sets by which `rows` texts are measured among their like, and the number of their words. The
/// ids of characters are turned (bit by bit), so that short texts and longer ones share nothing.
pub fn measured<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    measure: Measure,
    jobs: usize,
) -> (Column<u32>, Vec<usize>) {
    let words: Vec<AtomicUsize> = (0..rows).map(|_| AtomicUsize::new(0)).collect();
    let sets = column(rows, jobs, |shingler, row, values| {
        let Some(text) = text(row) else { return };
        let start = values.len();
        let count = match append(shingler, &text, measure.words, values) {
            0 | 1 => shingler.count_words(&text, measure.words.normalisation),
            more => more + measure.words.width - 1,
        };
        words[row].store(count, Ordering::Relaxed);
        if count < measure.fewest {
            values.truncate(start);
            append(shingler, &text, measure.characters, values);
            // Of another world than words: a word of three letters is not what those letters are.
            values[start..].iter_mut().for_each(|id| *id = !*id);
            values[start..].reverse();
        }
    });
    (sets, words.into_iter().map(AtomicUsize::into_inner).collect())
}

/// Appends the sorted, distinct ids of a text's shingles; returns how many shingles it has.
fn append(
    shingler: &mut Shingler,
    text: &str,
    shingling: Shingling,
    values: &mut Vec<u32>,
) -> usize {
    let start = values.len();
    shingler.ids(text, shingling, &Stops::default(), values);
    let shingles = values.len() - start;
    let distinct = sort::sort_distinct(&mut values[start..]);
    values.truncate(start + distinct);
    shingles
}

/// The sets of 64-bit shingle hashes, for documents so large that 32 bits would meet by chance.
pub fn hashes<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    shingling: Shingling,
    jobs: usize,
) -> Column<u64> {
    column(rows, jobs, |shingler, row, values| {
        let hashes = text(row).map_or(&[][..], |text| shingler.shingles(&text, shingling));
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
        if values.is_empty() {
            values = part;
        } else {
            values.extend_from_slice(&part);
        }
    }
    Column { offsets, values }
}

/// Lists of numbers, in any order and with repetitions, as sets; none if they are sets already.
pub fn sorted<'a>(rows: usize, list: impl Fn(usize) -> &'a [u32] + Sync) -> Option<Column<u32>> {
    if (0..rows).all(|row| list(row).is_sorted_by(|a, b| a < b)) {
        return None;
    }
    Some(column(rows, 1, |_, row, values| {
        let start = values.len();
        values.extend_from_slice(list(row));
        let distinct = sort::sort_distinct(&mut values[start..]);
        values.truncate(start + distinct);
    }))
}

/// How many hashes two ascending, distinct sets share.
#[must_use]
pub fn shared(a: &[u64], b: &[u64]) -> usize {
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
    use crate::hash;

    #[test]
    fn shared_hashes() {
        for (a, b, expected) in
            [(&[][..], &[1][..], 0), (&[1, 3, 5], &[3, 4, 5, 6], 2), (&[7], &[7], 1)]
        {
            assert_eq!((shared(a, b), shared(b, a)), (expected, expected));
        }
    }

    use crate::text::Normalisation;
    use crate::tokens::Unit;

    fn three(unit: Unit) -> Shingling {
        Shingling::plain(unit, 3, Normalisation::Fold)
    }

    #[test]
    fn measured_by_words_or_by_characters() {
        let long = (0..60).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
        let texts = [Some(long.as_str()), Some("a few words"), None, Some("?")];
        let text = |row: usize| texts[row].map(Cow::Borrowed);
        let measure =
            Measure { words: three(Unit::Words), characters: three(Unit::Characters), fewest: 50 };
        let (sets, words) = measured(texts.len(), text, measure, 1);
        assert_eq!(words, [60, 3, 0, 0]);
        for (row, unit) in [(0, Unit::Words), (1, Unit::Characters), (3, Unit::Characters)] {
            let alone = ids(1, |_| text(row), three(unit), usize::MAX, 1);
            let range = sets.offsets[row] as usize..sets.offsets[row + 1] as usize;
            let mut found = sets.values[range].to_vec();
            if unit == Unit::Characters {
                found = found.iter().rev().map(|id| !id).collect();
            }
            assert_eq!(found, alone.values);
        }
    }

    #[test]
    fn texts_of_too_many_shingles_have_none() {
        let many: String = (0..5000u32).map(|i| char::from(b'a' + (i * i % 26) as u8)).collect();
        let few = "ab".repeat(3000);
        let texts = [many.as_str(), few.as_str(), "abc"];
        let text = |row: usize| Some(Cow::Borrowed(texts[row]));
        for most in [0, 1, 2, 3, 10, 100_000] {
            let all = ids(3, text, three(Unit::Characters), usize::MAX, 1);
            let some = ids(3, text, three(Unit::Characters), most, 1);
            for row in 0..3 {
                let size = |column: &Column<u32>| column.offsets[row + 1] - column.offsets[row];
                let expected = if size(&all) <= most as i64 { size(&all) } else { 0 };
                assert_eq!(size(&some), expected, "row {row}, most {most}");
            }
        }
    }

    #[test]
    fn sets_are_sorted_distinct_and_in_row_order() {
        let texts = [Some("a b a b a b"), None, Some(""), Some("x y z x y z w"), Some("a")];
        let shingling = Shingling::plain(Unit::Words, 2, Normalisation::Fold);
        for jobs in [1, 2] {
            let small =
                ids(texts.len(), |row| texts[row].map(Cow::Borrowed), shingling, usize::MAX, jobs);
            let large = hashes(texts.len(), |row| texts[row].map(Cow::Borrowed), shingling, jobs);
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
