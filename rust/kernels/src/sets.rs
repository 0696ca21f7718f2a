//! Shingle sets as a column: per text the sorted, distinct ids of its shingles.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parallel;
use crate::shingles::{Shingler, Shingling};
use crate::simd::sort;
use crate::stops::Stops;
use crate::tokens::Unit;

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
    /// Puts the rows of another column behind these; its sets are not copied to follow none.
    pub fn append(&mut self, mut other: Self) {
        let base = self.values.len() as i64;
        self.offsets.extend(other.offsets[1..].iter().map(|end| base + end));
        if base == 0 {
            self.values = other.values;
        } else {
            self.values.append(&mut other.values);
        }
    }
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
/// of the whole text, since normalisation never reaches over such a cut. The whole, if there is
/// none.
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

/// What is known of a text that was cut into its set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// How many words it has.
    pub words: usize,
    /// A lower bound on its distinct shingles of characters, sought only in texts of enough words.
    pub characters: usize,
}

/// The sets by which `rows` texts are measured among their like, and what is known of each.
pub fn measured<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    measure: Measure,
    jobs: usize,
) -> (Column<u32>, Vec<Known>) {
    let cells = || (0..rows).map(|_| AtomicUsize::new(0)).collect::<Vec<_>>();
    let (words, characters) = (cells(), cells());
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
        } else {
            let fewest = characters_at_least(&text, measure.characters.width);
            characters[row].store(fewest, Ordering::Relaxed);
        }
    });
    let known = words.into_iter().zip(characters).map(|(words, characters)| Known {
        words: words.into_inner(),
        characters: characters.into_inner(),
    });
    (sets, known.collect())
}

/// Bytes of a text that are looked at to see that it has many shingles of characters.
const LOOK: usize = 2048;

/// At least how many distinct shingles of `width` characters a text has, by the ASCII it begins
/// with: those that differ in a hash of 12 bits.
fn characters_at_least(text: &str, width: usize) -> usize {
    let head = &text.as_bytes()[..text.len().min(LOOK)];
    let ascii = head.iter().position(|byte| !byte.is_ascii()).unwrap_or(head.len());
    let mut seen = [0u64; 64];
    let (mut last, mut count) = (0u64, 0);
    let (mut begun, mut space) = (false, false);
    let mut push = |byte: u8| {
        last = (last << 8 | u64::from(byte)) & (u64::MAX >> (64 - 8 * width.clamp(1, 8)));
        count += 1;
        if count >= width {
            let hash = last.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
            seen[(hash >> 6) as usize] |= 1 << (hash & 63);
        }
    };
    // The last one may combine with what follows it.
    for &byte in &head[..ascii.saturating_sub(1)] {
        if byte == b' ' || (b'\t'..=b'\r').contains(&byte) {
            space = true;
            continue;
        }
        if space && begun {
            push(b' ');
        }
        (begun, space) = (true, false);
        push(byte.to_ascii_lowercase());
    }
    seen.iter().map(|bits| bits.count_ones() as usize).sum()
}

/// Appends the sorted, distinct ids of a text's shingles; returns how many shingles it has. The ids
/// of characters are turned (bit by bit), so that they are of another world than words: a word of
/// three letters is not what those letters are.
fn append(
    shingler: &mut Shingler,
    text: &str,
    shingling: Shingling,
    values: &mut Vec<u32>,
) -> usize {
    let start = values.len();
    shingler.ids(text, shingling, &Stops::default(), values);
    let shingles = values.len() - start;
    match shingling.unit {
        Unit::Words => make_set(values, start),
        Unit::Characters => make_set_of_characters(values, start),
    };
    shingles
}

/// Makes a set of the ids from `start` on; returns how many are left.
pub(crate) fn make_set(values: &mut Vec<u32>, start: usize) -> usize {
    let distinct = sort::sort_distinct(&mut values[start..]);
    values.truncate(start + distinct);
    distinct
}

/// The same of the ids of characters, which are turned.
pub(crate) fn make_set_of_characters(values: &mut Vec<u32>, start: usize) -> usize {
    let distinct = make_set(values, start);
    values[start..].iter_mut().for_each(|id| *id = !*id);
    values[start..].reverse();
    distinct
}

/// The sets of 64-bit shingle hashes, for documents so large that 32 bits would meet by chance.
pub fn hashes<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    shingling: Shingling,
    jobs: usize,
) -> Column<u64> {
    column(rows, jobs, |shingler, row, values| {
        if let Some(text) = text(row) {
            sort::push_set(shingler.shingles(&text, shingling), values);
        }
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
        let words: Vec<_> = words.iter().map(|known| known.words).collect();
        assert_eq!(words, [60, 3, 0, 0]);
        for (row, unit) in [(0, Unit::Words), (1, Unit::Characters), (3, Unit::Characters)] {
            let alone = ids(1, |_| text(row), three(unit), usize::MAX, 1);
            let range = sets.offsets[row] as usize..sets.offsets[row + 1] as usize;
            assert_eq!(sets.values[range], alone.values);
        }
    }

    #[test]
    fn no_text_has_fewer_shingles_of_characters_than_at_least() {
        let pieces =
            ["a", "Ab", "e\u{301}", " ", "\t\n", "\u{a0}", "z9", "\0", "\u{1c}", ".", "\u{fb01}"];
        let mut state = 1u64;
        let mut below = |count: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % count
        };
        for length in 0..400 {
            let text: String = (0..length).map(|_| pieces[below(pieces.len())]).collect();
            for width in [1, 2, 3, 5] {
                let shingling = Shingling::plain(Unit::Characters, width, Normalisation::Fold);
                let set = ids(1, |_| Some(Cow::Borrowed(&text)), shingling, usize::MAX, 1);
                assert!(characters_at_least(&text, width) <= set.values.len(), "{text:?} {width}");
            }
        }
        let plain: String = (0..3000).map(|_| char::from(b'a' + below(26) as u8)).collect();
        assert!(characters_at_least(&plain, 3) > 300);
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
