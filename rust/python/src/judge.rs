//! Evidence and pairs in; counts, measures and verdicts out.

use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, PrimitiveArray, StructArray};
use arrow_schema::DataType;
use ilk_joins::judge::{self, Counts, Digests, Fraction, LengthClass, Thresholds};
use ilk_joins::overlap::HashSets;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets};
use crate::options::Threshold;
use crate::pairs::row_numbers;
use crate::watch::run_watched;

/// The number of the length class of a text of as many words.
#[pyfunction]
pub fn length_class(words: u32) -> u8 {
    LengthClass::of(words) as u8
}

/// The number of the length class of each text, by the numbers of their words.
#[pyfunction]
pub fn length_classes(words: Column) -> PyResult<Column> {
    let words = columns::number_array::<UInt32Type>(words)?;
    let classes = words.values().iter().map(|&words| length_class(words)).collect();
    Ok(columns::from_numbers::<UInt8Type>(classes))
}

/// Return whether a text of `words` words and one of `other_words` are measured by their characters
/// and not by their words.
#[pyfunction]
pub fn is_measured_by_characters(words: u32, other_words: u32) -> bool {
    LengthClass::of(words).is_measured_by_characters_with(LengthClass::of(other_words))
}

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
            words: columns::number_array::<UInt32Type>(to_column(&field("words")?))?,
            word_shingles: Sets::from_large_list_ignoring_nulls(to_column(&field(
                "word_shingles",
            )?))?,
            word_hashes: Sets::from_large_list_ignoring_nulls(to_column(&field("word_hashes")?))?,
            character_shingles: Sets::from_large_list_ignoring_nulls(to_column(&field(
                "character_shingles",
            )?))?,
            bytes: columns::digest_array(to_column(&field("bytes_digest")?))?,
            text: columns::digest_array(to_column(&field("digest")?))?,
            masked: columns::digest_array(to_column(&field("masked_digest")?))?,
        })
    }

    fn borrow(&self) -> judge::Evidence<'_> {
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

fn to_column(array: &ArrayRef) -> Column {
    Column::from(array.to_data())
}

/// Equality of the digests of two rows; a row without a digest equals no other.
fn compare_rows(digests: &FixedSizeBinaryArray) -> impl Fn(usize, usize) -> bool + Sync {
    |a, b| digests.is_valid(a) && digests.is_valid(b) && digests.value(a) == digests.value(b)
}

/// Thresholds at which pairs of texts count as alike.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct PairThresholds {
    pub resemblance: Option<Threshold>,
    pub containment: Option<Threshold>,
    pub any_numbers: bool,
    site_resemblance: Option<Threshold>,
}

#[pymethods]
impl PairThresholds {
    /// The least `resemblance` of near texts (any, if it is `None`), the least `containment` of a
    /// text in another (none is contained, if it is `None`), and whether texts are `numbers_only`
    /// below the resemblance too. Pairs of one site must resemble each other by `site_resemblance`.
    #[new]
    #[pyo3(signature = (*, resemblance, containment, any_numbers, site_resemblance=None))]
    fn new(
        resemblance: Option<Threshold>,
        containment: Option<Threshold>,
        any_numbers: bool,
        site_resemblance: Option<Threshold>,
    ) -> Self {
        Self { resemblance, containment, any_numbers, site_resemblance }
    }
}

impl PairThresholds {
    /// The thresholds as the judge takes them, with the site of each row if one counts.
    pub fn with_sites<'a>(&self, sites: Option<&'a [i64]>) -> Thresholds<'a> {
        Thresholds {
            resemblance: self.resemblance.map(|least| least.0),
            containment: self.containment.map(|least| least.0),
            any_numbers: self.any_numbers,
            one_site: sites.zip(self.site_resemblance.map(|least| least.0)),
        }
    }
}

/// The left and the right row of each pair, and how many ids the two share, if a join has counted
/// them.
#[derive(FromPyObject)]
pub struct PairsToJudge(Column, Column, Option<Column>);

/// Judges pairs of rows. Per pair the shingles shared and of each side, the resemblance, both
/// containments, and the number of the verdict.
#[pyfunction]
#[pyo3(signature = (evidence, pairs, thresholds, sites, jobs, progress=None))]
pub fn measure_and_judge_each_pair(
    py: Python<'_>,
    evidence: Column,
    pairs: PairsToJudge,
    thresholds: &PairThresholds,
    sites: Option<Column>,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Column>> {
    let evidence = Evidence::new(evidence)?;
    let count = evidence.words.len();
    let PairsToJudge(left, right, shared) = pairs;
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
    let thresholds = thresholds.with_sites(sites.as_ref().map(|sites| &sites.values()[..]));
    let (bytes, text, masked) = (
        compare_rows(&evidence.bytes),
        compare_rows(&evidence.text),
        compare_rows(&evidence.masked),
    );
    let words = |a, b| masked(a, b) && judge::has_words(evidence.masked.value(a));
    let digests = Digests { bytes: &bytes, text: &text, masked: &masked, words: &words };
    let (measured, verdicts) = run_watched(py, progress.as_ref(), |watch| {
        judge::judge_pairs(
            &evidence.borrow(),
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
