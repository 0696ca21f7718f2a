//! Columns of fingerprints, of sets or of pairs in, columns of pairs or of clusters out.

use arrow_array::types::{Int64Type, UInt8Type, UInt64Type};
use ilk_kernels::{clusters, simhash};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column};
use crate::options;

/// Row numbers, each below `rows`.
fn rows(column: Column, rows: usize) -> PyResult<Vec<u32>> {
    let numbers = columns::numbers::<Int64Type>(column)?;
    let narrow = |&row: &i64| u32::try_from(row).ok().filter(|&row| (row as usize) < rows);
    let rows: Option<Vec<u32>> = numbers.values().iter().map(narrow).collect();
    rows.ok_or_else(|| PyValueError::new_err("a row number is out of range"))
}

/// Row numbers as a column.
fn from_rows(rows: Vec<u32>) -> Column {
    columns::from_numbers::<Int64Type>(rows.into_iter().map(i64::from).collect())
}

/// The number of bits in which the fingerprints of each row differ.
#[pyfunction]
pub fn distances(left: Column, right: Column) -> PyResult<Column> {
    let (left, right) =
        (columns::numbers::<UInt64Type>(left)?, columns::numbers::<UInt64Type>(right)?);
    let rows = left.values().iter().zip(right.values());
    let bits = rows.map(|(a, b)| (a ^ b).count_ones() as u8).collect();
    Ok(columns::from_numbers::<UInt8Type>(bits))
}

/// The exact cosine of two texts' weighted feature vectors.
#[pyfunction]
pub fn cosine(
    left: &str,
    right: &str,
    unit: &str,
    width: usize,
    normalisation: &str,
    weight: &str,
) -> PyResult<Option<f64>> {
    let shingling = options::shingling(unit, width, normalisation)?;
    Ok(simhash::cosine(left, right, shingling, options::weight(weight)?))
}

/// The keeper of every row: anchored clusters of pairs, the best row first.
#[pyfunction]
pub fn anchored(py: Python<'_>, ranking: Column, left: Column, right: Column) -> PyResult<Column> {
    clustered(py, ranking, left, right, clusters::anchored)
}

/// The best row of everything that pairs connect with a row.
#[pyfunction]
pub fn connected(py: Python<'_>, ranking: Column, left: Column, right: Column) -> PyResult<Column> {
    clustered(py, ranking, left, right, clusters::connected)
}

fn clustered(
    py: Python<'_>,
    ranking: Column,
    left: Column,
    right: Column,
    kernel: fn(&[u32], &[u32], &[u32]) -> Vec<u32>,
) -> PyResult<Column> {
    let count = ranking.0.len();
    let ranking = rows(ranking, count)?;
    let (left, right) = (rows(left, count)?, rows(right, count)?);
    Ok(from_rows(py.detach(|| kernel(&ranking, &left, &right))))
}
