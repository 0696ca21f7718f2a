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
use ilk_kernels::evidence::{self, Base, Digests, Evidence, GatheredPart, Handed, PlacesByDigest};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::columns::{self, Column, Texts};
use crate::evidence_rows::NewEvidenceRow;
use crate::options;
use crate::packing::pack_numbers;
use crate::watch::run_unwatched;

/// The rule by which evidence is made of a text.
#[pyclass(frozen, skip_from_py_object, module = "ilk._kernels")]
#[derive(Clone)]
pub struct EvidenceRule {
    rule: evidence::EvidenceRule<'static>,
    /// The shingles that do not count.
    base: Option<Arc<Base>>,
}

#[pymethods]
impl EvidenceRule {
    /// Shingles of `shingle_words` words; of `shingle_characters` characters as well for texts of
    /// fewer than `characters_below` words; and whole hashes as well for texts of more than
    /// `whole_above` distinct shingles. The differences that `masks` name do not count, nor the
    /// shingles of words whose hashes are in `base`. A text is measured as one of a number of words
    /// within `word_bounds`.
    #[new]
    #[pyo3(signature = (
        *, shingle_words, shingle_characters, characters_below, whole_above, masks=Vec::new(),
        base=None, word_bounds=[0, u32::MAX]
    ))]
    fn new(
        shingle_words: usize,
        shingle_characters: usize,
        characters_below: usize,
        whole_above: usize,
        masks: Vec<String>,
        base: Option<Column>,
        word_bounds: [u32; 2],
    ) -> PyResult<Self> {
        if shingle_words == 0 || shingle_characters == 0 {
            return Err(PyValueError::new_err("width must be at least 1"));
        }
        if word_bounds[0] > word_bounds[1] {
            return Err(PyValueError::new_err("the least number of words is above the most"));
        }
        let rule = evidence::EvidenceRule {
            shingle: shingle_words,
            characters: shingle_characters,
            characters_below,
            bounds: word_bounds,
            large: whole_above,
            masks: options::parse_masks(&masks)?,
            base: None,
            shifts: &[],
        };
        let base = match base {
            Some(base) => {
                let base = columns::number_array::<UInt64Type>(base)?;
                Some(Arc::new(Base::new(base.values().to_vec())))
            }
            None => None,
        };
        Ok(Self { rule, base })
    }
}

impl EvidenceRule {
    /// The rule for texts that all have shifts; for texts without them, `shifts` is empty.
    fn with_shifts<'a>(&'a self, shifts: &'a [u32]) -> evidence::EvidenceRule<'a> {
        evidence::EvidenceRule { base: self.base.as_deref(), shifts, ..self.rule }
    }
}

/// All that is kept of texts, which come piece by piece, each read once.
#[pyclass(module = "ilk._kernels")]
pub struct EvidenceBuilder {
    rule: EvidenceRule,
    jobs: usize,
    evidence: Evidence,
    /// The rows before these; the values of their sets were handed over.
    done: Evidence,
}

/// The values of the three columns of sets: ids of words, their hashes, ids of characters.
pub type SetValues = (Column, Column, Column);

#[pymethods]
impl EvidenceBuilder {
    #[new]
    fn new(rule: &EvidenceRule, jobs: usize) -> Self {
        let (evidence, done) = (Evidence::default(), Evidence::default());
        Self { rule: rule.clone(), jobs, evidence, done }
    }

    /// Adds the evidence of some texts; with the numbers of their groups, which are below 2^32,
    /// sets of two groups share nothing. All texts of a builder have one, or none has.
    #[pyo3(signature = (texts, groups=None))]
    fn add(&mut self, py: Python<'_>, texts: Column, groups: Option<Column>) -> PyResult<()> {
        let texts = Texts::from_large_binary(texts)?;
        let shifts = read_shifts(groups, texts.len())?;
        run_unwatched(py, || {
            let rule = self.rule.with_shifts(&shifts);
            self.evidence.add(texts.len(), |row| texts.bytes(row), rule, self.jobs)
        })
    }

    /// Makes what gathers the evidence of parts of texts, in threads of the caller. It notes the
    /// digests of texts where those of this builder are: a copy of a text is not read again.
    fn make_gatherer_sharing_seen_digests(&self) -> EvidenceGatherer {
        EvidenceGatherer {
            rule: self.rule.clone(),
            places_by_digest: self.evidence.places_by_digest(),
        }
    }

    /// Adds the evidence of a part, given with its texts; afterwards the part has none. What is
    /// added in any way is a part; they are numbered from 0 in that order.
    #[pyo3(signature = (part, texts, groups=None))]
    fn take_and_append_part(
        &mut self,
        py: Python<'_>,
        part: &EvidencePart,
        texts: Column,
        groups: Option<Column>,
    ) -> PyResult<()> {
        let texts = Texts::from_large_binary(texts)?;
        let shifts = read_shifts(groups, texts.len())?;
        let Some(part) = lock(&part.0).take() else {
            return Err(PyValueError::new_err("the part was appended before"));
        };
        run_unwatched(py, || {
            self.evidence.append_part(part, |row| texts.bytes(row), self.rule.with_shifts(&shifts))
        })
    }

