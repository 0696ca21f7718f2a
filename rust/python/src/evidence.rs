//! A column of texts in, a column of their evidence out.

use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, PrimitiveArray, StructArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_pyarrow::PyArrowType;
use arrow_schema::{Field, Fields};
use ilk_kernels::evidence::{Digests, Rule, of_texts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};

/// All that is kept of every text, made in one pass: a column of structs.
#[pyfunction]
pub fn evidence(
    py: Python<'_>,
    texts: Column,
    shingle: usize,
    characters: usize,
    both: usize,
    large: usize,
    jobs: usize,
) -> PyResult<Column> {
    let texts = Texts::new(texts)?;
    if shingle == 0 || characters == 0 {
        return Err(PyValueError::new_err("width must be at least 1"));
    }
    let rule = Rule { shingle, characters, both, large };
    let found = py.detach(|| of_texts(texts.len(), |row| texts.bytes(row), rule, jobs));
    let lists = [
        ("word_shingles", columns::set_array::<UInt32Type>(found.word_shingles)),
        ("word_hashes", columns::set_array::<UInt64Type>(found.word_hashes)),
        ("character_shingles", columns::set_array::<UInt32Type>(found.character_shingles)),
    ];
    let lengths = PrimitiveArray::<Int64Type>::new(ScalarBuffer::from(found.lengths), None);
    let words = PrimitiveArray::<UInt32Type>::new(ScalarBuffer::from(found.words), None);
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("digest", digests(found.digests)?),
        ("bytes_digest", digests(found.bytes_digests)?),
        ("masked_digest", digests(found.masked_digests)?),
        ("length", Arc::new(lengths)),
        ("words", Arc::new(words)),
    ];
    columns.extend(lists.map(|(name, list)| (name, Arc::new(list) as ArrayRef)));
    let field = |(name, column): &(&str, ArrayRef)| {
        Field::new(*name, column.data_type().clone(), name.ends_with("digest"))
    };
    let fields: Fields = columns.iter().map(field).collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    StructArray::try_new(fields, columns, None)
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Digests as a column; null in a row without one.
fn digests(digests: Digests) -> PyResult<ArrayRef> {
    let mut known = BooleanBufferBuilder::new(digests.known.len());
    known.append_slice(&digests.known);
    let bytes = Buffer::from_vec(digests.values.into_flattened());
    FixedSizeBinaryArray::try_new(16, bytes, Some(NullBuffer::new(known.finish())))
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
