//! Columns of sets or of pairs in, columns of pairs or of clusters out.

use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt32Type, UInt64Type};
use arrow_pyarrow::PyArrowType;
use arrow_schema::DataType;
use ilk_joins::overlap::{self, Bridges, Overlaps};
use ilk_joins::{clusters, sets};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, SetColumnOrRowChoice, Sets, from_row_numbers};
use crate::options::Threshold;
use crate::watch::{run_infallible, run_unwatched, run_watched};

/// Row numbers, each below `rows`.
pub fn row_numbers(column: Column, rows: usize) -> PyResult<Vec<u32>> {
    let numbers = columns::number_array::<Int64Type>(column)?;
    let narrow = |&row: &i64| u32::try_from(row).ok().filter(|&row| (row as usize) < rows);
    let rows: Option<Vec<u32>> = numbers.values().iter().map(narrow).collect();
    rows.ok_or_else(|| PyValueError::new_err("a row number is out of range"))
}

/// Row numbers, each below `rows`, or null.
fn row_numbers_with_nulls(column: Column, rows: usize) -> PyResult<Vec<Option<u32>>> {
    let numbers = columns::number_array_with_nulls::<Int64Type>(column)?;
    let narrow = |row: i64| u32::try_from(row).ok().filter(|&row| (row as usize) < rows);
    let checked = |row: Option<i64>| row.map_or(Some(None), |row| narrow(row).map(Some));
    let rows: Option<Vec<Option<u32>>> = numbers.iter().map(checked).collect();
    rows.ok_or_else(|| PyValueError::new_err("a row number is out of range"))
}

/// Lists of numbers as sets: every row ascending and distinct.
#[pyfunction]
pub fn sort_into_sets(py: Python<'_>, lists: Column) -> PyResult<Column> {
    let given = lists.0.clone();
    let lists = Sets::<UInt32Type>::from_large_list_ignoring_nulls(lists)?;
    let sets =
        run_infallible(py, || sets::sort_lists_unless_sets(lists.len(), |row| lists.get(row)))?;
    Ok(sets.map_or(PyArrowType(given), columns::from_sets::<UInt32Type>))
}

/// Sets of `uint32` or `uint64` in which the numbers of each row are shifted by its group, a number
/// below 2^32: sets of two groups share nothing.
#[pyfunction]
pub fn shift_sets_by_group(py: Python<'_>, sets: Column, groups: Column) -> PyResult<Column> {
    match sets.0.data_type() {
        DataType::LargeList(field) if field.data_type() == &DataType::UInt64 => {
            shift_sets_of_width::<UInt64Type>(py, sets, groups)
        }
        _ => shift_sets_of_width::<UInt32Type>(py, sets, groups),
    }
}

