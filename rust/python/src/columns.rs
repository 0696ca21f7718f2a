//! Arrow arrays as slices, and vectors as Arrow arrays.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, BooleanArray, DictionaryArray, FixedSizeBinaryArray, LargeBinaryArray, LargeListArray,
    PrimitiveArray, StringArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use arrow_schema::{DataType, Field};
use ilk_joins::{overlap, sets};
use ilk_kernels::rows::Strings;
use ilk_kernels::utf8;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::options::Threshold;
use crate::watch::check_memory_for;

/// An Arrow array as it crosses the border.
pub type Column = PyArrowType<ArrayData>;

/// One of sets: ascending, distinct numbers as a list a row.
pub type SetColumn = Column;

/// One of bytes, a value a row.
pub type BytesColumn = Column;

/// A column of texts, handed over as bytes because they may not be UTF-8.
pub struct Texts(LargeBinaryArray);

/// Bytes of memory for a byte of a text while it is normalised and cut.
const TEXT_BYTES: usize = 8;

impl Texts {
    /// Takes a `large_binary` array, where there is memory to work on its longest text.
    pub fn from_large_binary(column: Column) -> PyResult<Self> {
        check_type(&column.0, &DataType::LargeBinary)?;
        let texts = LargeBinaryArray::from(column.0);
        let longest = texts.offsets().lengths().max().unwrap_or(0);
        check_memory_for(TEXT_BYTES * longest)?;
        Ok(Self(texts))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The text of a row, with U+FFFD where its bytes are not UTF-8; `None` if it is null.
    pub fn get(&self, row: usize) -> Option<Cow<'_, str>> {
        self.bytes(row).map(utf8::decode_utf8_lossy)
    }

    /// The bytes of a row.
    pub fn bytes(&self, row: usize) -> Option<&[u8]> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }
}

/// A column of sets: a list of ascending, distinct numbers a row.
pub struct Sets<T: ArrowPrimitiveType> {
    offsets: OffsetBuffer<i64>,
    values: PrimitiveArray<T>,
}

