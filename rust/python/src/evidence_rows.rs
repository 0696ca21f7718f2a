//! Evidence as plain rows, for a handful of texts: the evidence of each is a tuple of numbers and
//! bytes, judged without a column.

use arrow_array::types::{UInt32Type, UInt64Type};
use ilk_joins::judge::{self, Counts, Digests, Evidence, Verdict};
use ilk_joins::overlap::{HashSets, IdSets};
use ilk_joins::sets::Column;
use ilk_kernels::evidence;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::columns::{self, Column as ArrowColumn};
use crate::evidence::to_evidence_column;
use crate::judge::PairThresholds;
use crate::packing::{Number, unpack_ids_and_count_merged};
use crate::watch::run_watched;

/// Evidence of one text: digest, bytes digest, masked digest, length, number of words, whether
/// its word shingles are whole hashes, these shingles, and those of characters where it has any.
#[derive(FromPyObject)]
pub struct EvidenceRow(
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
    Option<i64>,
    u32,
    bool,
    PyBackedBytes,
    Option<PyBackedBytes>,
);

/// The same for Python.
pub type NewEvidenceRow<'py> = (
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
struct WordCountsAndSets {
    words: Vec<u32>,
    word_shingles: Column<u32>,
    word_hashes: Column<u64>,
    character_shingles: Column<u32>,
}

impl WordCountsAndSets {
    fn from_rows(rows: &[Option<EvidenceRow>]) -> Self {
        let mut texts = Self::default();
        for row in rows {
            if let Some(EvidenceRow(.., words, wide, shingles, characters)) = row {
                texts.words.push(*words);
                texts.word_shingles.values.extend(unpack_ids_and_count_merged(shingles, *wide).0);
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
        fn id_sets(sets: &Column<u32>) -> IdSets<'_> {
            IdSets { offsets: &sets.offsets, values: &sets.values }
        }
        let Column { offsets, values } = &self.word_hashes;
        Evidence {
            words: &self.words,
            word_shingles: id_sets(&self.word_shingles),
            word_hashes: HashSets { offsets, values },
            character_shingles: id_sets(&self.character_shingles),
        }
    }
}

/// Returns the same evidence as `EvidenceBuilder.take_column` hands it over, for joins of many
/// texts; a length that is not known is 0.
#[pyfunction]
pub fn evidence_rows_to_column(rows: Vec<EvidenceRow>) -> PyResult<ArrowColumn> {
    fn digests(
        rows: &[Option<EvidenceRow>],
        digest: fn(&EvidenceRow) -> Option<&PyBackedBytes>,
    ) -> PyResult<evidence::Digests> {
        let mut digests = evidence::Digests::default();
        for row in rows {
            let digest = row.as_ref().and_then(digest);
            let bytes = digest.map_or(&[0; 16][..], |bytes| &bytes[..]);
            let wrong = |_| PyValueError::new_err("a digest is not of 16 bytes");
            digests.values.push(bytes.try_into().map_err(wrong)?);
            digests.known.push(digest.is_some());
        }
        Ok(digests)
    }
    let rows: Vec<Option<EvidenceRow>> = rows.into_iter().map(Some).collect();
    let mut evidence = evidence::Evidence::default();
    evidence.digests = digests(&rows, |row| row.0.as_ref())?;
    evidence.bytes_digests = digests(&rows, |row| row.1.as_ref())?;
    evidence.masked_digests = digests(&rows, |row| row.2.as_ref())?;
    evidence.lengths = rows.iter().flatten().map(|row| row.3.unwrap_or(0)).collect();
    let texts = WordCountsAndSets::from_rows(&rows);
    evidence.words = texts.words;
    evidence.word_shingles.offsets = texts.word_shingles.offsets;
    evidence.word_hashes.offsets = texts.word_hashes.offsets;
    evidence.character_shingles.offsets = texts.character_shingles.offsets;
    let values = (
        columns::from_numbers::<UInt32Type>(texts.word_shingles.values),
        columns::from_numbers::<UInt64Type>(texts.word_hashes.values),
        columns::from_numbers::<UInt32Type>(texts.character_shingles.values),
    );
    to_evidence_column(evidence, values)
}

/// Place, number of the verdict, resemblance, containment of the left and of the right one.
type PlacedVerdict = (usize, u8, f64, f64, f64);

/// Returns the verdicts of the pairs of rows that are not `Different`, with their places. A pair
/// with an unknown text is left out.
#[pyfunction]
pub fn judge_known_pairs_dropping_different(
    py: Python<'_>,
    texts: Vec<Option<EvidenceRow>>,
    left: Vec<u32>,
    right: Vec<u32>,
    thresholds: &PairThresholds,
) -> PyResult<Vec<PlacedVerdict>> {
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
    let thresholds = thresholds.with_sites(None);
    let same = |a: usize, b: usize, digest: fn(&EvidenceRow) -> Option<&PyBackedBytes>| {
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
        let texts = WordCountsAndSets::from_rows(&texts);
        judge::judge_pairs(&texts.evidence(), digests, thresholds, [&left, &right], &[], 1, watch)
    })?;
    let row = |((place, of), verdict): ((usize, Counts), Verdict)| {
        let [left, right] = of.containments().map(|part| part.value());
        (place, verdict as u8, of.resemblance().value(), left, right)
    };
    let judged = places.into_iter().zip(measured).zip(verdicts);
    Ok(judged.filter(|&(_, verdict)| verdict != Verdict::Different).map(row).collect())
}
