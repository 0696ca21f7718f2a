//! An index of sets that Python holds: many threads may ask it at once, one may change it.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use arrow_array::types::{Int64Type, UInt32Type};
use ilk_kernels::overlap::Ratio;
use ilk_kernels::overlap::index::{Given, Index};
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets, from_rows};
use crate::watch::watched;

/// Sets by id, searched at a resemblance. No lock is waited for with the GIL held.
#[pyclass(frozen)]
pub struct SetIndex(RwLock<Index>);

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
    fn new(py: Python<'_>, sample: Column, numerator: u64, denominator: u64) -> PyResult<Self> {
        let sample = Sets::<UInt32Type>::new(sample)?;
        let ratio = Ratio { numerator, denominator };
        let index = watched(py, None, |watch| Index::new(sample.all(), ratio, watch))?;
        Ok(Self(RwLock::new(index)))
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

    /// Adds sets, each with how many of its values fell together, and its id.
    fn add(&self, py: Python<'_>, sets: Column, merged: Column, ids: Column) -> PyResult<()> {
        let sets = Sets::<UInt32Type>::new(sets)?;
        let merged = columns::numbers::<UInt32Type>(merged)?;
        let ids = columns::numbers::<Int64Type>(ids)?;
        let given = Given { sets: sets.all(), merged: merged.values() };
        watched(py, None, |watch| self.write().add(given, ids.values(), watch))
    }

    /// Removes the sets of these ids.
    fn remove(&self, py: Python<'_>, ids: Column) -> PyResult<()> {
        let ids = columns::numbers::<Int64Type>(ids)?;
        watched(py, None, |_| self.write().remove(ids.values()))
    }

    /// What may share that part of the larger set with each of many: the row of the set, the id.
    fn query(
        &self,
        py: Python<'_>,
        sets: Column,
        merged: Column,
        numerator: u64,
        denominator: u64,
        max_pairs: u64,
    ) -> PyResult<(Column, Column)> {
        let sets = Sets::<UInt32Type>::new(sets)?;
        let merged = columns::numbers::<UInt32Type>(merged)?;
        let given = Given { sets: sets.all(), merged: merged.values() };
        let ratio = Ratio { numerator, denominator };
        let found = watched(py, None, |watch| self.read().query(given, ratio, max_pairs, watch))?;
        Ok((from_rows(found.query), columns::from_numbers::<Int64Type>(found.id)))
    }
}
