//! Columns of fingerprints, of sets or of pairs in, columns of pairs or of clusters out.

use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use ilk_kernels::{clusters, hamming, sets, simhash};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets};
use crate::options;
use crate::watch::watched;

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

/// Pairs as columns: left, right, distance.
fn from_pairs(pairs: hamming::Pairs) -> (Column, Column, Column) {
    let distance = columns::from_numbers::<UInt8Type>(pairs.distance);
    (from_rows(pairs.left), from_rows(pairs.right), distance)
}

/// Every pair of rows within the radius.
#[pyfunction]
pub fn hamming_self_join(
    py: Python<'_>,
    fingerprints: Column,
    radius: u32,
    max_pairs: u64,
) -> PyResult<(Column, Column, Column)> {
    let values = columns::numbers::<UInt64Type>(fingerprints)?;
    watched(py, |watch| hamming::self_join(values.values(), radius, max_pairs, watch))
        .map(from_pairs)
}

/// Every pair of a left and a right row within the radius.
#[pyfunction]
pub fn hamming_join(
    py: Python<'_>,
    left: Column,
    right: Column,
    radius: u32,
    max_pairs: u64,
) -> PyResult<(Column, Column, Column)> {
    let (left, right) =
        (columns::numbers::<UInt64Type>(left)?, columns::numbers::<UInt64Type>(right)?);
    watched(py, |watch| hamming::join(left.values(), right.values(), radius, max_pairs, watch))
        .map(from_pairs)
}

/// Per row the first row of an equal fingerprint, and every pair of such rows within the radius.
#[pyfunction]
pub fn hamming_groups(
    py: Python<'_>,
    fingerprints: Column,
    radius: u32,
    max_pairs: u64,
) -> PyResult<(Column, Column, Column, Column)> {
    let values = columns::numbers::<UInt64Type>(fingerprints)?;
    let groups =
        watched(py, |watch| hamming::pair_groups(values.values(), radius, max_pairs, watch))?;
    let first =
        |group: Vec<u32>| from_rows(group.iter().map(|&g| groups.first[g as usize]).collect());
    let distance = columns::from_numbers::<UInt8Type>(groups.edges.distance);
    Ok((first(groups.group), first(groups.edges.left), first(groups.edges.right), distance))
}

/// Per pair how many 64-bit hashes the two sets share.
#[pyfunction]
pub fn intersect_wide_pairs(
    py: Python<'_>,
    sets: Column,
    left: Column,
    right: Column,
) -> PyResult<Column> {
    let sets = Sets::<UInt64Type>::new(sets)?;
    let (left, right) = (rows(left, sets.len())?, rows(right, sets.len())?);
    let shared = py.detach(|| {
        let pairs = left.iter().zip(&right);
        pairs
            .map(|(&a, &b)| sets::shared(sets.get(a as usize), sets.get(b as usize)) as i64)
            .collect()
    });
    Ok(columns::from_numbers::<Int64Type>(shared))
}

/// Per pair how many 32-bit ids the two sets share.
#[pyfunction]
pub fn intersect_pairs(
    py: Python<'_>,
    sets: Column,
    left: Column,
    right: Column,
) -> PyResult<Column> {
    let sets = Sets::<UInt32Type>::new(sets)?;
    let (left, right) = (rows(left, sets.len())?, rows(right, sets.len())?);
    let shared = py.detach(|| {
        let pairs = left.iter().zip(&right);
        let wide = |r: u32| sets.get(r as usize).iter().map(|&v| u64::from(v)).collect::<Vec<_>>();
        pairs.map(|(&a, &b)| sets::shared(&wide(a), &wide(b)) as i64).collect()
    });
    Ok(columns::from_numbers::<Int64Type>(shared))
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
