//! Pieces of files in, columns of the rows in them out.

use std::ops::Range;

use arrow_array::PrimitiveArray;
use arrow_array::types::{Int64Type, UInt8Type};
use ilk_kernels::rows::{self, Field, Rows, WantedRows, csv, json};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::watch::{reserve_for, run_heard};

/// Rows that cannot be read: their numbers, where their bytes begin and end, and why.
type Bad = (Column, Column, Column, Column);

/// Bytes of whole rows; number of all rows; texts, their kinds, ids, their kinds of the wanted rows
/// that can be read; how many of them hold U+FFFD for what is no Unicode; the wanted bad ones; other
/// columns, each with its kinds.
type Read = (usize, usize, Column, Column, Column, Column, usize, Bad, Vec<(Column, Column)>);

/// Bytes of memory for a byte of a piece: its rows, and space to grow.
const PIECE_BYTES: usize = 3;

/// The bytes of a piece, once there is room for what is read of it.
fn piece_of(piece: Column) -> PyResult<PrimitiveArray<UInt8Type>> {
    let piece = columns::number_array::<UInt8Type>(piece)?;
    reserve_for(PIECE_BYTES * piece.values().len())?;
    Ok(piece)
}

/// Reads the JSON lines of a piece.
#[pyfunction]
#[pyo3(signature = (piece, last, texts, id, wanted, others=Vec::new()))]
pub fn json_rows(
    py: Python<'_>,
    piece: Column,
    last: bool,
    texts: Vec<String>,
    id: Option<&str>,
    wanted: Option<Column>,
    others: Vec<String>,
) -> PyResult<Read> {
    let piece = piece_of(piece)?;
    let wanted = wanted.map(columns::to_bools).transpose()?;
    let wanted = WantedRows(wanted.as_deref());
    let fields = json::Fields { texts: &texts, id, others: &others };
    row_columns(run_heard(py, || json::read_json(piece.values(), last, fields, wanted))?)
}

/// Reads the rows of a piece of CSV, each of `count` fields.
#[pyfunction]
#[pyo3(signature = (piece, last, delimiter, count, texts, id, wanted, others=Vec::new()))]
#[allow(clippy::too_many_arguments)] // One per part of the format.
pub fn csv_rows(
    py: Python<'_>,
    piece: Column,
    last: bool,
    delimiter: u8,
    count: usize,
    texts: Vec<usize>,
    id: Option<usize>,
    wanted: Option<Column>,
    others: Vec<usize>,
) -> PyResult<Read> {
    let piece = piece_of(piece)?;
    if texts.iter().chain(&id).chain(&others).any(|&field| field >= count) {
        return Err(PyValueError::new_err(format!("there are fields 0 to {count} only")));
    }
    let wanted = wanted.map(columns::to_bools).transpose()?;
    let wanted = WantedRows(wanted.as_deref());
    let fields = csv::Fields { count, texts: &texts, id, others: &others };
    row_columns(run_heard(py, || csv::read_csv(piece.values(), last, delimiter, fields, wanted))?)
}

/// The fields of the first row of a piece of CSV, and where it begins and ends; none if there is
/// no whole row.
#[pyfunction]
pub fn csv_header(
    py: Python<'_>,
    piece: Column,
    last: bool,
    delimiter: u8,
) -> PyResult<Option<(Vec<String>, usize, usize)>> {
    let piece = piece_of(piece)?;
    let first = run_heard(py, || csv::read_first_row(piece.values(), last, delimiter))?;
    Ok(first.map(|(bytes, names)| (names, bytes.start, bytes.end)))
}

/// The bytes of the wanted lines of a piece of whole ones; with notes, each one's fields are put
/// after those of its object.
#[pyfunction]
#[pyo3(signature = (piece, wanted, notes=None))]
pub fn json_bytes(
    py: Python<'_>,
    piece: Column,
    wanted: Column,
    notes: Option<Column>,
) -> PyResult<Column> {
    let piece = piece_of(piece)?;
    let lines = rows::lines(piece.values(), true);
    wanted_bytes(py, piece.values(), lines, wanted, notes, rows::end_before_brace)
}

/// The bytes of the wanted rows of a piece of whole rows of CSV; with notes, each one's fields are
/// put after those of its row.
#[pyfunction]
#[pyo3(signature = (piece, delimiter, wanted, notes=None))]
pub fn csv_bytes(
    py: Python<'_>,
    piece: Column,
    delimiter: u8,
    wanted: Column,
    notes: Option<Column>,
) -> PyResult<Column> {
    let piece = piece_of(piece)?;
    let all = csv::row_ranges(piece.values(), true, delimiter);
    wanted_bytes(py, piece.values(), all, wanted, notes, rows::end_before_line_feed)
}

fn wanted_bytes(
    py: Python<'_>,
    piece: &[u8],
    rows: impl Iterator<Item = Range<usize>> + Send,
    wanted: Column,
    notes: Option<Column>,
    place: impl Fn(&[u8]) -> (usize, usize) + Send,
) -> PyResult<Column> {
    let wanted = columns::to_bools(wanted)?;
    let wanted = WantedRows(Some(&wanted));
    let Some(notes) = notes else {
        let bytes = run_heard(py, || rows::gather_rows(piece, rows, wanted))?;
        return Ok(columns::from_numbers::<UInt8Type>(bytes));
    };
    let notes = Texts::new(notes)?;
    let noted = (0..notes.len()).map(|row| notes.bytes(row).unwrap_or_default());
    let bytes = run_heard(py, || rows::gather_with_notes(piece, rows, wanted, noted, place))?;
    Ok(columns::from_numbers::<UInt8Type>(bytes))
}

fn row_columns(rows: Rows) -> PyResult<Read> {
    let bad = rows.bad;
    let why = columns::from_words(bad.why, bad.reasons)?;
    let [numbers, starts, ends] =
        [bad.rows, bad.starts, bad.ends].map(columns::from_numbers::<Int64Type>);
    let (texts, text_kinds) = field_columns(rows.texts)?;
    let (ids, id_kinds) = field_columns(rows.ids)?;
    let others = rows.others.into_iter().map(field_columns).collect::<PyResult<_>>()?;
    Ok((
        rows.read,
        rows.count,
        texts,
        text_kinds,
        ids,
        id_kinds,
        rows.replaced,
        (numbers, starts, ends, why),
        others,
    ))
}

fn field_columns(field: Field) -> PyResult<(Column, Column)> {
    let kinds = field.kinds.into_iter().map(|kind| kind as u8).collect();
    Ok((columns::from_strings(field.values)?, columns::from_numbers::<UInt8Type>(kinds)))
}

/// A JSON array that becomes lines, read piece by piece.
#[pyclass(module = "ilk._kernels")]
#[derive(Default)]
pub struct ArrayLines(json::ArrayLines);

#[pymethods]
impl ArrayLines {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Rewrites the next bytes in place.
    fn rewrite(&mut self, py: Python<'_>, memory: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(memory) = PyBuffer::<u8>::get(memory).ok().filter(|memory| !memory.readonly())
        else {
            return Err(PyTypeError::new_err("expected memory of bytes to write to"));
        };
        let mut bytes = memory.to_vec(py)?;
        self.0.rewrite(&mut bytes);
        memory.copy_from_slice(py, &bytes)
    }
}