    /// Bytes of what is kept here.
    #[getter]
    fn nbytes_not_handed_over(&self) -> usize {
        self.evidence.bytes()
    }

    /// Hands over the values of the sets that are kept, to be put after those handed over before.
    fn hand_over_set_values(&mut self, py: Python<'_>) -> PyResult<SetValues> {
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
    fn take_column(&mut self, py: Python<'_>, values: Option<SetValues>) -> PyResult<Column> {
        let values = match values {
            Some(values) => values,
            None => self.hand_over_set_values(py)?,
        };
        to_evidence_column(std::mem::take(&mut self.done), values)
    }

    /// Hands over all that was kept, as a plain row a text; afterwards nothing is.
    fn take_rows<'py>(&mut self, py: Python<'py>) -> Vec<NewEvidenceRow<'py>> {
        let evidence = std::mem::take(&mut self.evidence);
        (0..evidence.words.len())
            .map(|row| make_row(py, &evidence, row, self.rule.with_shifts(&[])))
            .collect()
    }
}

/// Makes the evidence of parts of texts; many threads may call it at the same time.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct EvidenceGatherer {
    rule: EvidenceRule,
    places_by_digest: Arc<PlacesByDigest>,
}

#[pymethods]
impl EvidenceGatherer {
    /// Makes the evidence of the texts that are part `number` of all.
    #[pyo3(signature = (number, texts, groups=None))]
    fn gather_part(
        &self,
        py: Python<'_>,
        number: usize,
        texts: Column,
        groups: Option<Column>,
    ) -> PyResult<EvidencePart> {
        let texts = Texts::from_large_binary(texts)?;
        let shifts = read_shifts(groups, texts.len())?;
        let gather = || {
            self.places_by_digest.gather_part(
                number,
                texts.len(),
                |row| texts.bytes(row),
                self.rule.with_shifts(&shifts),
            )
        };
        run_unwatched(py, gather).map(|part| EvidencePart(Mutex::new(Some(part))))
    }
}

/// The evidence of a part of texts, until it is appended.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct EvidencePart(Mutex<Option<GatheredPart>>);

/// The shifts of the groups of some texts; none where there are no groups.
fn read_shifts(groups: Option<Column>, text_count: usize) -> PyResult<Vec<u32>> {
    let Some(groups) = groups else { return Ok(Vec::new()) };
    let groups = columns::number_array::<UInt32Type>(groups)?;
    if groups.values().len() != text_count {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    Ok(groups.values().iter().map(|&group| sets::mix_group_to_added_offset(group)).collect())
}

/// Evidence of one text as plain values.
fn make_row<'py>(
    py: Python<'py>,
    evidence: &Evidence,
    row: usize,
    rule: evidence::EvidenceRule<'_>,
) -> NewEvidenceRow<'py> {
    let digest = |digests: &Digests| {
        digests.known[row].then(|| PyBytes::new(py, digests.values[row].as_slice()))
    };
    let ids = |sets: &sets::Column<u32>| pack_numbers(py, set_at(sets, row));
    let hashes = set_at(&evidence.word_hashes, row);
    let words = evidence.words[row];
    let has_characters = (words as usize) < rule.characters_below;
    (
        digest(&evidence.digests),
        digest(&evidence.bytes_digests),
        digest(&evidence.masked_digests),
        evidence.lengths[row],
        words,
        !hashes.is_empty(),
        if hashes.is_empty() { ids(&evidence.word_shingles) } else { pack_numbers(py, hashes) },
        has_characters.then(|| ids(&evidence.character_shingles)),
    )
}

fn set_at<T>(sets: &sets::Column<T>, row: usize) -> &[T] {
    &sets.values[sets.offsets[row] as usize..sets.offsets[row + 1] as usize]
}

/// Evidence as a column of structs, whose sets have these values.
pub fn to_evidence_column(evidence: Evidence, values: SetValues) -> PyResult<Column> {
    let lists = [
        ("word_shingles", to_set_array::<UInt32Type>(evidence.word_shingles.offsets, values.0)?),
        ("word_hashes", to_set_array::<UInt64Type>(evidence.word_hashes.offsets, values.1)?),
        (
            "character_shingles",
            to_set_array::<UInt32Type>(evidence.character_shingles.offsets, values.2)?,
        ),
    ];
    let lengths = PrimitiveArray::<Int64Type>::new(ScalarBuffer::from(evidence.lengths), None);
    let words = PrimitiveArray::<UInt32Type>::new(ScalarBuffer::from(evidence.words), None);
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("digest", to_digest_array(evidence.digests)?),
        ("bytes_digest", to_digest_array(evidence.bytes_digests)?),
        ("masked_digest", to_digest_array(evidence.masked_digests)?),
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
fn to_set_array<T: ArrowPrimitiveType>(
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
fn to_digest_array(digests: Digests) -> PyResult<ArrayRef> {
    let mut known = BooleanBufferBuilder::new(digests.known.len());
    known.append_slice(&digests.known);
    let bytes = Buffer::from_vec(digests.values.into_flattened());
    FixedSizeBinaryArray::try_new(16, bytes, Some(NullBuffer::new(known.finish())))
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