fn shift_sets_of_width<T: ArrowPrimitiveType>(
    py: Python<'_>,
    lists: Column,
    groups: Column,
) -> PyResult<Column>
where
    T::Native: sets::Shift,
{
    let lists = Sets::<T>::from_large_list_ignoring_nulls(lists)?;
    let groups = row_numbers(groups, u32::MAX as usize)?;
    if groups.len() != lists.len() {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let values = run_unwatched(py, || sets::shift_each(&groups, |row| lists.get(row)))?;
    let start = lists.offsets()[0];
    let offsets = lists.offsets().iter().map(|end| end - start).collect();
    Ok(columns::from_sets::<T>(sets::Column { offsets, values }))
}

/// Per pair how many 32-bit ids the two sets share.
#[pyfunction]
pub fn count_shared_ids(
    py: Python<'_>,
    sets: SetColumnOrRowChoice,
    left: Column,
    right: Column,
) -> PyResult<Column> {
    let (left, right) = (row_numbers(left, sets.len())?, row_numbers(right, sets.len())?);
    if left.len() != right.len() {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let all = sets.sets_to_join();
    run_watched(py, None, |watch| overlap::count_shared_ids(all, all, &left, &right, watch))
        .map(from_row_numbers)
}

/// Pairs of rows as columns: left, right, how many values the two sets share.
type RowPairsWithShared = (Column, Column, Column);

fn pair_columns(pairs: Overlaps) -> RowPairsWithShared {
    (from_row_numbers(pairs.left), from_row_numbers(pairs.right), from_row_numbers(pairs.shared))
}

/// Every pair of rows whose sets resemble each other to a degree, at least `threshold`.
#[pyfunction]
#[pyo3(signature = (sets, threshold, max_pairs, jobs, progress=None))]
pub fn resemblance_self_join(
    py: Python<'_>,
    sets: SetColumnOrRowChoice,
    threshold: Threshold,
    max_pairs: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowPairsWithShared> {
    run_watched(py, progress.as_ref(), |watch| {
        overlap::resemblance_self_join(sets.sets_to_join(), threshold.0, max_pairs, jobs, watch)
    })
    .map(pair_columns)
}

/// The same between the rows of two columns.
#[pyfunction]
#[pyo3(signature = (left, right, threshold, max_pairs, jobs, progress=None))]
pub fn resemblance_join(
    py: Python<'_>,
    left: SetColumnOrRowChoice,
    right: SetColumnOrRowChoice,
    threshold: Threshold,
    max_pairs: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowPairsWithShared> {
    run_watched(py, progress.as_ref(), |watch| {
        overlap::resemblance_join(
            left.sets_to_join(),
            right.sets_to_join(),
            threshold.0,
            max_pairs,
            jobs,
            watch,
        )
    })
    .map(pair_columns)
}

/// Every pair of rows whose left one is contained in the right one to that degree.
#[pyfunction]
#[pyo3(signature = (sets, threshold, max_pairs, progress=None))]
pub fn containment_self_join(
    py: Python<'_>,
    sets: SetColumnOrRowChoice,
    threshold: Threshold,
    max_pairs: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowPairsWithShared> {
    run_watched(py, progress.as_ref(), |watch| {
        overlap::containment_self_join(sets.sets_to_join(), threshold.0, max_pairs, watch)
    })
    .map(pair_columns)
}

/// Every pair of a left row that is contained in a right one to that degree.
#[pyfunction]
#[pyo3(signature = (left, right, threshold, max_pairs, progress=None))]
pub fn containment_join(
    py: Python<'_>,
    left: SetColumnOrRowChoice,
    right: SetColumnOrRowChoice,
    threshold: Threshold,
    max_pairs: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowPairsWithShared> {
    run_watched(py, progress.as_ref(), |watch| {
        overlap::containment_join(
            left.sets_to_join(),
            right.sets_to_join(),
            threshold.0,
            max_pairs,
            watch,
        )
    })
    .map(pair_columns)
}

/// Per row one larger row that contains it to that degree; null if no row does.
#[pyfunction]
#[pyo3(signature = (sets, threshold, progress=None))]
pub fn find_largest_containers(
    py: Python<'_>,
    sets: SetColumnOrRowChoice,
    threshold: Threshold,
    progress: Option<Py<PyAny>>,
) -> PyResult<Column> {
    let found = run_watched(py, progress.as_ref(), |watch| {
        overlap::find_last_containers_by_size_and_row(sets.sets_to_join(), threshold.0, watch)
    })?;
    let found = found.into_iter().map(|row| row.map(i64::from)).collect();
    Ok(columns::from_numbers_or_nulls::<Int64Type>(found))
}

/// The rule by which sets are clustered around keepers, without a list of their pairs.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct Anchoring {
    families: Vec<u32>,
    ranking: Vec<u32>,
    bridges: [Vec<u32>; 2],
    known_keepers: Vec<Option<u32>>,
}

#[pymethods]
impl Anchoring {
    /// Alike rows are of one of `families`; `ranking` has the best row first. `bridge_left` and
    /// `bridge_right` are pairs that are alike whatever their sets. A row that is not null in
    /// `known_keepers` has its keeper already.
    #[new]
    #[pyo3(signature = (*, families, ranking, bridge_left, bridge_right, known_keepers))]
    fn new(
        families: Column,
        ranking: Column,
        bridge_left: Column,
        bridge_right: Column,
        known_keepers: Column,
    ) -> PyResult<Self> {
        let count = families.0.len();
        if [ranking.0.len(), known_keepers.0.len()] != [count; 2]
            || bridge_left.0.len() != bridge_right.0.len()
        {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self {
            families: row_numbers(families, count)?,
            ranking: row_numbers(ranking, count)?,
            bridges: [row_numbers(bridge_left, count)?, row_numbers(bridge_right, count)?],
            known_keepers: row_numbers_with_nulls(known_keepers, count)?,
        })
    }
}

/// The keeper of every row; and of a keeper the row outside its cluster whose set it resembles
/// most, or null.
type KeepersAndMostAlikeOutside = (Column, Column);

/// Clusters the sets that resemble each other to a degree, at least `threshold`.
#[pyfunction]
#[pyo3(signature = (sets, threshold, anchoring, jobs, progress=None))]
pub fn find_keepers_and_most_alike_outside(
    py: Python<'_>,
    sets: SetColumnOrRowChoice,
    threshold: Threshold,
    anchoring: &Anchoring,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<KeepersAndMostAlikeOutside> {
    if anchoring.families.len() != sets.len() {
        return Err(PyValueError::new_err("there is not a family for each row"));
    }
    let [left, right] = &anchoring.bridges;
    let anchoring = overlap::Anchoring {
        families: &anchoring.families,
        ranking: &anchoring.ranking,
        threshold: threshold.0,
        bridges: Bridges { left, right },
        known_keepers: &anchoring.known_keepers,
    };
    let found = run_watched(py, progress.as_ref(), |watch| {
        overlap::cluster_sets_anchored(sets.sets_to_join(), anchoring, jobs, watch)
    })?;
    let outside = found.most_alike_outside.into_iter().map(|row| row.map(i64::from)).collect();
    Ok((from_row_numbers(found.keeper), columns::from_numbers_or_nulls::<Int64Type>(outside)))
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
    run_infallible(py, || kernel(&ranking, &left, &right)).map(from_row_numbers)
}
