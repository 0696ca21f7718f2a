//! Columns of texts in, columns of their blocks' hashes and of texts without some blocks out.

use std::borrow::Cow;

use arrow_array::types::UInt64Type;
use arrow_array::{Array, LargeBinaryArray};
use arrow_pyarrow::PyArrowType;
use ilk_joins::{parallel, sets};
use ilk_kernels::blocks::Blocks;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::options;
use crate::watch::run_infallible;

/// The sorted, distinct hashes of every text's paragraphs and lines.
#[pyfunction]
pub fn make_block_hash_sets(
    py: Python<'_>,
    texts: Column,
    normalisation: &str,
    jobs: usize,
) -> PyResult<Column> {
    let texts = Texts::from_large_binary(texts)?;
    let normalisation = options::parse_normalisation(normalisation)?;
    let hashes = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |rows| {
            let mut blocks = Blocks::default();
            rows.map(|row| match texts.get(row) {
                Some(text) => blocks.hash_blocks_into_set(&text, normalisation),
                None => Vec::new(),
            })
            .collect::<Vec<_>>()
        })
        .concat()
    })?;
    let offsets = columns::offsets_of_lengths(hashes.iter().map(Vec::len));
    Ok(columns::from_sets::<UInt64Type>(sets::Column { offsets, values: hashes.concat() }))
}

/// Every text without the paragraphs and lines whose hashes are given, ascending.
#[pyfunction]
pub fn drop_blocks_by_hash(
    py: Python<'_>,
    texts: Column,
    normalisation: &str,
    ascending_block_hashes: Column,
    jobs: usize,
) -> PyResult<Column> {
    let texts = Texts::from_large_binary(texts)?;
    let normalisation = options::parse_normalisation(normalisation)?;
    let common = columns::number_array::<UInt64Type>(ascending_block_hashes)?;
    let kept = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |rows| {
            let mut blocks = Blocks::default();
            rows.map(|row| {
                let text = texts.get(row)?;
                let kept = blocks.without_blocks(&text, normalisation, common.values());
                // Blocks that are the row's own already are not copied a second time.
                Some(match kept {
                    Cow::Owned(kept) => kept,
                    Cow::Borrowed(_) => text.into_owned(),
                })
            })
            .collect::<Vec<_>>()
        })
        .concat()
    })?;
    Ok(PyArrowType(LargeBinaryArray::from_iter(kept).into_data()))
}

/// The first paragraph or line of a text whose hash this is.
#[pyfunction]
pub fn find_block(
    py: Python<'_>,
    text: &str,
    normalisation: &str,
    block_hash: u64,
) -> PyResult<Option<String>> {
    let normalisation = options::parse_normalisation(normalisation)?;
    run_infallible(py, || {
        Blocks::default().find_block(text, normalisation, block_hash).map(str::to_owned)
    })
}
