//! The sets of texts in, their families out, found in little memory, and the portions that they
//! make.

use std::path::PathBuf;

use arrow_array::PrimitiveArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use ilk_joins::external::{self, Home};
use ilk_joins::overlap::HashSets;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets, from_row_numbers};
use crate::options::Threshold;
use crate::pairs::row_numbers;
use crate::watch::{run_unwatched, run_watched};

/// A reserve that is not large; bytes of lists that it holds, and the most that any reserve holds.
const SMALL_RESERVE: usize = 2 << 30;
const HELD_IN_SMALL: usize = 32 << 20;
const MOST_HELD: usize = 1 << 30;

/// The sets of texts by which their length classes compare them: of words, of characters, the
/// number of the class of each text, the whole hashes of words, and the threshold that counts.
pub struct SetsOfLengthClasses {
    words: Sets<UInt32Type>,
    characters: Sets<UInt32Type>,
    length_classes: PrimitiveArray<UInt8Type>,
    hashes: Sets<UInt64Type>,
    exact: Threshold,
}

impl SetsOfLengthClasses {
    fn borrow(&self, baseline_size: usize) -> external::Texts<'_> {
        external::Texts {
            words: self.words.id_sets(),
            characters: self.characters.id_sets(),
            length_classes: self.length_classes.values(),
            hashes: HashSets { offsets: self.hashes.offsets(), values: self.hashes.values() },
            exact: self.exact.0,
            baseline: baseline_size,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for SetsOfLengthClasses {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        type Parts = (Column, Column, Column, Column, Threshold);
        let (words, characters, length_classes, hashes, exact) = given.extract::<Parts>()?;
        let texts = Self {
            words: Sets::from_large_list_ignoring_nulls(words)?,
            characters: Sets::from_large_list_ignoring_nulls(characters)?,
            length_classes: columns::number_array(length_classes)?,
            hashes: Sets::from_large_list_ignoring_nulls(hashes)?,
            exact,
        };
        let lengths = [texts.words.len(), texts.characters.len(), texts.hashes.len()];
        if lengths.iter().any(|&length| length != texts.length_classes.len()) {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(texts)
    }
}

/// Memory for lists, and the folder for those that are too long for it.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct SpillRoom {
    reserve: usize,
    folder: PathBuf,
}

#[pymethods]
impl SpillRoom {
    /// `reserve` bytes of memory. At most an eighth of them holds what is listed before it goes to
    /// files in `folder`.
    #[new]
    #[pyo3(signature = (*, reserve, folder))]
    fn new(reserve: usize, folder: PathBuf) -> Self {
        Self { reserve, folder }
    }
}

impl SpillRoom {
    /// Bytes of lists that are held before more go to files: an eighth of what a large reserve has
    /// beyond a small one. At most an eighth of any reserve.
    fn bytes_for_lists(&self) -> usize {
        let beyond = self.reserve.saturating_sub(SMALL_RESERVE);
        (self.reserve / 8).min((beyond / 8).clamp(HELD_IN_SMALL, MOST_HELD))
    }
}

/// The smallest row of everything that texts connect which resemble each other to a degree, at
/// least `threshold`: by characters or by words, as their length classes say. The first
/// `baseline_size` are not compared with one another.
#[pyfunction]
#[pyo3(signature = (texts, threshold, baseline_size, room, jobs, progress=None))]
pub fn find_families(
    py: Python<'_>,
    texts: SetsOfLengthClasses,
    threshold: Threshold,
    baseline_size: usize,
    room: &SpillRoom,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Column> {
    run_watched(py, progress.as_ref(), |watch| {
        let listed = room.bytes_for_lists();
        let home = Home::new(&room.folder, listed);
        external::find_families(
            &texts.borrow(baseline_size),
            threshold.0,
            &home,
            room.reserve - listed,
            jobs,
            watch,
        )
    })
    .map(from_row_numbers)
}

/// The portion of whole families in which each text is joined, in as many bytes; null for a text
/// that is alone in its family.
#[pyfunction]
pub fn assign_portions_or_null_if_alone(
    py: Python<'_>,
    texts: SetsOfLengthClasses,
    families: Column,
    reserve: usize,
) -> PyResult<Column> {
    let families = row_numbers(families, texts.length_classes.len())?;
    if families.len() != texts.length_classes.len() {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let found = run_unwatched(py, || {
        external::assign_portions(&texts.borrow(0), &families, texts.exact.0, reserve)
    })?;
    let found = found.into_iter().map(|portion| portion.map(i64::from)).collect();
    Ok(columns::from_numbers_or_nulls::<Int64Type>(found))
}
