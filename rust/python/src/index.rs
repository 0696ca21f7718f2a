//! An index that Python holds: many threads may ask it at once, one may change it.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use arrow_array::types::{Int64Type, UInt8Type};
use ilk_joins::hamming::{Answers, Index};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

use crate::columns::{self, Column, from_row_numbers};
use crate::hamming::Fingerprints;
use crate::watch::run_watched;

/// An index of either width.
enum EitherIndex {
    Narrow(Index<u64>),
    Wide(Index<u128>),
}

/// Fingerprints by id, searched up to a radius. No lock is waited for with the GIL held.
#[pyclass(frozen)]
pub struct HammingIndex(RwLock<EitherIndex>);

impl HammingIndex {
    fn lock_to_read(&self) -> RwLockReadGuard<'_, EitherIndex> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_to_write(&self) -> RwLockWriteGuard<'_, EitherIndex> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of the index, whatever its width.
    fn ask_index<A: Send>(
        &self,
        py: Python<'_>,
        narrow: impl FnOnce(&Index<u64>) -> A + Send,
        wide: impl FnOnce(&Index<u128>) -> A + Send,
    ) -> A {
        py.detach(|| match &*self.lock_to_read() {
            EitherIndex::Narrow(index) => narrow(index),
            EitherIndex::Wide(index) => wide(index),
        })
    }
}

#[pymethods]
impl HammingIndex {
    #[new]
    fn new(py: Python<'_>, wide: bool, radius: u32) -> PyResult<Self> {
        let index = run_watched(py, None, |watch| {
            Ok(if wide {
                EitherIndex::Wide(Index::new(radius, watch)?)
            } else {
                EitherIndex::Narrow(Index::new(radius, watch)?)
            })
        })?;
        Ok(Self(RwLock::new(index)))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.ask_index(py, Index::len, Index::len)
    }

    fn __contains__(&self, py: Python<'_>, id: i64) -> bool {
        self.ask_index(py, |index| index.contains(id), |index| index.contains(id))
    }

    /// Bytes of memory that it takes.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.ask_index(py, Index::bytes, Index::bytes)
    }

    /// Adds fingerprints of the index's width, each with its id.
    fn add(&self, py: Python<'_>, fingerprints: Column, ids: Column) -> PyResult<()> {
        let fingerprints = Fingerprints::new(fingerprints)?;
        let ids = columns::number_array::<Int64Type>(ids)?;
        run_watched(py, None, |watch| match (&mut *self.lock_to_write(), &fingerprints) {
            (EitherIndex::Narrow(index), Fingerprints::Narrow(all)) => {
                index.add_all_or_none(all.values(), ids.values(), watch).map(Some)
            }
            (EitherIndex::Wide(index), Fingerprints::Wide(all)) => {
                index.add_all_or_none(all, ids.values(), watch).map(Some)
            }
            _ => Ok(None),
        })
        .and_then(check_width)
    }

    /// Removes the fingerprints of these ids.
    fn remove(&self, py: Python<'_>, ids: Column) -> PyResult<()> {
        let ids = columns::number_array::<Int64Type>(ids)?;
        run_watched(py, None, |watch| match &mut *self.lock_to_write() {
            EitherIndex::Narrow(index) => index.remove(ids.values(), watch),
            EitherIndex::Wide(index) => index.remove(ids.values(), watch),
        })
    }

    /// The same as `query` for a number of 64 bits, at the radius of the index; none where that
    /// takes long, or has to wait. Neither the GIL nor a thread changes hands: that would cost as
    /// much.
    fn query_if_u64_and_quick<'py>(
        &self,
        fingerprint: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        // A truth value is no fingerprint, and no exact integer.
        if !fingerprint.is_exact_instance_of::<PyInt>() {
            return Ok(None);
        }
        let Ok(query) = fingerprint.extract::<u64>() else { return Ok(None) };
        let found = match self.0.try_read().as_deref() {
            Ok(EitherIndex::Narrow(index)) => index.query_if_quick(query),
            _ => None,
        };
        let listed = |found: Vec<(u8, i64)>| {
            PyList::new(fingerprint.py(), found.into_iter().map(|(distance, id)| (id, distance)))
        };
        found.map(listed).transpose()
    }

    /// The ids and distances of what lies within a radius of a number, or of 16 bytes.
    fn query(
        &self,
        py: Python<'_>,
        fingerprint: &Bound<'_, PyAny>,
        radius: u32,
    ) -> PyResult<Vec<(i64, u8)>> {
        let found = if let Ok(query) = fingerprint.extract::<u64>() {
            self.ask_index(py, |index| Some(index.query(query, radius)), |_| None)
        } else {
            let query = u128::from_be_bytes(fingerprint.extract::<[u8; 16]>()?);
            self.ask_index(py, |_| None, |index| Some(index.query(query, radius)))
        };
        let found = check_width(found)?;
        Ok(found.into_iter().map(|(distance, id)| (id, distance)).collect())
    }

    /// Members within a radius of each of many: the row of the query, the id, the distance.
    #[pyo3(signature = (fingerprints, radius, max_pairs, progress=None))]
    fn query_many(
        &self,
        py: Python<'_>,
        fingerprints: Column,
        radius: u32,
        max_pairs: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Column, Column, Column)> {
        let fingerprints = Fingerprints::new(fingerprints)?;
        let answers = run_watched(py, progress.as_ref(), |watch| {
            match (&*self.lock_to_read(), &fingerprints) {
                (EitherIndex::Narrow(index), Fingerprints::Narrow(all)) => {
                    index.query_many(all.values(), radius, max_pairs, watch).map(Some)
                }
                (EitherIndex::Wide(index), Fingerprints::Wide(all)) => {
                    index.query_many(all, radius, max_pairs, watch).map(Some)
                }
                _ => Ok(None),
            }
        })?;
        let Answers { query, id, distance } = check_width(answers)?;
        Ok((
            from_row_numbers(query),
            columns::from_numbers::<Int64Type>(id),
            columns::from_numbers::<UInt8Type>(distance),
        ))
    }
}

/// The answer to fingerprints of the index's width; others get an error, and `ilk` refuses them.
fn check_width<A>(answer: Option<A>) -> PyResult<A> {
    answer.ok_or_else(|| PyTypeError::new_err("the fingerprints are not of the index's width"))
}
