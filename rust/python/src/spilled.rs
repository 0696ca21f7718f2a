//! The sets of texts in, their families out, found in little memory, and the portions that they make.

use std::path::Path;

use arrow_array::PrimitiveArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use ilk_joins::overlap::{HashSets, Ratio};
use ilk_joins::spilled::{self, Home};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets, from_rows};
use crate::pairs::row_numbers;
use crate::watch::{run_unwatched, run_watched};

/// The most bytes that are held before they go to files.
const MOST_IN_MEMORY: usize = 32 << 20;

/// The sets of texts: of words, of characters, the kind of each text, the whole hashes of words, and
/// the threshold that counts.
pub struct Texts {
    words: Sets<UInt32Type>,
    characters: Sets<UInt32Type>,
    kinds: PrimitiveArray<UInt8Type>,
    hashes: Sets<UInt64Type>,
    exact: Ratio,
}

impl Texts {
    fn of(&self, held: usize) -> spilled::Texts<'_> {
        spilled::Texts {
            words: self.words.id_sets(),
            characters: self.characters.id_sets(),
            kinds: self.kinds.values(),
            hashes: HashSets { offsets: self.hashes.offsets(), values: self.hashes.values() },
            exact: self.exact,
            baseline: held,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Texts {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        type Parts = (Column, Column, Column, Column, (u64, u64));
        let (words, characters, kinds, hashes, (numerator, denominator)) =
            given.extract::<Parts>()?;
        let texts = Self {
            words: Sets::new(words)?,
            characters: Sets::new(characters)?,
            kinds: columns::number_array(kinds)?,
            hashes: Sets::new(hashes)?,
            exact: Ratio { numerator, denominator },
        };
        let lengths = [texts.words.len(), texts.characters.len(), texts.hashes.len()];
        if lengths.iter().any(|&length| length != texts.kinds.len()) {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(texts)
    }
}

/// The smallest row of everything that texts connect which resemble each other to that degree:
/// short ones by characters, others by words, as their kinds say. The first `held` are not compared
/// with one another. An eighth of `reserve`, or less, holds what is listed before it goes to files
/// in `folder`.
#[pyfunction]
#[pyo3(signature = (texts, held, numerator, denominator, reserve, folder, jobs, progress=None))]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn text_families(
    py: Python<'_>,
    texts: Texts,
    held: usize,
    numerator: u64,
    denominator: u64,
    reserve: usize,
    folder: &str,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Column> {
    let threshold = Ratio { numerator, denominator };
    run_watched(py, progress.as_ref(), |watch| {
        let listed = (reserve / 8).min(MOST_IN_MEMORY);
        let home = Home::new(Path::new(folder), listed);
        spilled::families(&texts.of(held), threshold, &home, reserve - listed, jobs, watch)
    })
    .map(from_rows)
}

/// The portion of whole families in which each text is joined, in as many bytes; null for a text
/// that is alone in its family.
#[pyfunction]
pub fn text_portions(
    py: Python<'_>,
    texts: Texts,
    families: Column,
    reserve: usize,
) -> PyResult<Column> {
    let families = row_numbers(families, texts.kinds.len())?;
    if families.len() != texts.kinds.len() {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let found =
        run_unwatched(py, || spilled::portions(&texts.of(0), &families, texts.exact, reserve))?;
    let found = found.into_iter().map(|portion| portion.map(i64::from)).collect();
    Ok(columns::from_options::<Int64Type>(found))
}
