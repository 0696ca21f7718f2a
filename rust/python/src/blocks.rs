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
pub fn hash_blocks(
    py: Python<'_>,
    texts: Column,
    normalisation: &str,
    jobs: usize,
) -> PyResult<Column> {
    let texts = Texts::new(texts)?;
    let normalisation = options::parse_normalisation(normalisation)?;
    let hashes = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |rows| {
            let mut blocks = Blocks::default();
            rows.map(|row| match texts.get(row) {
                Some(text) => blocks.hash_blocks(&text, normalisation),
                None => Vec::new(),
            })
            .collect::<Vec<_>>()
        })
        .concat()
    })?;
    let ends = hashes.iter().scan(0, |end, row| {
        *end += row.len() as i64;
        Some(*end)
    });
    let offsets = std::iter::once(0).chain(ends).collect();
    Ok(columns::from_sets::<UInt64Type>(sets::Column { offsets, values: hashes.concat() }))
}

/// Every text without the paragraphs and lines whose hashes are among `common`, ascending.
#[pyfunction]
pub fn without_blocks(
    py: Python<'_>,
    texts: Column,
    normalisation: &str,
    common: Column,
    jobs: usize,
) -> PyResult<Column> {
    let texts = Texts::new(texts)?;
    let normalisation = options::parse_normalisation(normalisation)?;
    let common = columns::number_array::<UInt64Type>(common)?;
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
