//! Columns of texts and a recipe in, columns of fingerprints and features out.

use std::sync::{Arc, Mutex};

use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use ilk_joins::{minhash, parallel, sets, weights};
use ilk_kernels::recipe::{self, Fingerprinter, Lack};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, SetColumn, Texts};
use crate::options;
use crate::watch::run_infallible;

/// A table of weights.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct Weights(Arc<weights::Table>);

#[pymethods]
impl Weights {
    /// The table of ascending, distinct ids (`uint32`) and their weights (`uint16`).
    #[new]
    fn new(ids: Column, weights: Column, default: u16) -> PyResult<Self> {
        let ids = columns::number_array::<UInt32Type>(ids)?;
        let weights = columns::number_array::<UInt16Type>(weights)?;
        weights::Table::from_ascending_ids(ids.values(), weights.values(), default)
            .map(|table| Self(Arc::new(table)))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// The complete way from a text to its fingerprint.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct Recipe(recipe::Recipe);

#[pymethods]
impl Recipe {
    /// The way that these options mean.
    #[new]
    #[pyo3(signature = (*, kind, bits, unit, width, weight, ties, normalisation, masks, stop_words, minimum, hash_name, key, table))]
    #[allow(clippy::too_many_arguments)] // One per option of the recipe.
    fn new(
        kind: &str,
        bits: u32,
        unit: &str,
        width: usize,
        weight: &str,
        ties: &str,
        normalisation: &str,
        masks: Vec<String>,
        stop_words: Vec<String>,
        minimum: usize,
        hash_name: &str,
        key: Option<[u8; 16]>,
        table: Option<&Weights>,
    ) -> PyResult<Self> {
        let mut shingling = options::parse_shingling(unit, width, normalisation)?;
        shingling.masks = options::parse_masks(&masks)?;
        let features;
        (shingling.hash, features) = options::parse_feature_hash(hash_name, key)?;
        Ok(Self(recipe::Recipe {
            shingling,
            stops: recipe::make_stops_of_single_words(
                stop_words.iter().map(String::as_str),
                shingling,
            ),
            kind: options::parse_fingerprint_kind(kind, weight, ties)?,
            features,
            table: table.map(|table| Arc::clone(&table.0)),
            bits: options::check_bits(bits)?,
            minimum,
        }))
    }
}

/// The fingerprint of every text (numbers, or 16 bytes each where the recipe has more than 64
/// bits), and why it has none: 0 it has, 1 null, 2 blank, 3 too few.
#[pyfunction]
pub fn make_fingerprints(
    py: Python<'_>,
    texts: Column,
    recipe: &Recipe,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let (texts, recipe) = (Texts::from_large_binary(texts)?, &recipe.0);
    let results = run_infallible(py, || {
        map_texts(&texts, jobs, |fingerprinter, text| fingerprinter.make_fingerprint(text, recipe))
    })?;
    let values = results.iter().map(|result| result.ok()).collect();
    Ok((to_fingerprint_column(values, recipe.bits)?, to_lack_codes_or_zero(&results)))
}

/// Calls `make` on every text; returns the results in order.
fn map_texts<T: Send>(
    texts: &Texts,
    jobs: usize,
    make: impl Fn(&mut Fingerprinter, Option<&str>) -> T + Sync,
) -> Vec<T> {
    // What is not in use: whoever takes rows goes on with the buffers of other rows.
    let spare = Mutex::new(Vec::<Fingerprinter>::new());
    let parts = parallel::map_ranges(texts.len(), jobs, |rows| {
        let mut fingerprinter = parallel::lock(&spare).pop().unwrap_or_default();
        let found = rows.map(|row| make(&mut fingerprinter, texts.get(row).as_deref())).collect();
        parallel::lock(&spare).push(fingerprinter);
        found
    });
    parts.into_iter().flat_map(|part: Vec<T>| part).collect()
}

/// Fingerprints as a column.
fn to_fingerprint_column(values: Vec<Option<u128>>, bits: u32) -> PyResult<Column> {
    if bits > 64 {
        return columns::from_digests(&values);
    }
    let narrow = values.into_iter().map(|value| value.map(|value| value as u64));
    Ok(columns::from_numbers_or_nulls::<UInt64Type>(narrow.collect()))
}

/// Why there is no result, as numbers; 0 where there is one.
fn to_lack_codes_or_zero<T>(results: &[Result<T, Lack>]) -> Column {
    let reasons = results.iter().map(|result| match result {
        Ok(_) => 0,
        Err(Lack::Null) => 1,
        Err(Lack::Blank) => 2,
        Err(Lack::TooFew) => 3,
    });
    columns::from_numbers::<UInt8Type>(reasons.collect())
}

/// The sorted, distinct ids of every text's features.
#[pyfunction]
pub fn make_feature_id_sets(
    py: Python<'_>,
    texts: Column,
    recipe: &Recipe,
    jobs: usize,
) -> PyResult<SetColumn> {
    let (texts, recipe) = (Texts::from_large_binary(texts)?, &recipe.0);
    let sets = run_infallible(py, || {
        map_texts(&texts, jobs, |fingerprinter, text| {
            fingerprinter.make_feature_set(text, recipe).to_vec()
        })
    })?;
    let offsets = columns::offsets_of_lengths(sets.iter().map(Vec::len));
    Ok(columns::from_sets::<UInt32Type>(sets::Column { offsets, values: sets.concat() }))
}

/// The most minima of a signature.
const MOST_MINIMA: usize = 1 << 16;

/// The MinHash signature of every text, `minima_per_text` numbers each, one text after the other
/// (zeros for a text without a signature), and why it has none.
#[pyfunction]
pub fn make_flat_signatures_or_zeros(
    py: Python<'_>,
    texts: Column,
    recipe: &Recipe,
    minima_per_text: usize,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let (texts, recipe) = (Texts::from_large_binary(texts)?, &recipe.0);
    let size = options::check_bounds("minima", minima_per_text, 1..=MOST_MINIMA)?;
    let results = run_infallible(py, || {
        let family = minhash::make_permutations(size);
        map_texts(&texts, jobs, |fingerprinter, text| {
            fingerprinter.make_signature(text, recipe, &family, size)
        })
    })?;
    let minima = results.iter().flat_map(|result| result.clone().unwrap_or_else(|_| vec![0; size]));
    Ok((columns::from_numbers::<UInt32Type>(minima.collect()), to_lack_codes_or_zero(&results)))
}

/// Number of equal ones among every `minima_per_text` adjacent numbers of two columns.
#[pyfunction]
pub fn count_equal_flat_minima(
    left: Column,
    right: Column,
    minima_per_text: usize,
) -> PyResult<Column> {
    let (left, right) =
        (columns::number_array::<UInt32Type>(left)?, columns::number_array::<UInt32Type>(right)?);
    let (left, right) = (&left.values()[..], &right.values()[..]);
    if minima_per_text == 0 || left.len() != right.len() || left.len() % minima_per_text != 0 {
        return Err(PyValueError::new_err("the columns must have as many numbers, of whole rows"));
    }
    let rows = left.chunks(minima_per_text).zip(right.chunks(minima_per_text));
    let equal = rows.map(|(left, right)| left.iter().zip(right).filter(|(a, b)| a == b).count());
    Ok(columns::from_numbers::<UInt32Type>(equal.map(|count| count as u32).collect()))
}

/// The sketch of every text: ids, and where the first of each is among the text's shingles.
#[pyfunction]
pub fn make_sketch_ids_and_places(
    py: Python<'_>,
    texts: Column,
    recipe: &Recipe,
    method: &str,
    number: u32,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let (texts, recipe) = (Texts::from_large_binary(texts)?, &recipe.0);
    let choice = options::parse_sketch_choice(method, number)?;
    let found = run_infallible(py, || {
        map_texts(&texts, jobs, |fingerprinter, text| {
            fingerprinter.make_sketch(text, recipe, choice)
        })
    })?;
    let offsets = columns::offsets_of_lengths(found.iter().map(|sketch| sketch.ids.len()));
    let (ids, places): (Vec<_>, Vec<_>) =
        found.into_iter().map(|sketch| (sketch.ids, sketch.first_places)).unzip();
    let lists = |values: Vec<Vec<u32>>, offsets| {
        columns::from_sets::<UInt32Type>(sets::Column { offsets, values: values.concat() })
    };
    Ok((lists(ids, offsets.clone()), lists(places, offsets)))
}

/// The exact cosine of two texts' weighted feature vectors.
#[pyfunction]
pub fn measure_cosine(
    py: Python<'_>,
    left: &str,
    right: &str,
    recipe: &Recipe,
) -> PyResult<Option<f64>> {
    run_infallible(py, || recipe.0.measure_cosine(left, right))
}
