//! Columns of texts in, columns of digests, words and sets out.

use arrow_array::Array;
use arrow_array::types::{Int64Type, UInt8Type, UInt64Type};
use ilk_joins::simd::xxh3::Pieces;
use ilk_joins::{parallel, stop};
use ilk_kernels::digest::{self, Digester};
use ilk_kernels::shingles::Shingler;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::options;
use crate::watch::run_infallible;

/// The digest of every normalised text, without some differences; null for a null or blank one.
#[pyfunction]
#[pyo3(signature = (texts, normalisation, jobs, masks=Vec::new()))]
pub fn digest_texts(
    py: Python<'_>,
    texts: Column,
    normalisation: &str,
    jobs: usize,
    masks: Vec<String>,
) -> PyResult<Column> {
    let texts = Texts::from_large_binary(texts)?;
    let normalisation = options::parse_normalisation(normalisation)?;
    let masks = options::parse_masks(&masks)?;
    let digests = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |rows| {
            let mut digester = Digester::new(masks);
            rows.map(|row| digester.digest_text(&texts.get(row)?, normalisation))
                .collect::<Vec<_>>()
        })
        .concat()
    })?;
    columns::from_digests(&digests)
}

/// The digest of every row's bytes as they are; null for null.
#[pyfunction]
pub fn digest_contents(py: Python<'_>, contents: Column) -> PyResult<Column> {
    let contents = Texts::from_large_binary(contents)?;
    let digests: Vec<_> = run_infallible(py, || {
        (0..contents.len()).map(|row| contents.bytes(row).map(digest::digest_bytes)).collect()
    })?;
    columns::from_digests(&digests)
}

/// The digest of bytes that come in pieces, as of one row of them all.
#[pyclass(module = "ilk._kernels")]
#[derive(Default)]
pub struct BytesDigest(Pieces);

#[pymethods]
impl BytesDigest {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes.
    fn add(&mut self, py: Python<'_>, piece: Column) -> PyResult<()> {
        let piece = columns::number_array::<UInt8Type>(piece)?;
        py.detach(|| self.0.update(piece.values()));
        Ok(())
    }

    /// Returns the digest of what was added, 16 bytes.
    fn value(&self) -> [u8; 16] {
        self.0.digest128().to_be_bytes()
    }
}

/// The number of words of every text; 0 for null.
#[pyfunction]
pub fn count_words(
    py: Python<'_>,
    texts: Column,
    normalisation: &str,
    jobs: usize,
) -> PyResult<Column> {
    let texts = Texts::from_large_binary(texts)?;
    let normalisation = options::parse_normalisation(normalisation)?;
    let counts = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |rows| {
            let mut shingler = Shingler::default();
            let count = |row| {
                texts.get(row).map_or(0, |text| shingler.count_words(&text, normalisation) as i64)
            };
            rows.map(count).collect::<Vec<_>>()
        })
        .concat()
    })?;
    Ok(columns::from_numbers::<Int64Type>(counts))
}

/// The words of one text: their hashes, and where each begins and ends in it (characters).
#[pyfunction]
pub fn hash_and_locate_words(
    py: Python<'_>,
    text: &str,
    normalisation: &str,
) -> PyResult<(Column, Column, Column)> {
    let normalisation = options::parse_normalisation(normalisation)?;
    let (hashes, starts, ends) = run_infallible(py, || {
        let (hashes, places) = Shingler::default().hash_words(text, normalisation);
        let (starts, ends): (Vec<_>, Vec<_>) = places.into_iter().map(|p| (p.start, p.end)).unzip();
        (hashes, to_character_offsets(text, &starts), to_character_offsets(text, &ends))
    })?;
    Ok((
        columns::from_numbers::<UInt64Type>(hashes),
        columns::from_numbers::<Int64Type>(starts),
        columns::from_numbers::<Int64Type>(ends),
    ))
}

/// Byte offsets as character offsets. Offsets that step back (words of overlapping characters)
/// are counted from the start again only as far as they step.
fn to_character_offsets(text: &str, offsets: &[usize]) -> Vec<i64> {
    let bytes = text.as_bytes();
    let starts = |range: &[u8]| range.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as i64;
    let (mut at, mut characters) = (0, 0);
    offsets
        .iter()
        .map(|&offset| {
            let offset = offset.min(bytes.len());
            stop::count_work_or_unwind(offset.abs_diff(at) + size_of::<usize>());
            if offset >= at {
                characters += starts(&bytes[at..offset]);
            } else {
                characters -= starts(&bytes[offset..at]);
            }
            at = offset;
            characters
        })
        .collect()
}

/// Per row the first row of an equal digest; null where there is no digest.
#[pyfunction]
pub fn find_first_equal_rows_or_null(py: Python<'_>, digests: Column) -> PyResult<Column> {
    let digests = columns::digest_array(digests)?;
    let rows = run_infallible(py, || {
        let rows = digest::find_first_rows(digests.len(), |row| columns::digest_at(&digests, row));
        rows.into_iter().map(|row| row.map(|row| row as i64)).collect()
    })?;
    Ok(columns::from_numbers_or_nulls::<Int64Type>(rows))
}
