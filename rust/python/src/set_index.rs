//! An index of sets that Python holds: many threads may ask it at once, one may change it.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ilk_joins::overlap::index::{Entry, Given, Index};
use ilk_joins::overlap::{Plain, Ratio, Sets};
use ilk_joins::sets::Column;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::packing::{ids, packed};
use crate::watch::watched;

/// Sets by id, searched at a resemblance. No lock is waited for with the GIL held.
#[pyclass(frozen)]
pub struct SetIndex(RwLock<Index>);

/// A set as it is kept: its bytes, and whether these are whole hashes.
type Kept = (PyBackedBytes, bool);

/// Sets, as the index takes them.
#[derive(Default)]
struct Read {
    sets: Column<u32>,
    merged: Vec<u32>,
}

impl Read {
    fn new(sets: &[Kept]) -> Self {
        let mut read = Self::default();
        for (bytes, wide) in sets {
            let (ids, merged) = ids(bytes, *wide);
            read.sets.values.extend(ids);
            read.sets.offsets.push(read.sets.values.len() as i64);
            read.merged.push(merged);
        }
        read
    }

    fn given(&self) -> Given<'_> {
        let Column { offsets, values } = &self.sets;
        Given { sets: Sets::of(Plain { offsets, values }), merged: &self.merged }
    }
}

impl SetIndex {
    fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SetIndex {
    #[new]
    fn new(py: Python<'_>, sample: Vec<Kept>, numerator: u64, denominator: u64) -> PyResult<Self> {
        let ratio = Ratio { numerator, denominator };
        let index =
            watched(py, None, |watch| Index::new(Read::new(&sample).given().sets, ratio, watch))?;
        Ok(Self(RwLock::new(index)))
    }

    /// An empty index in the order of another one, which takes its entries.
    #[staticmethod]
    fn in_order(
        py: Python<'_>,
        order: PyBackedBytes,
        numerator: u64,
        denominator: u64,
    ) -> PyResult<Self> {
        let (counts, left) = order.as_chunks();
        let counts = counts.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
        let ratio = Ratio { numerator, denominator };
        py.detach(|| Index::in_order(counts, ratio).filter(|_| left.is_empty()))
            .map(|index| Self(RwLock::new(index)))
            .ok_or_else(|| PyValueError::new_err("no order of values has these bytes"))
    }

    /// Counts that tell rare values from common ones.
    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let counts = py.detach(|| self.read().order().to_vec());
        packed(py, &counts)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().len())
    }

    fn __contains__(&self, py: Python<'_>, id: i64) -> bool {
        py.detach(|| self.read().contains(id))
    }

    /// Bytes of memory that it takes.
    fn bytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().bytes())
    }

    /// Entries of some sets.
    fn entries<'py>(&self, py: Python<'py>, sets: Vec<Kept>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let entries =
            watched(py, None, |watch| self.read().entries(Read::new(&sets).given(), watch))?;
        Ok(entries.iter().map(|entry| PyBytes::new(py, &entry.to_bytes())).collect())
    }

    /// Adds entries, each with its id.
    fn add(&self, py: Python<'_>, entries: Vec<PyBackedBytes>, ids: Vec<i64>) -> PyResult<()> {
        let read = py.detach(|| entries.iter().map(|bytes| Entry::of_bytes(bytes)).collect());
        let entries: Vec<Entry> = Option::filter(read, |read: &Vec<_>| read.len() == ids.len())
            .ok_or_else(|| PyValueError::new_err("these are not an entry for each id"))?;
        watched(py, None, |watch| self.write().add(&entries, &ids, watch))
    }

    /// Removes the sets of these ids.
    fn remove(&self, py: Python<'_>, ids: Vec<i64>) -> PyResult<()> {
        watched(py, None, |_| self.write().remove(&ids))
    }

    /// The ids of what may share that part of the larger set with one, ascending.
    fn query(
        &self,
        py: Python<'_>,
        one: Kept,
        numerator: u64,
        denominator: u64,
    ) -> PyResult<Vec<i64>> {
        let ratio = Ratio { numerator, denominator };
        let (ids, merged) = ids(&one.0, one.1);
        watched(py, None, |watch| self.read().query(&ids, merged, ratio, watch))
    }
}
