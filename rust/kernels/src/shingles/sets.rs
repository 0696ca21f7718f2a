//! Shingle sets as a column: per text the sorted, distinct ids of its shingles.

use std::borrow::Cow;

use ilk_joins::parallel;
use ilk_joins::sets::{Column, sort_into_set_from};

use super::{Shingler, Shingling};
use crate::stops::Stops;
use crate::tokens::Unit;

/// The sets of 32-bit shingle ids of `rows` texts; empty for a null text, and for one of more than
/// `most_ids` distinct shingles.
pub fn make_id_sets_empty_if_large<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    shingling: Shingling,
    most_ids: usize,
    jobs: usize,
) -> Column<u32> {
    make_column(rows, jobs, |shingler, row, values| {
        let Some(text) = text(row) else { return };
        if most_ids < text.len() {
            // A long text mostly shows by its beginning that it has too many.
            let beginning = beginning_before_ascii(&text, most_ids.saturating_mul(8));
            let start = values.len();
            append_set_with_characters_inverted(shingler, beginning, shingling, values);
            let distinct = values.len() - start;
            values.truncate(start);
            if distinct > most_ids {
                return;
            }
        }
        let start = values.len();
        append_set_with_characters_inverted(shingler, &text, shingling, values);
        if values.len() - start > most_ids {
            values.truncate(start);
        }
    })
}

/// At most about `length` bytes of a text, cut before an ASCII character: its shingles are shingles
/// of the whole text, since normalisation never reaches over such a cut. The whole, if there is
/// none.
fn beginning_before_ascii(text: &str, length: usize) -> &str {
    let cut = text.bytes().skip(length).position(|byte| byte.is_ascii_alphanumeric());
    cut.and_then(|cut| text.get(..length + cut)).unwrap_or(text)
}

/// Ids of characters are inverted bit by bit, so that they are of another world than words: a word
/// of three letters is not what those letters are.
fn append_set_with_characters_inverted(
    shingler: &mut Shingler,
    text: &str,
    shingling: Shingling,
    values: &mut Vec<u32>,
) {
    let start = values.len();
    shingler.push_ids(text, shingling, &Stops::default(), values);
    match shingling.unit {
        Unit::Words => sort_into_set_from(values, start),
        Unit::Characters => make_set_of_inverted_ids(values, start),
    }
}

/// Makes a set of the ids from `start` on, each with all its bits inverted.
pub(crate) fn make_set_of_inverted_ids(values: &mut Vec<u32>, start: usize) {
    sort_into_set_from(values, start);
    values[start..].iter_mut().for_each(|id| *id = !*id);
    // Inverted ids are in the opposite order.
    values[start..].reverse();
}

fn make_column(
    rows: usize,
    jobs: usize,
    append: impl Fn(&mut Shingler, usize, &mut Vec<u32>) + Sync,
) -> Column<u32> {
    let parts = parallel::map_ranges(rows, jobs, |range| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Normalisation;
    use ilk_joins::hash;

    fn three(unit: Unit) -> Shingling {
        Shingling::plain(unit, 3, Normalisation::Fold)
    }

    #[test]
    fn texts_of_too_many_shingles_have_none() {
        let many: String = (0..5000u32).map(|i| char::from(b'a' + (i * i % 26) as u8)).collect();
        let few = "ab".repeat(3000);
        let texts = [many.as_str(), few.as_str(), "abc"];
        let text = |row: usize| Some(Cow::Borrowed(texts[row]));
        for most in [0, 1, 2, 3, 10, 100_000] {
            let all = make_id_sets_empty_if_large(3, text, three(Unit::Characters), usize::MAX, 1);
            let some = make_id_sets_empty_if_large(3, text, three(Unit::Characters), most, 1);
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
            let sets = make_id_sets_empty_if_large(
                texts.len(),
                |row| texts[row].map(Cow::Borrowed),
                shingling,
                usize::MAX,
                jobs,
            );
            assert_eq!(sets.offsets, [0, 2, 2, 2, 6, 7]);
            for (text, ends) in texts.iter().zip(sets.offsets.windows(2)) {
                let hashes =
                    text.map(|text| Shingler::default().hash_shingles(text, shingling).to_vec());
                let mut ids: Vec<u32> =
                    hashes.iter().flatten().map(|&hash| hash::id_of_hash(hash)).collect();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(sets.values[ends[0] as usize..ends[1] as usize], ids);
            }
        }
    }
}
