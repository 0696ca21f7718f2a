//! The sets of texts in, their families out, found in little memory.

use std::path::Path;

use arrow_array::types::{UInt8Type, UInt32Type};
use ilk_joins::overlap::Ratio;
use ilk_joins::spilled::{self, Home, Texts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets, from_rows};
use crate::watch::watched;

/// The most bytes that are held before they go to files.
const HELD: usize = 32 << 20;

/// The smallest row of everything that texts connect which resemble each other to that degree:
/// short ones by characters, others by words, as `kinds` says. An eighth of `room`, or less, holds
/// what is listed before it goes to files in `folder`.
#[pyfunction]
#[pyo3(signature = (words, characters, kinds, numerator, denominator, room, folder, progress=None))]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn text_families(
    py: Python<'_>,
    words: Column,
    characters: Column,
    kinds: Column,
    numerator: u64,
    denominator: u64,
    room: usize,
    folder: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Column> {
    let words = Sets::<UInt32Type>::new(words)?;
    let characters = Sets::<UInt32Type>::new(characters)?;
    let kinds = columns::numbers::<UInt8Type>(kinds)?;
    if [words.len(), characters.len()] != [kinds.values().len(); 2] {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let texts =
        Texts { words: words.plain(), characters: characters.plain(), kinds: kinds.values() };
    let threshold = Ratio { numerator, denominator };
    watched(py, progress.as_ref(), |watch| {
        let held = (room / 8).min(HELD);
        let home = Home::new(Path::new(folder), held);
        spilled::families(&texts, threshold, &home, room - held, watch)
    })
    .map(from_rows)
}
