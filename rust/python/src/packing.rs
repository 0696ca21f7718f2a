//! Sets as bytes: the numbers of a set one after the other, ascending, little-endian, of 4 bytes
//! each, or of 8 where they are whole hashes.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, UInt32Type, UInt64Type};
use arrow_array::{Array, LargeBinaryArray, LargeListArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer, ToByteSlice};
use arrow_pyarrow::PyArrowType;
use arrow_schema::{DataType, Field};
use ilk_joins::sets;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::columns::{Column, Sets, check_type};

const _: () = assert!(cfg!(target_endian = "little"), "columns are shared with bytes as they are");

/// A number of a set.
pub trait Number: Copy + Ord {
    /// The numbers in bytes; a part of one at the end is left out.
    fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self>;
}

macro_rules! number {
    ($($of:ty)+) => {$(
        impl Number for $of {
            fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
                bytes.as_chunks().0.iter().map(|bytes| Self::from_le_bytes(*bytes))
            }
        }
    )+};
}
number!(u32 u64);

/// Ids of a set in bytes, and how many more values it had before some fell together: whole hashes
/// (`wide`) with one id in common.
pub fn unpack_ids_and_count_merged(bytes: &[u8], wide: bool) -> (Vec<u32>, u32) {
    if !wide {
        return (u32::read_all(bytes).collect(), 0);
    }
    let hashes: Vec<u64> = u64::read_all(bytes).collect();
    let ids = sets::distinct_upper_halves(&hashes);
    let merged = u32::try_from(hashes.len() - ids.len()).unwrap_or(u32::MAX);
    (ids, merged)
}

/// Numbers as bytes.
pub fn pack_numbers<'py, T: ArrowNativeType>(
    py: Python<'py>,
    numbers: &[T],
) -> Bound<'py, PyBytes> {
    PyBytes::new(py, numbers.to_byte_slice())
}

/// Sets of `uint32` or `uint64` as a column of bytes, which shares the memory of their values.
#[pyfunction]
pub fn sets_as_native_bytes_ignoring_nulls(sets: Column) -> PyResult<Column> {
    match sets.0.data_type() {
        DataType::LargeList(field) if field.data_type() == &DataType::UInt64 => {
            pack_sets(Sets::<UInt64Type>::from_large_list_ignoring_nulls(sets)?)
        }
        _ => pack_sets(Sets::<UInt32Type>::from_large_list_ignoring_nulls(sets)?),
    }
}

fn pack_sets<T: ArrowPrimitiveType>(sets: Sets<T>) -> PyResult<Column> {
    let width = size_of::<T::Native>() as i64;
    let (start, last) = (sets.offsets()[0], sets.offsets()[sets.len()]);
    let ends: Vec<i64> = sets.offsets().iter().map(|end| width * (end - start)).collect();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let (start, length) = ((width * start) as usize, (width * (last - start)) as usize);
    LargeBinaryArray::try_new(offsets, sets.values_buffer().slice_with_length(start, length), None)
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The sets in a column of bytes (`large_binary`), of `uint64` if they are `wide`, which share its
/// memory where it is aligned.
#[pyfunction]
pub fn sets_from_bytes_assumed_ascending(packed: Column, wide: bool) -> PyResult<Column> {
    check_type(&packed.0, &DataType::LargeBinary)?;
    let packed = LargeBinaryArray::from(packed.0);
    if packed.null_count() > 0 {
        return Err(PyValueError::new_err("the column must not hold nulls"));
    }
    if wide {
        unpack_sets_assumed_ascending::<UInt64Type>(&packed)
    } else {
        unpack_sets_assumed_ascending::<UInt32Type>(&packed)
    }
}

fn unpack_sets_assumed_ascending<T: ArrowPrimitiveType>(
    packed: &LargeBinaryArray,
) -> PyResult<Column> {
    let width = size_of::<T::Native>();
    if packed.offsets().lengths().any(|length| length % width != 0) {
        return Err(PyValueError::new_err("the bytes of a set are no whole numbers"));
    }
    let start = packed.offsets()[0];
    let ends: Vec<i64> = packed.offsets().iter().map(|end| (end - start) / width as i64).collect();
    let length = (packed.offsets()[packed.len()] - start) as usize;
    let bytes = packed.values().slice_with_length(start as usize, length);
    let aligned = bytes.as_ptr().align_offset(align_of::<T::Native>()) == 0;
    let bytes = if aligned { bytes } else { Buffer::from(bytes.as_slice()) };
    let values = PrimitiveArray::<T>::new(ScalarBuffer::new(bytes, 0, length / width), None);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let field = Arc::new(Field::new_list_field(T::DATA_TYPE, false));
    LargeListArray::try_new(field, offsets, Arc::new(values), None)
        .map(|array| PyArrowType(array.into_data()))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Return whether bytes are a set: whole numbers, of 8 bytes if `wide`, strictly ascending.
#[pyfunction]
pub fn is_set(packed: &[u8], wide: bool) -> bool {
    fn are_whole_numbers_strictly_ascending<T: Number>(bytes: &[u8]) -> bool {
        bytes.len().is_multiple_of(size_of::<T>()) && T::read_all(bytes).is_sorted_by(|a, b| a < b)
    }
    if wide {
        are_whole_numbers_strictly_ascending::<u64>(packed)
    } else {
        are_whole_numbers_strictly_ascending::<u32>(packed)
    }
}
