//! An index that Python holds: many threads may ask it at once, one may change it.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use arrow_array::types::{Int64Type, UInt8Type};
use ilk_joins::hamming::{Answers, Index};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

use crate::columns::{self, Column, from_rows};
use crate::hamming::Fingerprints;
use crate::watch::run_watched;

/// An index of either width.
enum Held {
    Narrow(Index<u64>),
    Wide(Index<u128>),
}

/// Fingerprints by id, searched up to a radius. No lock is waited for with the GIL held.
#[pyclass(frozen)]
pub struct HammingIndex(RwLock<Held>);

impl HammingIndex {
    fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of the index, whatever its width.
    fn ask_index<A: Send>(
        &self,
        py: Python<'_>,
        narrow: impl FnOnce(&Index<u64>) -> A + Send,
        wide: impl FnOnce(&Index<u128>) -> A + Send,
    ) -> A {
        py.detach(|| match &*self.read() {
            Held::Narrow(index) => narrow(index),
            Held::Wide(index) => wide(index),
        })
    }
}

#[pymethods]
impl HammingIndex {
    #[new]
    fn new(py: Python<'_>, wide: bool, radius: u32) -> PyResult<Self> {
        let held = run_watched(py, None, |watch| {
            Ok(if wide {
                Held::Wide(Index::new(radius, watch)?)
            } else {
                Held::Narrow(Index::new(radius, watch)?)
            })
        })?;
        Ok(Self(RwLock::new(held)))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.ask_index(py, Index::len, Index::len)
    }

    fn __contains__(&self, py: Python<'_>, id: i64) -> bool {
        self.ask_index(py, |index| index.contains(id), |index| index.contains(id))
    }

    /// Bytes of memory that it takes.
    fn bytes(&self, py: Python<'_>) -> usize {
        self.ask_index(py, Index::bytes, Index::bytes)
    }

    /// Adds fingerprints of the index's width, each with its id.
    fn add(&self, py: Python<'_>, fingerprints: Column, ids: Column) -> PyResult<()> {
        let fingerprints = Fingerprints::new(fingerprints)?;
        let ids = columns::numbers::<Int64Type>(ids)?;
        run_watched(py, None, |watch| match (&mut *self.write(), &fingerprints) {
            (Held::Narrow(index), Fingerprints::Narrow(all)) => {
                index.add(all.values(), ids.values(), watch).map(Some)
            }
            (Held::Wide(index), Fingerprints::Wide(all)) => {
                index.add(all, ids.values(), watch).map(Some)
            }
            _ => Ok(None),
        })
        .and_then(of_its_width)
    }

    /// Removes the fingerprints of these ids.
    fn remove(&self, py: Python<'_>, ids: Column) -> PyResult<()> {
        let ids = columns::numbers::<Int64Type>(ids)?;
        run_watched(py, None, |watch| match &mut *self.write() {
            Held::Narrow(index) => index.remove(ids.values(), watch),
            Held::Wide(index) => index.remove(ids.values(), watch),
        })
    }

    /// The same as `query` for a number of 64 bits, at the radius of the index; none where that
    /// takes long, or has to wait. Neither the GIL nor a thread changes hands: that would cost as
    /// much.
    fn query_quickly<'py>(
        &self,
        fingerprint: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        // A truth value is no fingerprint, and no exact integer.
        if !fingerprint.is_exact_instance_of::<PyInt>() {
            return Ok(None);
        }
        let Ok(query) = fingerprint.extract::<u64>() else { return Ok(None) };
        let found = match self.0.try_read().as_deref() {
            Ok(Held::Narrow(index)) => index.query_quickly(query),
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
        let found = of_its_width(found)?;
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
        let answers =
            run_watched(py, progress.as_ref(), |watch| match (&*self.read(), &fingerprints) {
                (Held::Narrow(index), Fingerprints::Narrow(all)) => {
                    index.query_many(all.values(), radius, max_pairs, watch).map(Some)
                }
                (Held::Wide(index), Fingerprints::Wide(all)) => {
                    index.query_many(all, radius, max_pairs, watch).map(Some)
                }
                _ => Ok(None),
            })?;
        let Answers { query, id, distance } = of_its_width(answers)?;
        Ok((
            from_rows(query),
            columns::from_numbers::<Int64Type>(id),
            columns::from_numbers::<UInt8Type>(distance),
        ))
    }
}

/// The answer to fingerprints of the index's width; others get an error, and `ilk` refuses them.
fn of_its_width<A>(answer: Option<A>) -> PyResult<A> {
    answer.ok_or_else(|| PyTypeError::new_err("the fingerprints are not of the index's width"))
}