impl<T: ArrowPrimitiveType> Sets<T> {
    /// Takes a `large_list` array; a null is the list that its offsets say, mostly an empty one.
    pub fn from_large_list_ignoring_nulls(column: Column) -> PyResult<Self> {
        let DataType::LargeList(field) = column.0.data_type() else {
            let seen = column.0.data_type();
            return Err(PyTypeError::new_err(format!("expected a column of sets, got {seen}")));
        };
        if field.data_type() != &T::DATA_TYPE {
            let seen = field.data_type();
            return Err(PyTypeError::new_err(format!(
                "expected sets of {}, got {seen}",
                T::DATA_TYPE
            )));
        }
        let (_, offsets, values, _) = LargeListArray::from(column.0).into_parts();
        Ok(Self { offsets, values: PrimitiveArray::from(values.to_data()) })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Start of each row, and the end of the last.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// The values of all rows.
    pub fn values(&self) -> &[T::Native] {
        self.values.values()
    }

    /// The memory of the values of all rows.
    pub fn values_buffer(&self) -> Buffer {
        self.values.values().inner().clone()
    }

    /// The set of a row.
    pub fn get(&self, row: usize) -> &[T::Native] {
        &self.values.values()[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

impl Sets<UInt32Type> {
    /// The column, as the kernels take it.
    pub fn id_sets(&self) -> overlap::IdSets<'_> {
        overlap::IdSets { offsets: &self.offsets, values: self.values.values() }
    }

    /// All rows, as the joins take them.
    pub fn sets_to_join(&self) -> overlap::Sets<'_> {
        overlap::Sets::of(self.id_sets())
    }
}

/// The sets that a join compares, one a row.
pub enum SetColumnOrRowChoice {
    /// One column: a set per row.
    SetColumn(Sets<UInt32Type>),
    /// Two columns, and per row the choice of one of its two sets, or of none. Large sets are
    /// judged by their whole hashes.
    RowChoice(Box<RowChoice>),
}

/// Two columns, and which of them shows each row.
pub struct RowChoice {
    columns: [Sets<UInt32Type>; 2],
    choice: PrimitiveArray<UInt8Type>,
    hashes: Sets<UInt64Type>,
    threshold: Threshold,
}

impl SetColumnOrRowChoice {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.sets_to_join().len()
    }

    /// All rows, as the joins take them.
    pub fn sets_to_join(&self) -> overlap::Sets<'_> {
        match self {
            Self::SetColumn(sets) => sets.sets_to_join(),
            Self::RowChoice(chosen) => {
                let columns = chosen.columns.each_ref().map(Sets::id_sets);
                let hashes = overlap::HashSets {
                    offsets: chosen.hashes.offsets(),
                    values: chosen.hashes.values(),
                };
                overlap::Sets::by_choice(columns, chosen.choice.values())
                    .judged_by(overlap::Whole { hashes, threshold: chosen.threshold.0 })
            }
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for SetColumnOrRowChoice {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        type Parts = (Column, Column, Column, Column, Threshold);
        let Ok((first, second, choice, hashes, threshold)) = given.extract::<Parts>() else {
            return Ok(Self::SetColumn(Sets::from_large_list_ignoring_nulls(
                given.extract::<Column>()?,
            )?));
        };
        let columns = [
            Sets::from_large_list_ignoring_nulls(first)?,
            Sets::from_large_list_ignoring_nulls(second)?,
        ];
        let (choice, hashes) = (
            number_array::<UInt8Type>(choice)?,
            Sets::<UInt64Type>::from_large_list_ignoring_nulls(hashes)?,
        );
        let lengths = [columns[0].len(), columns[1].len(), hashes.len()];
        if lengths.iter().any(|&length| length != choice.len()) {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self::RowChoice(Box::new(RowChoice { columns, choice, hashes, threshold })))
    }
}

/// Takes a column of numbers without nulls.
pub fn number_array<T: ArrowPrimitiveType>(column: Column) -> PyResult<PrimitiveArray<T>> {
    check_type(&column.0, &T::DATA_TYPE)?;
    if column.0.null_count() > 0 {
        return Err(PyValueError::new_err("the column must not hold nulls"));
    }
    Ok(PrimitiveArray::from(column.0))
}

/// Takes a column of numbers, null in a row without one.
pub fn number_array_with_nulls<T: ArrowPrimitiveType>(
    column: Column,
) -> PyResult<PrimitiveArray<T>> {
    check_type(&column.0, &T::DATA_TYPE)?;
    Ok(PrimitiveArray::from(column.0))
}

/// Gives a column of numbers without nulls.
pub fn from_numbers<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> Column {
    PyArrowType(PrimitiveArray::<T>::new(ScalarBuffer::from(values), None).into_data())
}

/// Gives row numbers.
pub fn from_row_numbers(rows: Vec<u32>) -> Column {
    from_numbers::<Int64Type>(rows.into_iter().map(i64::from).collect())
}

/// Gives a column of numbers, null in a row without one.
pub fn from_numbers_or_nulls<T: ArrowPrimitiveType>(values: Vec<Option<T::Native>>) -> Column {
    PyArrowType(PrimitiveArray::<T>::from_iter(values).into_data())
}

/// Takes a column of numbers of 16 bytes, big-endian and without nulls.
pub fn to_u128s(column: Column) -> PyResult<Vec<u128>> {
    let rows = to_digests(column)?;
    let numbers: Option<Vec<u128>> = rows.into_iter().collect();
    numbers.ok_or_else(|| PyValueError::new_err("the column must not hold nulls"))
}

/// Takes a column of truth values without nulls.
pub fn to_bools(column: Column) -> PyResult<Vec<bool>> {
    check_type(&column.0, &DataType::Boolean)?;
    if column.0.null_count() > 0 {
        return Err(PyValueError::new_err("the column must not hold nulls"));
    }
    Ok(BooleanArray::from(column.0).values().iter().collect())
}

/// Gives a column of strings as `large_binary`, since they need not be UTF-8.
pub fn large_binary_from_strings(strings: Strings) -> PyResult<BytesColumn> {
    let (values, offsets, valid) = strings.into_parts();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    LargeBinaryArray::try_new(offsets, Buffer::from_vec(values), nulls)
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Gives a column of words, each of them a place in a list.
pub fn from_dictionary(places: Vec<i32>, words: Vec<String>) -> PyResult<Column> {
    DictionaryArray::<Int32Type>::try_new(places.into(), Arc::new(StringArray::from(words)))
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Takes a column of 16 bytes a row, big-endian.
pub fn to_digests(column: Column) -> PyResult<Vec<Option<u128>>> {
    let array = digest_array(column)?;
    Ok((0..array.len()).map(|row| digest_at(&array, row)).collect())
}

/// Takes a column of 16 bytes a row without a copy.
pub fn digest_array(column: Column) -> PyResult<FixedSizeBinaryArray> {
    check_type(&column.0, &DataType::FixedSizeBinary(16))?;
    Ok(FixedSizeBinaryArray::from(column.0))
}

/// The digest in a row.
pub fn digest_at(digests: &FixedSizeBinaryArray, row: usize) -> Option<u128> {
    let digest = || u128::from_be_bytes(digests.value(row).try_into().unwrap_or_default());
    (!digests.is_null(row)).then(digest)
}

/// Gives a column of 16 bytes a row, big-endian, null in a row without a digest.
pub fn from_digests(values: &[Option<u128>]) -> PyResult<Column> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.unwrap_or(0).to_be_bytes()).collect();
    let nulls = NullBuffer::from_iter(values.iter().map(Option::is_some));
    FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), Some(nulls))
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Starts of lists of these lengths, one after the other, and the end of the last.
pub fn offsets_of_lengths(lengths: impl Iterator<Item = usize>) -> Vec<i64> {
    let ends = lengths.scan(0, |end, length| {
        *end += length as i64;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Gives a column of sets, one list a row.
pub fn from_sets<T: ArrowPrimitiveType>(column: sets::Column<T::Native>) -> SetColumn {
    PyArrowType(set_array::<T>(column).into_data())
}

/// Sets as an array, one list a row.
pub fn set_array<T: ArrowPrimitiveType>(column: sets::Column<T::Native>) -> LargeListArray {
    let values = PrimitiveArray::<T>::new(ScalarBuffer::from(column.values), None);
    let field = Arc::new(Field::new_list_field(T::DATA_TYPE, false));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(column.offsets));
    LargeListArray::new(field, offsets, Arc::new(values), None)
}

/// Refuses a column of another type; `ilk.arrow` casts before it calls.
pub fn check_type(data: &ArrayData, expected: &DataType) -> PyResult<()> {
    if data.data_type() == expected {
        return Ok(());
    }
    let seen = data.data_type();
    Err(PyTypeError::new_err(format!("expected a column of {expected}, got {seen}")))
}
