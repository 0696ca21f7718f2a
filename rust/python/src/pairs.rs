//! Columns of sets or of pairs in, columns of pairs or of clusters out.

use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt32Type, UInt64Type};
use arrow_pyarrow::PyArrowType;
use arrow_schema::DataType;
use ilk_joins::overlap::{self, Anchoring, Bridges, Overlaps, Ratio};
use ilk_joins::{clusters, sets};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets, ShownSets, from_rows};
use crate::watch::{run_heard, run_unwatched, run_watched};

/// Row numbers, each below `rows`.
pub fn row_numbers(column: Column, rows: usize) -> PyResult<Vec<u32>> {
    let numbers = columns::number_array::<Int64Type>(column)?;
    let narrow = |&row: &i64| u32::try_from(row).ok().filter(|&row| (row as usize) < rows);
    let rows: Option<Vec<u32>> = numbers.values().iter().map(narrow).collect();
    rows.ok_or_else(|| PyValueError::new_err("a row number is out of range"))
}

/// The same where a row may have none.
fn rows_or_none(column: Column, rows: usize) -> PyResult<Vec<Option<u32>>> {
    let numbers = columns::number_array_with_nulls::<Int64Type>(column)?;
    let narrow = |row: i64| u32::try_from(row).ok().filter(|&row| (row as usize) < rows);
    let checked = |row: Option<i64>| row.map_or(Some(None), |row| narrow(row).map(Some));
    let rows: Option<Vec<Option<u32>>> = numbers.iter().map(checked).collect();
    rows.ok_or_else(|| PyValueError::new_err("a row number is out of range"))
}

/// Lists of numbers as sets: every row ascending and distinct.
#[pyfunction]
pub fn sorted_sets(py: Python<'_>, lists: Column) -> PyResult<Column> {
    let given = lists.0.clone();
    let lists = Sets::<UInt32Type>::new(lists)?;
    let sets = run_heard(py, || sets::sort_lists(lists.len(), |row| lists.get(row)))?;
    Ok(sets.map_or(PyArrowType(given), columns::from_sets::<UInt32Type>))
}

/// Sets of `uint32` or `uint64` in which the numbers of each row are shifted by its group, a number
/// below 2^32: sets of two groups share nothing.
#[pyfunction]
pub fn shift_sets(py: Python<'_>, lists: Column, groups: Column) -> PyResult<Column> {
    match lists.0.data_type() {
        DataType::LargeList(field) if field.data_type() == &DataType::UInt64 => {
            shift_lists::<UInt64Type>(py, lists, groups)
        }
        _ => shift_lists::<UInt32Type>(py, lists, groups),
    }
}

fn shift_lists<T: ArrowPrimitiveType>(
    py: Python<'_>,
    lists: Column,
    groups: Column,
) -> PyResult<Column>
where
    T::Native: sets::Shift,
{
    let lists = Sets::<T>::new(lists)?;
    let groups = row_numbers(groups, u32::MAX as usize)?;
    if groups.len() != lists.len() {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let values = run_unwatched(py, || sets::shifted(&groups, |row| lists.get(row)))?;
    let start = lists.offsets()[0];
    let offsets = lists.offsets().iter().map(|end| end - start).collect();
    Ok(columns::from_sets::<T>(sets::Column { offsets, values }))
}

/// Per pair how many 32-bit ids the two sets share.
#[pyfunction]
pub fn intersect_pairs(
    py: Python<'_>,
    sets: ShownSets,
    left: Column,
    right: Column,
) -> PyResult<Column> {
    let (left, right) = (row_numbers(left, sets.len())?, row_numbers(right, sets.len())?);
    let all = sets.sets();
    run_watched(py, None, |watch| overlap::intersect_pairs(all, all, &left, &right, watch))
        .map(from_rows)
}

/// Pairs as columns: left, right, values shared.
fn overlap_columns(pairs: Overlaps) -> (Column, Column, Column) {
    (from_rows(pairs.left), from_rows(pairs.right), from_rows(pairs.shared))
}

/// Every pair of rows whose sets resemble each other by at least `numerator / denominator`.
#[pyfunction]
#[pyo3(signature = (sets, numerator, denominator, max_pairs, jobs, progress=None))]
pub fn resemblance_self_join(
    py: Python<'_>,
    sets: ShownSets,
    numerator: u64,
    denominator: u64,
    max_pairs: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let ratio = Ratio { numerator, denominator };
    run_watched(py, progress.as_ref(), |watch| {
        overlap::resemblance_self_join(sets.sets(), ratio, max_pairs, jobs, watch)
    })
    .map(overlap_columns)
}

/// The same between the rows of two columns.
#[pyfunction]
#[pyo3(signature = (left, right, numerator, denominator, max_pairs, jobs, progress=None))]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn resemblance_join(
    py: Python<'_>,
    left: ShownSets,
    right: ShownSets,
    numerator: u64,
    denominator: u64,
    max_pairs: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let ratio = Ratio { numerator, denominator };
    run_watched(py, progress.as_ref(), |watch| {
        overlap::resemblance_join(left.sets(), right.sets(), ratio, max_pairs, jobs, watch)
    })
    .map(overlap_columns)
}

