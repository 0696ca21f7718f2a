//! Sets that nominate noisy copies, and alignments of pairs of texts.

use arrow_array::types::{Int64Type, UInt8Type, UInt32Type};
use ilk_joins::overlap::Ratio;
use ilk_joins::{parallel, stop};
use ilk_kernels::alignment::{self, Aligned, Aligner, Bare, Barer, Conditions};
use ilk_kernels::noise::{self, Rule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::pairs::row_numbers;
use crate::texts::character_offsets;
use crate::watch::{run_heard, run_unwatched, run_watched};

/// Per text how many characters it has when it is bare, the lowest ids of the shingles of its
/// characters, and where it is short all ids of shorter ones.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // One per part of the rule.
pub fn noise_sets(
    py: Python<'_>,
    texts: Column,
    width: usize,
    most: usize,
    least: usize,
    short_width: usize,
    both: usize,
    jobs: usize,
) -> PyResult<(Column, Column, Column)> {
    let texts = Texts::new(texts)?;
    let rule = Rule { width, most, least, short_width, both };
    let found = run_unwatched(py, || {
        noise::make_noise_sets(texts.len(), |row| texts.get(row), rule, jobs)
    })?;
    Ok((
        columns::from_numbers::<UInt32Type>(found.lengths),
        columns::from_sets::<UInt32Type>(found.long),
        columns::from_sets::<UInt32Type>(found.short),
    ))
}

/// Aligns pairs of rows in their order: per pair what it is (0 agree, 1 agree with parts moved, 2
/// differ, 3 passed over) and how many characters are wrong; with the lengths of the bare texts.
#[pyfunction]
#[pyo3(signature = (texts, left, right, may_have_moved, least, scatter, patience, moves, jobs, progress=None))]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn align_pairs(
    py: Python<'_>,
    texts: Column,
    left: Column,
    right: Column,
    may_have_moved: Column,
    least: (u64, u64),
    scatter: f64,
    patience: u32,
    moves: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let texts = Texts::new(texts)?;
    let (left, right) = (row_numbers(left, texts.len())?, row_numbers(right, texts.len())?);
    let may_have_moved = columns::number_array::<UInt8Type>(may_have_moved)?;
    if left.len() != right.len() || may_have_moved.len() != left.len() {
        return Err(PyValueError::new_err("the columns of pairs differ in length"));
    }
    let asked = Conditions {
        least: Ratio { numerator: least.0, denominator: least.1 },
        scatter,
        patience,
        moves,
    };
    let (found, lengths) = run_watched(py, progress.as_ref(), |watch| {
        let bare = parallel::map(texts.len(), jobs, |range| {
            let mut barer = Barer::default();
            range
                .map(|row| texts.get(row).map_or_else(Bare::default, |text| barer.make_bare(&text)))
                .collect::<Vec<_>>()
        })
        .concat();
        let lengths: Vec<i64> = bare.iter().map(|text| text.len() as i64).collect();
        let may_have_moved = |pair: usize| may_have_moved.value(pair) != 0;
        let found = alignment::align_each_pair(&bare, &left, &right, may_have_moved, asked, watch)?;
        Ok((found, lengths))
    })?;
    let (kinds, errors) = found.into_iter().map(kind_and_errors).unzip();
    Ok((
        columns::from_numbers::<UInt8Type>(kinds),
        columns::from_numbers::<UInt32Type>(errors),
        columns::from_numbers::<Int64Type>(lengths),
    ))
}

fn kind_and_errors(aligned: Aligned) -> (u8, u32) {
    match aligned {
        Aligned::Agree(errors) => (0, errors),
        Aligned::Moved(errors) => (1, errors),
        Aligned::Differ => (2, 0),
        Aligned::PassedOver => (3, 0),
    }
}

/// Number of wrong characters of two bare texts: of the best alignment of both, and of the one
/// that has fewer with the stretch of the other where it fits best; with the lengths of both, and
/// the scatter of the wrong characters.
#[pyfunction]
pub fn wrong_characters(
    py: Python<'_>,
    left: &str,
    right: &str,
) -> PyResult<(usize, usize, usize, usize, f64)> {
    run_heard(py, || {
        let (mut barer, mut aligner) = (Barer::default(), Aligner::default());
        let (left, right) = (barer.make_bare(left), barer.make_bare(right));
        let most = left.len().max(right.len());
        let whole = alignment::distance(&mut aligner, &left, &right, most).unwrap_or(most);
        let (inner, outer) =
            if left.len() <= right.len() { (&left, &right) } else { (&right, &left) };
        let within = alignment::distance_within(&mut aligner, inner, outer);
        let scatter = alignment::scatter(&left, &right, whole);
        (whole, within, left.len(), right.len(), scatter)
    })
}

/// Bytes that a character's place counts as for Ctrl-C.
const PLACE: usize = 16;

/// Places of the characters of a bare text in the text as given: the code point of each, and the
/// characters (not bytes) where it begins and ends.
#[pyfunction]
pub fn bare_places(py: Python<'_>, text: &str) -> PyResult<(Column, Column, Column)> {
    let (points, starts, ends) = run_heard(py, || {
        let mut barer = Barer::default();
        let points: Vec<u32> =
            barer.make_bare(text).code_points().inspect(|_| stop::count_bytes(PLACE)).collect();
        let places = barer.places_of_bare(text).into_iter().map(|p| (p.start, p.end));
        let (starts, ends): (Vec<_>, Vec<_>) = places.inspect(|_| stop::count_bytes(PLACE)).unzip();
        (points, character_offsets(text, &starts), character_offsets(text, &ends))
    })?;
    Ok((
        columns::from_numbers::<UInt32Type>(points),
        columns::from_numbers::<Int64Type>(starts),
        columns::from_numbers::<Int64Type>(ends),
    ))
}
