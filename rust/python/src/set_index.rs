//! Keys of sets, and the postings that a store keeps of them, as bytes.

use ilk_joins::overlap::index::{self, GivenSets, KeyQuestion, Keys};
use ilk_joins::overlap::{IdSets, Ratio, Sets};
use ilk_joins::sets::Column;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::options::check_within;
use crate::packing::{pack_numbers, read_ids};
use crate::watch::run_watched;

/// A set as it is kept: its bytes, and whether these are whole hashes.
type Kept = (PyBackedBytes, bool);

/// Sets, as the index takes them.
#[derive(Default)]
struct ReadSets {
    sets: Column<u32>,
    merged: Vec<u32>,
}

impl ReadSets {
    fn new(sets: &[Kept]) -> Self {
        let mut read = Self::default();
        for (bytes, wide) in sets {
            let (ids, merged) = read_ids(bytes, *wide);
            read.sets.values.extend(ids);
            read.sets.offsets.push(read.sets.values.len() as i64);
            read.merged.push(merged);
        }
        read
    }

    fn given(&self) -> GivenSets<'_> {
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
    fn rare(
        py: Python<'_>,
        sample: Vec<Kept>,
        numerator: u64,
        denominator: u64,
        hits: usize,
    ) -> PyResult<Self> {
        let ratio = Ratio { numerator, denominator };
        let sets = ReadSets::new(&sample);
        run_watched(py, None, |watch| Keys::of_rare_values(sets.given().sets, ratio, hits, watch))
            .map(Self)
    }

    /// Keys that are rare values in an order that was made before.
    #[staticmethod]
    fn in_order(
        py: Python<'_>,
        order: PyBackedBytes,
        numerator: u64,
        denominator: u64,
        hits: usize,
    ) -> PyResult<Self> {
        let (counts, left) = order.as_chunks();
        let counts = counts.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
        let ratio = Ratio { numerator, denominator };
        py.detach(|| Keys::with_frequencies(counts, ratio, hits).filter(|_| left.is_empty()))
            .map(Self)
            .ok_or_else(|| PyValueError::new_err("no order of values has these bytes"))
    }

    /// Keys that are parts.
    #[staticmethod]
    fn parts(numerator: u64, denominator: u64) -> PyResult<Self> {
        Keys::of_parts(Ratio { numerator, denominator })
            .map(Self)
            .ok_or_else(|| PyValueError::new_err("parts are for higher thresholds"))
    }

    /// Counts that tell rare values from common ones.
    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        pack_numbers(py, self.0.frequencies())
    }

    /// Postings of sets, each with its id, ascending; `gone` if they take back others.
    fn postings<'py>(
        &self,
        py: Python<'py>,
        sets: Vec<Kept>,
        ids: Vec<i64>,
        gone: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let read = ReadSets::new(&sets);
        let made = run_watched(py, None, |watch| self.0.postings(read.given(), &ids, gone, watch))?;
        Ok(pack_numbers(py, &made))
    }

    /// A query for the neighbours of some sets.
    fn asked(
        &self,
        py: Python<'_>,
        sets: Vec<Kept>,
        numerator: u64,
        denominator: u64,
    ) -> PyResult<SetQuestion> {
        let (read, ratio) = (ReadSets::new(&sets), Ratio { numerator, denominator });
        run_watched(py, None, |watch| self.0.question(read.given(), ratio, watch)).map(SetQuestion)
    }
}

/// Sets that are asked for, with the postings that were met so far.
#[pyclass]
pub struct SetQuestion(KeyQuestion);

#[pymethods]
impl SetQuestion {
    /// The buckets in which the keys are, of two to the power of `bits`.
    fn buckets(&self, bits: u32) -> Vec<usize> {
        self.0.buckets(bits)
    }

    /// Meets the postings of a bucket; returns how many were met in all.
    fn meet(&mut self, py: Python<'_>, postings: PyBackedBytes) -> PyResult<usize> {
        let postings = read_postings(&postings)?;
        run_watched(py, None, |_| self.0.meet_postings(&postings))
    }

    /// The rows, and the ids of the sets that may be like them; nothing is asked after that.
    fn found(&mut self, py: Python<'_>) -> (Vec<i64>, Vec<i64>) {
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
    let runs = runs.iter().map(|run| read_postings(run)).collect::<PyResult<Vec<_>>>()?;
    let all = run_watched(py, None, |watch| index::merge_runs(&runs, watch))?;
    Ok(pack_numbers(py, &all))
}

/// The most bits of a bucket's number.
const BITS: u32 = 24;

/// Postings cut into buckets, `count` of two to the power of `bits`, from `first` on.
#[pyfunction]
pub fn cut_postings<'py>(
    py: Python<'py>,
    postings: PyBackedBytes,
    bits: u32,
    first: usize,
    count: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let postings = read_postings(&postings)?;
    let bits = check_within("bits", bits, 0..=BITS)?;
    let count = check_within("count", count, 0..=1 << bits)?;
    let first = check_within("first", first, 0..=(1 << bits) - count)?;
    let mut start = 0;
    let ends = index::bucket_ends(&postings, bits, first, count);
    Ok(ends
        .into_iter()
        .map(|end| pack_numbers(py, &postings[std::mem::replace(&mut start, end)..end]))
        .collect())
}

/// A sum over postings that is equal for equal contents.
#[pyfunction]
pub fn postings_sum(postings: PyBackedBytes) -> PyResult<u64> {
    Ok(index::checksum(&read_postings(&postings)?))
}

fn read_postings(bytes: &[u8]) -> PyResult<Vec<u64>> {
    let (numbers, left) = bytes.as_chunks();
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    if left.is_empty() && numbers.is_sorted() {
        return Ok(numbers);
    }
    Err(PyValueError::new_err("these bytes are not postings"))
}
