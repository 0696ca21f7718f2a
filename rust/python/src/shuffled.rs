//! Records that texts on many machines send, and their forest: columns of bytes in and out.

use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, LargeBinaryArray, PrimitiveArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_pyarrow::PyArrowType;
use ilk_joins::minhash;
use ilk_joins::overlap::shuffled::{self, Frequencies, Texts};
use ilk_joins::overlap::{HashSets, Ratio};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets};
use crate::options::check_within;
use crate::watch::run_watched;

/// Evidence, as far as texts are joined by it.
struct Joined {
    docs: PrimitiveArray<Int64Type>,
    words: PrimitiveArray<UInt32Type>,
    word_hashes: Sets<UInt64Type>,
    character_shingles: Sets<UInt32Type>,
}

impl Joined {
    fn new(docs: Column, words: Column, hashes: Column, characters: Column) -> PyResult<Self> {
        let docs = columns::number_array::<Int64Type>(docs)?;
        let words = columns::number_array::<UInt32Type>(words)?;
        let (word_hashes, character_shingles) = (Sets::new(hashes)?, Sets::new(characters)?);
        let lengths = [words.len(), word_hashes.len(), character_shingles.len()];
        if lengths.iter().any(|&length| length != docs.len()) {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self { docs, words, word_hashes, character_shingles })
    }

    fn texts(&self) -> Texts<'_> {
        Texts {
            docs: self.docs.values(),
            words: self.words.values(),
            word_hashes: HashSets {
                offsets: self.word_hashes.offsets(),
                values: self.word_hashes.values(),
            },
            character_shingles: self.character_shingles.id_sets(),
        }
    }

    /// A row of bytes for each text.
    fn append_for_each(
        &self,
        mut append: impl FnMut(Texts, usize, &mut Vec<u8>),
    ) -> (Vec<u8>, Vec<i64>) {
        let (mut bytes, mut ends) = (Vec::new(), vec![0]);
        for row in 0..self.docs.len() {
            append(self.texts(), row, &mut bytes);
            ends.push(bytes.len() as i64);
        }
        (bytes, ends)
    }
}

/// Rows of bytes as a column.
fn from_bytes((bytes, ends): (Vec<u8>, Vec<i64>)) -> PyResult<Column> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    LargeBinaryArray::try_new(offsets, Buffer::from_vec(bytes), None)
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

fn to_bytes(column: Column) -> PyResult<LargeBinaryArray> {
    match column.0.data_type() {
        arrow_schema::DataType::LargeBinary => Ok(LargeBinaryArray::from(column.0)),
        seen => Err(PyTypeError::new_err(format!("expected a column of bytes, got {seen}"))),
    }
}

/// Per text the cells, of 2^bits, of all shingles that it is joined by: numbers of 32 bits.
#[pyfunction]
pub fn shingle_cells(
    py: Python<'_>,
    words: Column,
    word_hashes: Column,
    character_shingles: Column,
    bits: u32,
) -> PyResult<Column> {
    let docs = columns::from_numbers::<Int64Type>(vec![0; words.0.len()]);
    let joined = Joined::new(docs, words, word_hashes, character_shingles)?;
    let mut found = Vec::new();
    from_bytes(py.detach(|| {
        joined.append_for_each(|texts, row, bytes| {
            found.clear();
            shuffled::append_cells(texts, row, bits, &mut found);
            bytes.extend(found.iter().flat_map(|cell| cell.to_le_bytes()));
        })
    }))
}

/// The most bits of a cell, and the most places.
const BITS: u32 = 28;
const PLACES: u32 = 1 << 20;

/// Number of texts with a shingle in each of 2^bits cells, at most 255.
#[pyfunction]
pub fn count_cells(py: Python<'_>, cells: Column, bits: u32) -> PyResult<Column> {
    let texts = to_bytes(cells)?;
    let bits = check_within("bits", bits, 1..=BITS)?;
    let counts = py.detach(|| {
        let cells = texts
            .iter()
            .flatten()
            .flat_map(|bytes| bytes.as_chunks().0.iter().map(|cell| u32::from_le_bytes(*cell)));
        shuffled::count_cells(cells, bits)
    });
    Ok(columns::from_numbers::<UInt8Type>(counts))
}

/// Per text the records of its rarest shingles, which it sends to be joined.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // One per part of the question.
pub fn records_of_rarest_shingles(
    py: Python<'_>,
    docs: Column,
    words: Column,
    word_hashes: Column,
    character_shingles: Column,
    frequencies: Column,
    numerator: u64,
    denominator: u64,
) -> PyResult<Column> {
    let joined = Joined::new(docs, words, word_hashes, character_shingles)?;
    let frequencies = columns::number_array::<UInt8Type>(frequencies)?;
    let ratio = Ratio { numerator, denominator };
    from_bytes(py.detach(|| {
        let order = Frequencies::of_sample(frequencies.values());
        joined.append_for_each(|texts, row, bytes| {
            shuffled::append_records(texts, row, order, ratio, bytes)
        })
    }))
}

/// Per text the records of bands of least images, which it sends to be nominated.
#[pyfunction]
pub fn band_records(
    py: Python<'_>,
    docs: Column,
    words: Column,
    word_hashes: Column,
    character_shingles: Column,
    bands: usize,
    width: usize,
) -> PyResult<Column> {
    let joined = Joined::new(docs, words, word_hashes, character_shingles)?;
    let family = minhash::make_permutations(bands.saturating_mul(width).min(1 << 16));
    from_bytes(py.detach(|| {
        joined.append_for_each(|texts, row, bytes| {
            shuffled::append_bands(texts, row, &family, (bands, width), bytes);
        })
    }))
}

/// The records that go to each of some places.
#[pyfunction]
pub fn share_out_records(py: Python<'_>, records: Column, places: u32) -> PyResult<Column> {
    let sent = to_bytes(records)?;
    let places = check_within("places", places, 1..=PLACES)?;
    let shares =
        run_watched(py, None, |_| shuffled::share_out_records(sent.iter().flatten(), places))?;
    let mut ends = vec![0];
    let mut bytes = Vec::with_capacity(shares.iter().map(Vec::len).sum());
    for share in shares {
        bytes.extend(share);
        ends.push(bytes.len() as i64);
    }
    from_bytes((bytes, ends))
}

/// Edges that connect all texts that may resemble each other, of the records that arrived in one
/// place: both documents, and how many shingles either has.
#[pyfunction]
pub fn candidate_forest(
    py: Python<'_>,
    records: Column,
    numerator: u64,
    denominator: u64,
    radius: u32,
) -> PyResult<(Column, Column, Column, Column)> {
    let sent = to_bytes(records)?;
    let ratio = Ratio { numerator, denominator };
    let edges = run_watched(py, None, |watch| {
        shuffled::connect_records(sent.iter().flatten(), ratio, radius, watch)
    })?;
    let sizes = columns::from_rows;
    Ok((
        columns::from_numbers::<Int64Type>(edges.left),
        columns::from_numbers::<Int64Type>(edges.right),
        sizes(edges.left_size),
        sizes(edges.right_size),
    ))
}
