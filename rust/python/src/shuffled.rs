//! Records that texts on many machines send, and their forest: columns of bytes in and out.

use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, LargeBinaryArray, PrimitiveArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_pyarrow::PyArrowType;
use ilk_joins::minhash;
use ilk_joins::overlap::HashSets;
use ilk_joins::overlap::shuffled::{self, Frequencies, ShuffledTexts};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{self, Column, Sets};
use crate::options::{Threshold, check_bounds};
use crate::watch::run_watched;

/// The sets by which texts are joined, of Python's `(words, word_hashes, character_shingles)`: the
/// number of words of each text, its whole hashes, and its shingles of characters.
pub struct SetsToSend {
    words: PrimitiveArray<UInt32Type>,
    word_hashes: Sets<UInt64Type>,
    character_shingles: Sets<UInt32Type>,
}

impl<'py> FromPyObject<'_, 'py> for SetsToSend {
    type Error = PyErr;

    fn extract(columns: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (words, hashes, characters) = columns.extract::<(Column, Column, Column)>()?;
        let words = columns::number_array::<UInt32Type>(words)?;
        let (word_hashes, character_shingles) = (
            Sets::from_large_list_ignoring_nulls(hashes)?,
            Sets::from_large_list_ignoring_nulls(characters)?,
        );
        if [word_hashes.len(), character_shingles.len()] != [words.len(); 2] {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self { words, word_hashes, character_shingles })
    }
}

/// Texts with their numbers.
struct NumberedTexts {
    docs: PrimitiveArray<Int64Type>,
    sets: SetsToSend,
}

impl NumberedTexts {
    fn new(docs: Column, sets: SetsToSend) -> PyResult<Self> {
        let docs = columns::number_array::<Int64Type>(docs)?;
        if docs.len() != sets.words.len() {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self { docs, sets })
    }

    fn texts(&self) -> ShuffledTexts<'_> {
        ShuffledTexts {
            docs: self.docs.values(),
            words: self.sets.words.values(),
            word_hashes: HashSets {
                offsets: self.sets.word_hashes.offsets(),
                values: self.sets.word_hashes.values(),
            },
            character_shingles: self.sets.character_shingles.id_sets(),
        }
    }

    /// A row of bytes for each text, as `append` writes it.
    fn write_rows(&self, mut append: impl FnMut(ShuffledTexts, usize, &mut Vec<u8>)) -> ByteRows {
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for row in 0..self.docs.len() {
            append(self.texts(), row, &mut bytes);
            offsets.push(bytes.len() as i64);
        }
        ByteRows { bytes, offsets }
    }
}

/// Rows of bytes, one after the other: row i is `offsets[i]` to `offsets[i + 1]`.
struct ByteRows {
    bytes: Vec<u8>,
    offsets: Vec<i64>,
}

impl ByteRows {
    fn into_column(self) -> PyResult<Column> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        LargeBinaryArray::try_new(offsets, Buffer::from_vec(self.bytes), None)
            .map(|array| PyArrowType(array.into_data()))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn to_byte_array(column: Column) -> PyResult<LargeBinaryArray> {
    match column.0.data_type() {
        arrow_schema::DataType::LargeBinary => Ok(LargeBinaryArray::from(column.0)),
        seen => Err(PyTypeError::new_err(format!("expected a column of bytes, got {seen}"))),
    }
}

/// Per text the cells, of 2^bits, of all shingles that it is joined by: numbers of 32 bits.
#[pyfunction]
pub fn find_shingle_cells(py: Python<'_>, sets: SetsToSend, bits: u32) -> PyResult<Column> {
    let bits = check_bounds("bits", bits, 1..=MOST_BITS)?;
    let docs = columns::from_numbers::<Int64Type>(vec![0; sets.words.len()]);
    let numbered = NumberedTexts::new(docs, sets)?;
    let mut found = Vec::new();
    py.detach(|| {
        numbered.write_rows(|texts, row, bytes| {
            found.clear();
            shuffled::append_cells(texts, row, bits, &mut found);
            bytes.extend(found.iter().flat_map(|cell| cell.to_le_bytes()));
        })
    })
    .into_column()
}

/// The most bits of a cell, and the most places.
const MOST_BITS: u32 = 28;
const MOST_PLACES: u32 = 1 << 20;

/// Number of texts with a shingle in each of 2^bits cells, in a byte: rounded from 32 on.
#[pyfunction]
pub fn count_texts_by_cell_rounded(py: Python<'_>, cells: Column, bits: u32) -> PyResult<Column> {
    let texts = to_byte_array(cells)?;
    let bits = check_bounds("bits", bits, 1..=MOST_BITS)?;
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
pub fn make_rarest_shingle_records(
    py: Python<'_>,
    docs: Column,
    sets: SetsToSend,
    frequencies: Column,
    threshold: Threshold,
) -> PyResult<Column> {
    let numbered = NumberedTexts::new(docs, sets)?;
    let frequencies = columns::number_array::<UInt8Type>(frequencies)?;
    py.detach(|| {
        let order = Frequencies::of_sample_or_all_equal(frequencies.values());
        numbered.write_rows(|texts, row, bytes| {
            shuffled::append_records(texts, row, order, threshold.0, bytes)
        })
    })
    .into_column()
}

/// Per text the records of bands of least images, which it sends to be nominated.
#[pyfunction]
pub fn make_band_records(
    py: Python<'_>,
    docs: Column,
    sets: SetsToSend,
    bands: usize,
    band_width: usize,
) -> PyResult<Column> {
    let numbered = NumberedTexts::new(docs, sets)?;
    let family = minhash::make_permutations(bands.saturating_mul(band_width).min(1 << 16));
    py.detach(|| {
        numbered.write_rows(|texts, row, bytes| {
            shuffled::append_bands(texts, row, &family, (bands, band_width), bytes);
        })
    })
    .into_column()
}

/// The records that go to each of some places.
#[pyfunction]
pub fn concatenate_records_by_place(
    py: Python<'_>,
    records: Column,
    places: u32,
) -> PyResult<Column> {
    let sent = to_byte_array(records)?;
    let places = check_bounds("places", places, 1..=MOST_PLACES)?;
    let shares = run_watched(py, None, |_| {
        shuffled::concatenate_records_by_place(sent.iter().flatten(), places)
    })?;
    let mut offsets = vec![0];
    let mut bytes = Vec::with_capacity(shares.iter().map(Vec::len).sum());
    for share in shares {
        bytes.extend(share);
        offsets.push(bytes.len() as i64);
    }
    ByteRows { bytes, offsets }.into_column()
}

/// Left documents, right documents, and how many shingles each left and each right one has.
type DocumentEdgesWithSizes = (Column, Column, Column, Column);

/// Edges that connect all texts that may resemble each other, of the records that arrived in one
/// place.
#[pyfunction]
pub fn make_candidate_forest_with_sizes(
    py: Python<'_>,
    records: Column,
    threshold: Threshold,
    radius: u32,
) -> PyResult<DocumentEdgesWithSizes> {
    let sent = to_byte_array(records)?;
    let edges = run_watched(py, None, |watch| {
        shuffled::connect_records(sent.iter().flatten(), threshold.0, radius, watch)
    })?;
    let sizes = columns::from_row_numbers;
    Ok((
        columns::from_numbers::<Int64Type>(edges.left),
        columns::from_numbers::<Int64Type>(edges.right),
        sizes(edges.left_size),
        sizes(edges.right_size),
    ))
}
