//! Sets that nominate noisy copies, and alignments of pairs of texts.

use arrow_array::types::{Int64Type, UInt8Type, UInt32Type};
use ilk_joins::parallel;
use ilk_kernels::alignment::{self, Aligned, Aligner, Bare, Barer, Conditions};
use ilk_kernels::noise::{self, NoiseRule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, SetColumn, Texts};
use crate::options::Threshold;
use crate::pairs::row_numbers;
use crate::watch::{run_infallible, run_unwatched, run_watched};

/// The rule by which a text gets the sets that nominate noisy copies.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct NoiseSetRule(NoiseRule);

#[pymethods]
impl NoiseSetRule {
    /// A text of `least_length` characters or more has the `most_ids` lowest ids of its shingles of
    /// `width` characters; one of fewer than `short_below`, all ids of those of `short_width`.
    #[new]
    #[pyo3(signature = (*, width, most_ids, least_length, short_width, short_below))]
    fn new(
        width: usize,
        most_ids: usize,
        least_length: usize,
        short_width: usize,
        short_below: usize,
    ) -> Self {
        let (most, least) = (most_ids, least_length);
        Self(NoiseRule { width, most, least, short_width, short_below })
    }
}

/// The number of characters of each bare text, and its two sets: the lowest ids of longer
/// shingles, and all ids of shorter ones.
type BareLengthsAndNoiseSets = (Column, SetColumn, SetColumn);

/// The lengths and the sets by which noisy copies are nominated.
#[pyfunction]
pub fn make_bare_lengths_and_noise_sets(
    py: Python<'_>,
    texts: Column,
    rule: &NoiseSetRule,
    jobs: usize,
) -> PyResult<BareLengthsAndNoiseSets> {
    let texts = Texts::from_large_binary(texts)?;
    let found = run_unwatched(py, || {
        noise::make_noise_sets(texts.len(), |row| texts.get(row), rule.0, jobs)
    })?;
    Ok((
        columns::from_numbers::<UInt32Type>(found.lengths),
        columns::from_sets::<UInt32Type>(found.long),
        columns::from_sets::<UInt32Type>(found.short),
    ))
}

/// Conditions on which two bare texts agree, and limits of the search for it.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct AgreementConditions(Conditions);

#[pymethods]
impl AgreementConditions {
    /// `least_scatter` is that of the wrong characters. Pairs of two texts that have failed as many
    /// times in a row are passed over. Parts may have moved where the product of the lengths is at
    /// most `most_cells_for_moves`.
    #[new]
    #[pyo3(signature = (
        *, least_agreement, least_scatter, failures_in_a_row, most_cells_for_moves
    ))]
    fn new(
        least_agreement: Threshold,
        least_scatter: f64,
        failures_in_a_row: u32,
        most_cells_for_moves: u64,
    ) -> Self {
        Self(Conditions {
            least: least_agreement.0,
            scatter: least_scatter,
            patience: failures_in_a_row,
            moves: most_cells_for_moves,
        })
    }
}

/// The left and the right row of each pair, and whether parts of one may have moved in the other.
#[derive(FromPyObject)]
pub struct PairsToAlign(Column, Column, Column);

/// Per pair what it is (0 agree, 1 agree with parts moved, 2 differ, 3 passed over) and how many
/// characters are wrong; and per text its length when it is bare.
type KindsErrorsAndTextLengths = (Column, Column, Column);

/// Aligns pairs of rows in their order.
#[pyfunction]
#[pyo3(signature = (texts, pairs, conditions, jobs, progress=None))]
pub fn align_pairs_with_text_lengths(
    py: Python<'_>,
    texts: Column,
    pairs: PairsToAlign,
    conditions: &AgreementConditions,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<KindsErrorsAndTextLengths> {
    let PairsToAlign(left, right, may_have_moved) = pairs;
    let texts = Texts::from_large_binary(texts)?;
    let (left, right) = (row_numbers(left, texts.len())?, row_numbers(right, texts.len())?);
    let may_have_moved = columns::number_array::<UInt8Type>(may_have_moved)?;
    if left.len() != right.len() || may_have_moved.len() != left.len() {
        return Err(PyValueError::new_err("the columns of pairs differ in length"));
    }
    let (found, lengths) = run_watched(py, progress.as_ref(), |watch| {
        let bare = parallel::map_ranges(texts.len(), jobs, |range| {
            let mut barer = Barer::default();
            range
                .map(|row| texts.get(row).map_or_else(Bare::default, |text| barer.make_bare(&text)))
                .collect::<Vec<_>>()
        })
        .concat();
        let lengths: Vec<i64> = bare.iter().map(|text| text.len() as i64).collect();
        let may_have_moved = |pair: usize| may_have_moved.value(pair) != 0;
        let found = alignment::align_pairs_in_order_with_patience(
            &bare,
            &left,
            &right,
            may_have_moved,
            conditions.0,
            watch,
        )?;
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

/// The differences of two bare texts.
#[pyclass(frozen, get_all, module = "ilk._kernels")]
pub struct WrongCharacters {
    /// Wrong characters of the best alignment of both.
    whole: usize,
    /// Those of the text that has fewer characters, and the stretch of the other where it fits best.
    within: usize,
    /// Characters of the left one.
    left_length: usize,
    /// Characters of the right one.
    right_length: usize,
    /// The scatter of the wrong characters of both.
    scatter: f64,
}

/// Counts the wrong characters of two texts, which are made bare.
#[pyfunction]
pub fn count_wrong_characters(
    py: Python<'_>,
    left: &str,
    right: &str,
) -> PyResult<WrongCharacters> {
    run_infallible(py, || {
        let (mut barer, mut aligner) = (Barer::default(), Aligner::default());
        let (left, right) = (barer.make_bare(left), barer.make_bare(right));
        let most = left.len().max(right.len());
        let whole = alignment::measure_distance(&mut aligner, &left, &right, most).unwrap_or(most);
        let (inner, outer) =
            if left.len() <= right.len() { (&left, &right) } else { (&right, &left) };
        let within = alignment::measure_distance_within(&mut aligner, inner, outer);
        let scatter = alignment::measure_scatter_or_infinity(&left, &right, whole);
        let (left_length, right_length) = (left.len(), right.len());
        WrongCharacters { whole, within, left_length, right_length, scatter }
    })
}
