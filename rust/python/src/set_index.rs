//! Keys of sets, and the postings that a store keeps of them, as bytes.

use ilk_joins::overlap::index::{self, GivenSets, KeyQuestion, Keys};
use ilk_joins::overlap::{IdSets, Sets};
use ilk_joins::sets::Column;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::options::{Threshold, check_bounds};
use crate::packing::{pack_numbers, unpack_ids_and_count_merged};
use crate::watch::run_watched;

/// A set as it is kept: its bytes, and whether these are whole hashes.
type PackedSet = (PyBackedBytes, bool);

/// Sets, as the index takes them.
#[derive(Default)]
struct IdSetsWithMergedCounts {
    sets: Column<u32>,
    merged: Vec<u32>,
}

impl IdSetsWithMergedCounts {
    fn from_packed(sets: &[PackedSet]) -> Self {
        let mut read = Self::default();
        for (bytes, wide) in sets {
            let (ids, merged) = unpack_ids_and_count_merged(bytes, *wide);
            read.sets.values.extend(ids);
            read.sets.offsets.push(read.sets.values.len() as i64);
            read.merged.push(merged);
        }
        read
    }

    fn borrow(&self) -> GivenSets<'_> {
        let Column { offsets, values } = &self.sets;
        GivenSets { sets: Sets::of(IdSets { offsets, values }), merged: &self.merged }
    }
}

/// Way from sets to their keys.
#[pyclass(frozen)]
pub struct SetKeys(Keys);

#[pymethods]
impl SetKeys {
    /// Keys that are rare values, as a sample shows; `hits` of them are asked for.
    #[staticmethod]
    fn of_rare_values(
        py: Python<'_>,
        sample: Vec<PackedSet>,
        threshold: Threshold,
        hits: usize,
    ) -> PyResult<Self> {
        let sets = IdSetsWithMergedCounts::from_packed(&sample);
        run_watched(py, None, |watch| {
            Keys::of_rare_values(sets.borrow().sets, threshold.0, hits, watch)
        })
        .map(Self)
    }

    /// Keys that are rare values by frequencies that were counted before.
    #[staticmethod]
    fn with_frequencies(
        py: Python<'_>,
        frequencies: PyBackedBytes,
        threshold: Threshold,
        hits: usize,
    ) -> PyResult<Self> {
        let (counts, left) = frequencies.as_chunks();
        let counts = counts.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
        py.detach(|| {
            Keys::with_frequencies_if_size_fits(counts, threshold.0, hits)
                .filter(|_| left.is_empty())
        })
        .map(Self)
        .ok_or_else(|| PyValueError::new_err("no frequencies of values have these bytes"))
    }

    /// Keys that are parts.
    #[staticmethod]
    fn of_parts(threshold: Threshold) -> PyResult<Self> {
        Keys::of_parts(threshold.0)
            .map(Self)
            .ok_or_else(|| PyValueError::new_err("parts are for higher thresholds"))
    }

    /// Counts that tell rare values from common ones.
    fn frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        pack_numbers(py, self.0.frequencies())
    }

    /// Postings of sets, each with its id, ascending; with `take_back`, those that take back others
    /// of the same sets.
    fn make_postings<'py>(
        &self,
        py: Python<'py>,
        sets: Vec<PackedSet>,
        ids: Vec<i64>,
        take_back: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if sets.len() != ids.len() {
            return Err(PyValueError::new_err("there is not one id for each set"));
        }
        let read = IdSetsWithMergedCounts::from_packed(&sets);
        let made = run_watched(py, None, |watch| {
            self.0.make_postings(read.borrow(), &ids, take_back, watch)
        })?;
        Ok(pack_numbers(py, &made))
    }

    /// A query for the neighbours of some sets. Below the threshold of the keys it asks for
    /// nothing.
    fn make_question_empty_if_below_threshold(
        &self,
        py: Python<'_>,
        sets: Vec<PackedSet>,
        threshold: Threshold,
    ) -> PyResult<SetQuestion> {
        let read = IdSetsWithMergedCounts::from_packed(&sets);
        run_watched(py, None, |watch| self.0.make_question(read.borrow(), threshold.0, watch))
            .map(|asked| SetQuestion(asked.unwrap_or_default()))
    }
}

/// Sets that are asked for, with the postings that were met so far.
#[pyclass]
pub struct SetQuestion(KeyQuestion);

#[pymethods]
impl SetQuestion {
    /// The buckets in which the keys are, of two to the power of `bits`.
    fn find_buckets(&self, bits: u32) -> Vec<usize> {
        self.0.find_buckets(bits)
    }

    /// Meets the postings of a bucket; returns how many were met since the question was made.
    fn meet_postings_and_count_all_hits(
        &mut self,
        py: Python<'_>,
        postings: PyBackedBytes,
    ) -> PyResult<usize> {
        let postings = read_ascending_postings(&postings)?;
        run_watched(py, None, |_| self.0.meet_postings(&postings))?;
        Ok(self.0.count_met())
    }

    /// The rows, and the ids of the sets that may be like them; nothing is asked after that.
    fn take_answers(&mut self, py: Python<'_>) -> (Vec<i64>, Vec<i64>) {
        let asked = std::mem::take(&mut self.0);
        py.detach(|| asked.into_answers())
    }
}

/// All of some postings, without those that were taken back.
#[pyfunction]
pub fn merge_postings<'py>(
    py: Python<'py>,
    runs: Vec<PyBackedBytes>,
) -> PyResult<Bound<'py, PyBytes>> {
    let runs = runs.iter().map(|run| read_ascending_postings(run)).collect::<PyResult<Vec<_>>>()?;
    let all = run_watched(py, None, |watch| index::merge_runs(&runs, watch))?;
    Ok(pack_numbers(py, &all))
}

/// The most bits of a bucket's number.
const MOST_BITS: u32 = 24;

/// Postings cut into `bucket_count` of the buckets, from `first_bucket` on; two to the power of
/// `bits` are all.
#[pyfunction]
pub fn cut_postings_into_buckets<'py>(
    py: Python<'py>,
    postings: PyBackedBytes,
    bits: u32,
    first_bucket: usize,
    bucket_count: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let postings = read_ascending_postings(&postings)?;
    let bits = check_bounds("bits", bits, 0..=MOST_BITS)?;
    let count = check_bounds("bucket_count", bucket_count, 0..=1 << bits)?;
    let first = check_bounds("first_bucket", first_bucket, 0..=(1 << bits) - count)?;
    let mut start = 0;
    let ends = index::find_bucket_ends(&postings, bits, first, count);
    Ok(ends
        .into_iter()
        .map(|end| pack_numbers(py, &postings[std::mem::replace(&mut start, end)..end]))
        .collect())
}

/// A sum over postings that is equal for equal contents.
#[pyfunction]
pub fn checksum_remaining_postings(postings: PyBackedBytes) -> PyResult<u64> {
    Ok(index::checksum_in_any_order(&read_ascending_postings(&postings)?))
}

fn read_ascending_postings(bytes: &[u8]) -> PyResult<Vec<u64>> {
    let (numbers, left) = bytes.as_chunks();
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    if left.is_empty() && numbers.is_sorted() {
        return Ok(numbers);
    }
    Err(PyValueError::new_err("these bytes are not postings"))
}
