//! Evidence and pairs in; counts, measures and verdicts out.

use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, PrimitiveArray, StructArray};
use arrow_schema::DataType;
use ilk_joins::judge::{self, Counts, Digests, Fraction, Thresholds};
use ilk_joins::overlap::{HashSets, Ratio};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets};
use crate::pairs::row_numbers;
use crate::watch::run_watched;

/// Evidence of texts, a struct a row.
struct Evidence {
    words: PrimitiveArray<UInt32Type>,
    word_shingles: Sets<UInt32Type>,
    word_hashes: Sets<UInt64Type>,
    character_shingles: Sets<UInt32Type>,
    bytes: FixedSizeBinaryArray,
    text: FixedSizeBinaryArray,
    masked: FixedSizeBinaryArray,
}

impl Evidence {
    fn new(column: Column) -> PyResult<Self> {
        if !matches!(column.0.data_type(), DataType::Struct(_)) {
            return Err(PyTypeError::new_err("expected a column of evidence"));
        }
        let of = StructArray::from(column.0);
        let field = |name: &str| {
            let missing = || PyValueError::new_err(format!("the evidence has no {name}"));
            of.column_by_name(name).cloned().ok_or_else(missing)
        };
        Ok(Self {
            words: columns::number_array::<UInt32Type>(column_of(&field("words")?))?,
            word_shingles: Sets::new(column_of(&field("word_shingles")?))?,
            word_hashes: Sets::new(column_of(&field("word_hashes")?))?,
            character_shingles: Sets::new(column_of(&field("character_shingles")?))?,
            bytes: columns::digest_array(column_of(&field("bytes_digest")?))?,
            text: columns::digest_array(column_of(&field("digest")?))?,
            masked: columns::digest_array(column_of(&field("masked_digest")?))?,
        })
    }

    fn kernel(&self) -> judge::Evidence<'_> {
        judge::Evidence {
            words: self.words.values(),
            word_shingles: self.word_shingles.id_sets(),
            word_hashes: HashSets {
                offsets: self.word_hashes.offsets(),
                values: self.word_hashes.values(),
            },
            character_shingles: self.character_shingles.id_sets(),
        }
    }
}

fn column_of(array: &ArrayRef) -> Column {
    Column::from(array.to_data())
}

/// Equality of the digests of two rows; a row without a digest equals no other.
fn equality_of(digests: &FixedSizeBinaryArray) -> impl Fn(usize, usize) -> bool + Sync {
    |a, b| digests.is_valid(a) && digests.is_valid(b) && digests.value(a) == digests.value(b)
}

fn ratio_or_none(of: Option<(u64, u64)>) -> Option<Ratio> {
    of.map(|(numerator, denominator)| Ratio { numerator, denominator })
}

/// Judges pairs of rows: per pair the shingles shared and of each side, the resemblance, both
/// containments, and the number of the verdict. A join knows the ids that each pair shares.
#[pyfunction]
#[pyo3(signature = (evidence, left, right, shared, resemblance, containment, any_numbers, sites, site_least, jobs, progress=None))]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn judge_pairs(
    py: Python<'_>,
    evidence: Column,
    left: Column,
    right: Column,
    shared: Option<Column>,
    resemblance: Option<(u64, u64)>,
    containment: Option<(u64, u64)>,
    any_numbers: bool,
    sites: Option<Column>,
    site_least: Option<(u64, u64)>,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Column>> {
    let evidence = Evidence::new(evidence)?;
    let count = evidence.words.len();
    let (left, right) = (row_numbers(left, count)?, row_numbers(right, count)?);
    let shared = shared.map(columns::number_array::<Int64Type>).transpose()?;
    if shared.as_ref().is_some_and(|shared| shared.len() != left.len()) {
        return Err(PyValueError::new_err("there must be a count for each pair"));
    }
    let shared = shared.as_ref().map_or(&[][..], |shared| &shared.values()[..]);
    let sites = sites.map(columns::number_array::<Int64Type>).transpose()?;
    if sites.as_ref().is_some_and(|sites| sites.len() != count) {
        return Err(PyValueError::new_err("there must be a site for each row"));
    }
    let one_site = sites.as_ref().map(|sites| &sites.values()[..]).zip(ratio_or_none(site_least));
    let thresholds = Thresholds {
        resemblance: ratio_or_none(resemblance),
        containment: ratio_or_none(containment),
        any_numbers,
        one_site,
    };
    let (bytes, text, masked) =
        (equality_of(&evidence.bytes), equality_of(&evidence.text), equality_of(&evidence.masked));
    let words = |a, b| masked(a, b) && judge::has_words(evidence.masked.value(a));
    let digests = Digests { bytes: &bytes, text: &text, masked: &masked, words: &words };
    let (measured, verdicts) = run_watched(py, progress.as_ref(), |watch| {
        judge::judge_pairs(
            &evidence.kernel(),
            digests,
            thresholds,
            [&left, &right],
            shared,
            jobs,
            watch,
        )
    })?;
    let whole = |number: fn(&Counts) -> u64| {
        let counts = measured.iter().map(|of| number(of) as i64);
        columns::from_numbers::<Int64Type>(counts.collect())
    };
    let share = |part: fn(&Counts) -> Fraction| {
        columns::from_numbers::<Float64Type>(measured.iter().map(|of| part(of).value()).collect())
    };
    Ok(vec![
        whole(|of| of.shared),
        whole(|of| of.left),
        whole(|of| of.right),
        share(|of| of.resemblance()),
        share(|of| of.containments()[0]),
        share(|of| of.containments()[1]),
        columns::from_numbers::<UInt8Type>(verdicts.iter().map(|&of| of as u8).collect()),
    ])
}
