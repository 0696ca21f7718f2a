//! A column of texts in, a column of their evidence out.

use std::sync::{Arc, Mutex};

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, LargeListArray, PrimitiveArray, StructArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_pyarrow::PyArrowType;
use arrow_schema::{Field, Fields};
use ilk_joins::parallel::lock;
use ilk_joins::sets;
use ilk_kernels::evidence::{Base, Digests, Evidence, GatheredPart, Handed, Originals, Rule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::columns::{self, Column, Texts};
use crate::kept::Row;
use crate::options;
use crate::packing::pack_numbers;
use crate::watch::run_unwatched;

/// All that is kept of texts, which come piece by piece, each read once.
#[pyclass(module = "ilk._kernels")]
pub struct EvidenceBuilder {
    rule: Parameters,
    jobs: usize,
    evidence: Evidence,
    /// The rows before these; the values of their sets were handed over.
    done: Evidence,
}

/// Parameters of evidence, which threads share.
#[derive(Clone)]
struct Parameters {
    rule: Rule<'static>,
    /// The shingles that do not count.
    base: Option<Arc<Base>>,
}

impl Parameters {
    fn rule(&self) -> Rule<'_> {
        self.rule_with(&[])
    }

    /// The rule for texts, each of which comes with a shift, or none of which does.
    fn rule_with<'a>(&'a self, shifts: &'a [u32]) -> Rule<'a> {
        Rule { base: self.base.as_deref(), shifts, ..self.rule }
    }
}

/// The values of the three columns of sets.
type Values = (Column, Column, Column);

#[pymethods]
impl EvidenceBuilder {
    #[new]
    #[pyo3(signature = (
        shingle, characters, both, large, jobs, masks=Vec::new(), base=None, bounds=[0, u32::MAX]
    ))]
    #[allow(clippy::too_many_arguments)] // One per part of the rule.
    fn new(
        shingle: usize,
        characters: usize,
        both: usize,
        large: usize,
        jobs: usize,
        masks: Vec<String>,
        base: Option<Column>,
        bounds: [u32; 2],
    ) -> PyResult<Self> {
        if shingle == 0 || characters == 0 {
            return Err(PyValueError::new_err("width must be at least 1"));
        }
        if bounds[0] > bounds[1] {
            return Err(PyValueError::new_err("the least number of words is above the most"));
        }
        let masks = options::parse_masks(&masks)?;
        let rule =
            Rule { shingle, characters, both, bounds, large, masks, base: None, shifts: &[] };
        let base = match base {
            Some(base) => {
                let base = columns::number_array::<UInt64Type>(base)?;
                Some(Arc::new(Base::new(base.values().to_vec())))
            }
            None => None,
        };
        let rule = Parameters { rule, base };
        Ok(Self { rule, jobs, evidence: Evidence::default(), done: Evidence::default() })
    }

    /// Adds the evidence of some texts; with the numbers of their groups, which are below 2^32, sets
    /// of two groups share nothing. All texts of a builder have one, or none has.
    #[pyo3(signature = (texts, groups=None))]
    fn add(&mut self, py: Python<'_>, texts: Column, groups: Option<Column>) -> PyResult<()> {
        let texts = Texts::new(texts)?;
        let shifts = shifts_of(groups, texts.len())?;
        run_unwatched(py, || {
            let rule = self.rule.rule_with(&shifts);
            self.evidence.add(texts.len(), |row| texts.bytes(row), rule, self.jobs)
        })
    }

    /// Makes the evidence of parts of the texts, in threads of the caller.
    fn gatherer(&self) -> EvidenceGatherer {
        EvidenceGatherer { rule: self.rule.clone(), originals: self.evidence.originals() }
    }

    /// Adds the evidence of a part, given with its texts. What is added in any way is a part; they
    /// are numbered from 0 in that order.
    #[pyo3(signature = (part, texts, groups=None))]
    fn append(
        &mut self,
        py: Python<'_>,
        part: &EvidencePart,
        texts: Column,
        groups: Option<Column>,
    ) -> PyResult<()> {
        let texts = Texts::new(texts)?;
        let shifts = shifts_of(groups, texts.len())?;
        let Some(part) = lock(&part.0).take() else {
            return Err(PyValueError::new_err("the part was appended before"));
        };
        run_unwatched(py, || {
            self.evidence.append_part(part, |row| texts.bytes(row), self.rule.rule_with(&shifts))
        })
    }

    /// Bytes of what is kept and was not handed over.
    #[getter]
    fn nbytes(&self) -> usize {
        self.evidence.bytes()
    }

    /// Hands over the values of the sets that are kept: ids of words, their hashes, ids of
    /// characters. They are to be put after those handed over before.
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<Values> {
        let Handed { word_shingles, word_hashes, character_shingles } =
            run_unwatched(py, || self.evidence.hand_over(&mut self.done))?;
        Ok((
            columns::from_numbers::<UInt32Type>(word_shingles),
            columns::from_numbers::<UInt64Type>(word_hashes),
            columns::from_numbers::<UInt32Type>(character_shingles),
        ))
    }

    /// Hands over all that was kept, as a column of structs; afterwards nothing is. Where values
    /// were handed over, all of them have been, and they are given back whole.
    #[pyo3(signature = (values=None))]
    fn finish(&mut self, py: Python<'_>, values: Option<Values>) -> PyResult<Column> {
        let values = match values {
            Some(values) => values,
            None => self.hand_over(py)?,
        };
        evidence_column(std::mem::take(&mut self.done), values)
    }

    /// Hands over all that was kept, as a plain row a text; afterwards nothing is.
    fn take_rows<'py>(&mut self, py: Python<'py>) -> Vec<Row<'py>> {
        let evidence = std::mem::take(&mut self.evidence);
        (0..evidence.words.len())
            .map(|row| row_values(py, &evidence, row, self.rule.rule()))
            .collect()
    }
}

