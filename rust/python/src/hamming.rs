//! Columns of fingerprints in, distances and columns of pairs out.

use arrow_array::PrimitiveArray;
use arrow_array::types::{UInt8Type, UInt64Type};
use arrow_schema::DataType;
use ilk_joins::fingerprint::Fingerprint;
use ilk_joins::hamming::{self, Limits, Plan};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::columns::{self, Column, from_row_numbers};
use crate::watch::run_watched;

/// A column of fingerprints without nulls.
pub enum Fingerprints {
    /// Fingerprints of up to 64 bits.
    Narrow(PrimitiveArray<UInt64Type>),
    /// Fingerprints of 128 bits.
    Wide(Vec<u128>),
}

impl Fingerprints {
    /// Takes `uint64`, or 16 bytes a row, big-endian.
    pub fn new(column: Column) -> PyResult<Self> {
        if matches!(column.0.data_type(), DataType::FixedSizeBinary(_)) {
            return columns::to_u128s(column).map(Self::Wide);
        }
        columns::number_array(column).map(Self::Narrow)
    }
}

/// Limits of a join of fingerprints.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct JoinLimits(Limits);

#[pymethods]
impl JoinLimits {
    /// More than `max_pairs` are an error; `memory` is in bytes, for all `threads` together.
    #[new]
    #[pyo3(signature = (*, max_pairs, memory, threads))]
    fn new(max_pairs: u64, memory: u64, threads: usize) -> Self {
        Self(Limits { pairs: max_pairs, memory, threads })
    }
}

/// Two columns of fingerprints of one width.
enum FingerprintSides {
    Narrow(PrimitiveArray<UInt64Type>, PrimitiveArray<UInt64Type>),
    Wide(Vec<u128>, Vec<u128>),
}

impl FingerprintSides {
    fn new(left: Column, right: Column) -> PyResult<Self> {
        match (Fingerprints::new(left)?, Fingerprints::new(right)?) {
            (Fingerprints::Narrow(left), Fingerprints::Narrow(right)) => {
                Ok(Self::Narrow(left, right))
            }
            (Fingerprints::Wide(left), Fingerprints::Wide(right)) => Ok(Self::Wide(left, right)),
            _ => Err(PyTypeError::new_err("the columns hold fingerprints of two widths")),
        }
    }
}

