//! Evidence as plain rows, for a handful of texts: the evidence of each is a tuple of numbers and
//! bytes, judged without a column.

use ilk_joins::judge::{self, Counts, Digests, Evidence, Thresholds, Verdict};
use ilk_joins::overlap::{HashSets, IdSets, Ratio};
use ilk_joins::sets::Column;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::packing::{Number, read_ids};
use crate::watch::run_watched;

/// Evidence of one text: digest, bytes digest, masked digest, length, number of words, whether
/// its word shingles are whole hashes, these shingles, and those of characters where it has any.
#[derive(FromPyObject)]
pub struct Kept(
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
    #[allow(dead_code)] // No verdict depends on the length.
    Option<i64>,
    u32,
    bool,
    PyBackedBytes,
    Option<PyBackedBytes>,
);

/// A row of what is kept, as it is handed over.
pub type Row<'py> = (
    Option<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyBytes>>,
    i64,
    u32,
    bool,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyBytes>>,
);

/// Evidence of texts, as the judge takes it.
#[derive(Default)]
struct Texts {
    words: Vec<u32>,
    word_shingles: Column<u32>,
    word_hashes: Column<u64>,
    character_shingles: Column<u32>,
}

impl Texts {
    fn of(rows: &[Option<Kept>]) -> Self {
        let mut texts = Self::default();
        for row in rows {
            if let Some(Kept(.., words, wide, shingles, characters)) = row {
                texts.words.push(*words);
                texts.word_shingles.values.extend(read_ids(shingles, *wide).0);
                if *wide {
                    texts.word_hashes.values.extend(u64::read_all(shingles));
                }
                let characters = characters.iter().flat_map(|bytes| u32::read_all(bytes));
                texts.character_shingles.values.extend(characters);
            } else {
                texts.words.push(0);
            }
            texts.word_shingles.offsets.push(texts.word_shingles.values.len() as i64);
            texts.word_hashes.offsets.push(texts.word_hashes.values.len() as i64);
            texts.character_shingles.offsets.push(texts.character_shingles.values.len() as i64);
        }
        texts
    }

    fn evidence(&self) -> Evidence<'_> {
        fn plain(sets: &Column<u32>) -> IdSets<'_> {
            IdSets { offsets: &sets.offsets, values: &sets.values }
        }
        let Column { offsets, values } = &self.word_hashes;
        Evidence {
            words: &self.words,
            word_shingles: plain(&self.word_shingles),
            word_hashes: HashSets { offsets, values },
            character_shingles: plain(&self.character_shingles),
        }
    }
}

/// Place, number of the verdict, resemblance, containment of the left and of the right one.
type Judged = (usize, u8, f64, f64, f64);

/// Returns the verdicts of the pairs of rows that are not `Different`, with their places. A pair
/// with an unknown text is left out.
#[pyfunction]
pub fn judge_kept(
    py: Python<'_>,
    texts: Vec<Option<Kept>>,
    left: Vec<u32>,
    right: Vec<u32>,
    resemblance: Option<(u64, u64)>,
    containment: Option<(u64, u64)>,
    any_numbers: bool,
) -> PyResult<Vec<Judged>> {
    let known = |&row: &u32| texts.get(row as usize).map(Option::is_some);
    let Some(known) = left
        .iter()
        .zip(&right)
        .map(|(a, b)| known(a).zip(known(b)).map(|(a, b)| a && b))
        .collect::<Option<Vec<bool>>>()
        .filter(|_| left.len() == right.len())
    else {
        return Err(PyValueError::new_err("a pair names no text"));
    };
    let places: Vec<usize> = (0..known.len()).filter(|&place| known[place]).collect();
    let side = |rows: &[u32]| -> Vec<u32> { places.iter().map(|&place| rows[place]).collect() };
    let (left, right) = (side(&left), side(&right));
    let ratio = |of: Option<(u64, u64)>| {
        of.map(|(numerator, denominator)| Ratio { numerator, denominator })
    };
    let thresholds = Thresholds {
        resemblance: ratio(resemblance),
        containment: ratio(containment),
        any_numbers,
        ..Thresholds::default()
    };
    let same = |a: usize, b: usize, digest: fn(&Kept) -> Option<&PyBackedBytes>| {
        let of = |row: usize| texts[row].as_ref().and_then(digest);
        of(a).zip(of(b)).is_some_and(|(a, b)| a[..] == b[..])
    };
    let digests = Digests {
        bytes: &|a, b| same(a, b, |text| text.1.as_ref()),
        text: &|a, b| same(a, b, |text| text.0.as_ref()),
        masked: &|a, b| same(a, b, |text| text.2.as_ref()),
        words: &|a, b| same(a, b, |text| text.2.as_ref().filter(|digest| judge::has_words(digest))),
    };
    let (measured, verdicts) = run_watched(py, None, |watch| {
        let texts = Texts::of(&texts);
        judge::judge_pairs(&texts.evidence(), digests, thresholds, [&left, &right], &[], 1, watch)
    })?;
    let row = |((place, of), verdict): ((usize, Counts), Verdict)| {
        let [left, right] = of.containments().map(|part| part.value());
        (place, verdict as u8, of.resemblance().value(), left, right)
    };
    let judged = places.into_iter().zip(measured).zip(verdicts);
    Ok(judged.filter(|&(_, verdict)| verdict != Verdict::Different).map(row).collect())
}