/// Makes the evidence of parts of texts; many threads may call it at the same time.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct EvidenceGatherer {
    rule: Parameters,
    originals: Arc<Originals>,
}

#[pymethods]
impl EvidenceGatherer {
    /// Makes the evidence of the texts that are part `number` of all.
    #[pyo3(signature = (number, texts, groups=None))]
    fn gather(
        &self,
        py: Python<'_>,
        number: usize,
        texts: Column,
        groups: Option<Column>,
    ) -> PyResult<EvidencePart> {
        let texts = Texts::new(texts)?;
        let shifts = shifts_of(groups, texts.len())?;
        let gather = || {
            self.originals.gather_part(
                number,
                texts.len(),
                |row| texts.bytes(row),
                self.rule.rule_with(&shifts),
            )
        };
        run_unwatched(py, gather).map(|part| EvidencePart(Mutex::new(Some(part))))
    }
}

/// The evidence of a part of texts, until it is appended.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct EvidencePart(Mutex<Option<GatheredPart>>);

/// The shifts of the groups of some texts; none where there are no groups.
fn shifts_of(groups: Option<Column>, texts: usize) -> PyResult<Vec<u32>> {
    let Some(groups) = groups else { return Ok(Vec::new()) };
    let groups = columns::number_array::<UInt32Type>(groups)?;
    if groups.values().len() != texts {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    Ok(groups.values().iter().map(|&group| sets::shift_of(group)).collect())
}

/// Evidence of one text as plain values.
fn row_values<'py>(py: Python<'py>, of: &Evidence, row: usize, rule: Rule<'_>) -> Row<'py> {
    let digest = |digests: &Digests| {
        digests.known[row].then(|| PyBytes::new(py, digests.values[row].as_slice()))
    };
    let ids = |sets: &sets::Column<u32>| pack_numbers(py, set_at(sets, row));
    let hashes = set_at(&of.word_hashes, row);
    let words = of.words[row];
    let has_characters = (words as usize) < rule.both;
    (
        digest(&of.digests),
        digest(&of.bytes_digests),
        digest(&of.masked_digests),
        of.lengths[row],
        words,
        !hashes.is_empty(),
        if hashes.is_empty() { ids(&of.word_shingles) } else { pack_numbers(py, hashes) },
        has_characters.then(|| ids(&of.character_shingles)),
    )
}

fn set_at<T>(sets: &sets::Column<T>, row: usize) -> &[T] {
    &sets.values[sets.offsets[row] as usize..sets.offsets[row + 1] as usize]
}

/// Evidence as a column of structs.
fn evidence_column(found: Evidence, values: Values) -> PyResult<Column> {
    let lists = [
        ("word_shingles", list_array::<UInt32Type>(found.word_shingles.offsets, values.0)?),
        ("word_hashes", list_array::<UInt64Type>(found.word_hashes.offsets, values.1)?),
        (
            "character_shingles",
            list_array::<UInt32Type>(found.character_shingles.offsets, values.2)?,
        ),
    ];
    let lengths = PrimitiveArray::<Int64Type>::new(ScalarBuffer::from(found.lengths), None);
    let words = PrimitiveArray::<UInt32Type>::new(ScalarBuffer::from(found.words), None);
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("digest", digest_column(found.digests)?),
        ("bytes_digest", digest_column(found.bytes_digests)?),
        ("masked_digest", digest_column(found.masked_digests)?),
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

/// Sets as a column; an error where the values are not as many as the offsets say.
fn list_array<T: ArrowPrimitiveType>(
    offsets: Vec<i64>,
    values: Column,
) -> PyResult<LargeListArray> {
    let values = columns::number_array::<T>(values)?;
    let field = Arc::new(Field::new_list_field(T::DATA_TYPE, false));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    LargeListArray::try_new(field, offsets, Arc::new(values), None)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Digests as a column; null in a row without one.
fn digest_column(digests: Digests) -> PyResult<ArrayRef> {
    let mut known = BooleanBufferBuilder::new(digests.known.len());
    known.append_slice(&digests.known);
    let bytes = Buffer::from_vec(digests.values.into_flattened());
    FixedSizeBinaryArray::try_new(16, bytes, Some(NullBuffer::new(known.finish())))
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