/// The number of bits in which the fingerprints of each row differ.
#[pyfunction]
pub fn measure_distances(left: Column, right: Column) -> PyResult<Column> {
    if left.0.len() != right.0.len() {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let bits = match FingerprintSides::new(left, right)? {
        FingerprintSides::Narrow(left, right) => distances_by_row(left.values(), right.values()),
        FingerprintSides::Wide(left, right) => distances_by_row(&left, &right),
    };
    Ok(columns::from_numbers::<UInt8Type>(bits))
}

fn distances_by_row<T: Fingerprint>(left: &[T], right: &[T]) -> Vec<u8> {
    left.iter().zip(right).map(|(&a, &b)| hamming::distance(a, b)).collect()
}

/// The places of packed fingerprints within the radius of one that is packed likewise, in 8 or in 16
/// bytes, and their distances.
#[pyfunction]
pub fn find_near_fingerprints(
    py: Python<'_>,
    fingerprint: PyBackedBytes,
    packed: PyBackedBytes,
    radius: u32,
) -> PyResult<Vec<(usize, u8)>> {
    fn fixed_words<const N: usize>(packed: &[u8]) -> impl Iterator<Item = [u8; N]> {
        packed.as_chunks().0.iter().copied()
    }
    // The order of bytes does not matter to a distance.
    if let Ok(one) = <[u8; 8]>::try_from(&fingerprint[..]) {
        let all = fixed_words(&packed).map(u64::from_le_bytes);
        return Ok(py.detach(|| hamming::find_within_radius(u64::from_le_bytes(one), all, radius)));
    }
    let one = <[u8; 16]>::try_from(&fingerprint[..])
        .map_err(|_| PyTypeError::new_err("a fingerprint has 8 or 16 bytes"))?;
    let all = fixed_words(&packed).map(u128::from_le_bytes);
    Ok(py.detach(|| hamming::find_within_radius(u128::from_le_bytes(one), all, radius)))
}

/// Pairs of rows as columns: left, right, distance.
type RowPairsWithDistance = (Column, Column, Column);

fn pair_columns(pairs: hamming::Pairs) -> RowPairsWithDistance {
    let distance = columns::from_numbers::<UInt8Type>(pairs.distance);
    (from_row_numbers(pairs.left), from_row_numbers(pairs.right), distance)
}

/// Every pair of rows within the radius.
#[pyfunction]
#[pyo3(signature = (fingerprints, radius, limits, progress=None))]
pub fn hamming_self_join(
    py: Python<'_>,
    fingerprints: Column,
    radius: u32,
    limits: &JoinLimits,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowPairsWithDistance> {
    let fingerprints = Fingerprints::new(fingerprints)?;
    run_watched(py, progress.as_ref(), |watch| match &fingerprints {
        Fingerprints::Narrow(all) => hamming::self_join(all.values(), radius, limits.0, watch),
        Fingerprints::Wide(all) => hamming::self_join(all, radius, limits.0, watch),
    })
    .map(pair_columns)
}

/// Every pair of a left and a right row within the radius.
#[pyfunction]
#[pyo3(signature = (left, right, radius, limits, progress=None))]
pub fn hamming_join(
    py: Python<'_>,
    left: Column,
    right: Column,
    radius: u32,
    limits: &JoinLimits,
    progress: Option<Py<PyAny>>,
) -> PyResult<RowPairsWithDistance> {
    let both = FingerprintSides::new(left, right)?;
    run_watched(py, progress.as_ref(), |watch| match &both {
        FingerprintSides::Narrow(left, right) => {
            hamming::join(left.values(), right.values(), radius, limits.0, watch)
        }
        FingerprintSides::Wide(left, right) => hamming::join(left, right, radius, limits.0, watch),
    })
    .map(pair_columns)
}

/// Per row the first row of an equal fingerprint; and pairs of such rows: left, right, distance.
type FirstRowsAndPairs = (Column, Column, Column, Column);

/// Every pair within the radius, of the first row of each fingerprint alone.
#[pyfunction]
#[pyo3(signature = (fingerprints, radius, limits, progress=None))]
pub fn hamming_self_join_of_first_rows(
    py: Python<'_>,
    fingerprints: Column,
    radius: u32,
    limits: &JoinLimits,
    progress: Option<Py<PyAny>>,
) -> PyResult<FirstRowsAndPairs> {
    let fingerprints = Fingerprints::new(fingerprints)?;
    let groups = run_watched(py, progress.as_ref(), |watch| match &fingerprints {
        Fingerprints::Narrow(all) => {
            hamming::join_equal_groups(all.values(), radius, limits.0, watch)
        }
        Fingerprints::Wide(all) => hamming::join_equal_groups(all, radius, limits.0, watch),
    })?;
    let (left, right, distance) = pair_columns(groups.edges);
    Ok((from_row_numbers(groups.first), left, right, distance))
}

/// Per row the first row that pairs within the radius connect it with.
#[pyfunction]
#[pyo3(signature = (fingerprints, radius, progress=None))]
pub fn connect_fingerprints(
    py: Python<'_>,
    fingerprints: Column,
    radius: u32,
    progress: Option<Py<PyAny>>,
) -> PyResult<Column> {
    let fingerprints = Fingerprints::new(fingerprints)?;
    run_watched(py, progress.as_ref(), |watch| match &fingerprints {
        Fingerprints::Narrow(all) => hamming::connect_fingerprints(all.values(), radius, watch),
        Fingerprints::Wide(all) => hamming::connect_fingerprints(all, radius, watch),
    })
    .map(from_row_numbers)
}

/// The way in which a self-join would find its pairs, and its time and memory.
#[pyclass(frozen, get_all, module = "ilk._kernels")]
pub struct JoinPlan {
    /// Number of tables.
    tables: usize,
    /// Bits that the rows of a table must share, on average.
    matched_bits: f64,
    /// Slices in which a table is made, one after the other.
    slices: usize,
    /// Expected CPU seconds.
    seconds: f64,
    /// Bytes of memory.
    memory: u64,
}

/// The plan of a self-join of `rows` fingerprints of `bits` bits in `memory` bytes; where these are
/// too few, it takes the fewest that the join can work in.
#[pyfunction]
pub fn plan_hamming_join(rows: usize, bits: u32, radius: u32, memory: u64) -> JoinPlan {
    let Plan { tables, matched, slices, cost, memory } = if bits > u64::BITS {
        Plan::new::<u128>(rows, bits, radius, memory)
    } else {
        Plan::new::<u64>(rows, bits, radius, memory)
    };
    JoinPlan { tables, matched_bits: matched, slices, seconds: cost / 1e9, memory }
}