/// Every pair of rows whose left one is contained in the right one to that degree.
#[pyfunction]
#[pyo3(signature = (sets, numerator, denominator, max_pairs, progress=None))]
pub fn containment_self_join(
    py: Python<'_>,
    sets: ShownSets,
    numerator: u64,
    denominator: u64,
    max_pairs: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let ratio = Ratio { numerator, denominator };
    run_watched(py, progress.as_ref(), |watch| {
        overlap::containment_self_join(sets.sets(), ratio, max_pairs, watch)
    })
    .map(overlap_columns)
}

/// Every pair of a left row that is contained in a right one to that degree.
#[pyfunction]
#[pyo3(signature = (left, right, numerator, denominator, max_pairs, progress=None))]
pub fn containment_join(
    py: Python<'_>,
    left: ShownSets,
    right: ShownSets,
    numerator: u64,
    denominator: u64,
    max_pairs: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let ratio = Ratio { numerator, denominator };
    run_watched(py, progress.as_ref(), |watch| {
        overlap::containment_join(left.sets(), right.sets(), ratio, max_pairs, watch)
    })
    .map(overlap_columns)
}

/// Per row one larger row that contains it to that degree; null if no row does.
#[pyfunction]
#[pyo3(signature = (sets, numerator, denominator, progress=None))]
pub fn containers(
    py: Python<'_>,
    sets: ShownSets,
    numerator: u64,
    denominator: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Column> {
    let ratio = Ratio { numerator, denominator };
    let found =
        run_watched(py, progress.as_ref(), |watch| overlap::containers(sets.sets(), ratio, watch))?;
    let found = found.into_iter().map(|row| row.map(i64::from)).collect();
    Ok(columns::from_options::<Int64Type>(found))
}

/// Clusters found without listing the pairs, of the sets that resemble each other to that degree
/// and the pairs given beside: the keeper of every row, and of a keeper the row outside its cluster
/// whose set it resembles most, or null. Alike rows are of one of `families`. Rows of `given` that
/// are not null have their keeper already.
#[pyfunction]
#[pyo3(signature = (sets, families, ranking, numerator, denominator, left, right, given, jobs, progress=None))]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn sets_anchored(
    py: Python<'_>,
    sets: ShownSets,
    families: Column,
    ranking: Column,
    numerator: u64,
    denominator: u64,
    left: Column,
    right: Column,
    given: Column,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column)> {
    let count = sets.len();
    let (families, ranking) = (row_numbers(families, count)?, row_numbers(ranking, count)?);
    if families.len() != count {
        return Err(PyValueError::new_err("there is not a family for each row"));
    }
    let (left, right) = (row_numbers(left, count)?, row_numbers(right, count)?);
    let given = rows_or_none(given, count)?;
    let ratio = Ratio { numerator, denominator };
    let bridges = Bridges { left: &left, right: &right };
    let found = run_watched(py, progress.as_ref(), |watch| {
        let anchoring = Anchoring {
            families: &families,
            order: &ranking,
            threshold: ratio,
            bridges,
            given: &given,
        };
        overlap::cluster_anchored(sets.sets(), anchoring, jobs, watch)
    })?;
    let also = found.also.into_iter().map(|row| row.map(i64::from)).collect();
    Ok((from_rows(found.keeper), columns::from_options::<Int64Type>(also)))
}

/// The keeper of every row: anchored clusters of pairs, the best row first.
#[pyfunction]
pub fn cluster_anchored(
    py: Python<'_>,
    ranking: Column,
    left: Column,
    right: Column,
) -> PyResult<Column> {
    cluster_rows(py, ranking, left, right, clusters::cluster_anchored)
}

/// The best row of everything that pairs connect with a row.
#[pyfunction]
pub fn cluster_connected(
    py: Python<'_>,
    ranking: Column,
    left: Column,
    right: Column,
) -> PyResult<Column> {
    cluster_rows(py, ranking, left, right, clusters::cluster_connected)
}

fn cluster_rows(
    py: Python<'_>,
    ranking: Column,
    left: Column,
    right: Column,
    kernel: impl Fn(&[u32], &[u32], &[u32]) -> Vec<u32> + Sync,
) -> PyResult<Column> {
    let count = ranking.0.len();
    let ranking = row_numbers(ranking, count)?;
    let (left, right) = (row_numbers(left, count)?, row_numbers(right, count)?);
    run_heard(py, || kernel(&ranking, &left, &right)).map(from_rows)
}
