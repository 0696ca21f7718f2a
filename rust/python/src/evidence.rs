//! A column of texts in, a column of their evidence out.

use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, PrimitiveArray, StructArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_pyarrow::PyArrowType;
use arrow_schema::{Field, Fields};
use ilk_kernels::evidence::{Digests, Evidence, Rule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};

/// All that is kept of texts, which come piece by piece, each read once.
#[pyclass(module = "ilk._kernels")]
pub struct EvidenceBuilder {
    rule: Rule,
    jobs: usize,
    evidence: Evidence,
    with_sets: bool,
}

#[pymethods]
impl EvidenceBuilder {
    #[new]
    fn new(
        shingle: usize,
        characters: usize,
        both: usize,
        large: usize,
        jobs: usize,
    ) -> PyResult<Self> {
        if shingle == 0 || characters == 0 {
            return Err(PyValueError::new_err("width must be at least 1"));
        }
        let rule = Rule { shingle, characters, both, large };
        Ok(Self { rule, jobs, evidence: Evidence::default(), with_sets: true })
    }

    /// Adds what is kept of some texts.
    fn add(&mut self, py: Python<'_>, texts: Column) -> PyResult<()> {
        let texts = Texts::new(texts)?;
        py.detach(|| {
            self.evidence.add(texts.len(), |row| texts.bytes(row), self.rule, self.jobs);
            if !self.with_sets {
                self.evidence.forget_sets();
            }
        });
        Ok(())
    }

    /// Bytes of what is kept so far.
    #[getter]
    fn nbytes(&self) -> usize {
        self.evidence.bytes()
    }

    /// Keeps no sets any more, and drops those that were kept.
    fn forget_sets(&mut self) {
        self.with_sets = false;
        self.evidence.forget_sets();
    }

    /// Hands over all that was kept, as a column of structs; afterwards nothing is.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Column> {
        let mut evidence = std::mem::take(&mut self.evidence);
        py.detach(|| evidence.shrink());
        column(evidence)
    }
}

/// Evidence as a column of structs.
fn column(found: Evidence) -> PyResult<Column> {
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
