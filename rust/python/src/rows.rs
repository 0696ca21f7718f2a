//! Pieces of files in, columns of the rows in them out.

use std::ops::Range;

use arrow_array::PrimitiveArray;
use arrow_array::types::{Int64Type, UInt8Type};
use ilk_kernels::rows::{self, Field, Rows, WantedRows, csv, json};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::watch::{check_memory_for, run_infallible};

/// Rows that cannot be read: their numbers, where their bytes begin and end, and why.
type BadRows = (Column, Column, Column, Column);

/// Values as they stand in a field, and the kind of each.
type FieldColumns = (Column, Column);

/// The rows of a piece, as Python's `RowCut` has them.
#[derive(IntoPyObject)]
pub struct RowCut(
    /// Bytes of whole rows.
    usize,
    /// Number of all rows.
    usize,
    /// The texts of the wanted rows that can be read, and their kinds.
    Column,
    Column,
    /// Their ids, and the kinds of these.
    Column,
    Column,
    /// Number of those that hold U+FFFD for what is no Unicode.
    usize,
    /// The wanted rows that cannot be read.
    BadRows,
    /// Other columns.
    Vec<FieldColumns>,
);

/// The fields of JSON lines that are read.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct JsonFields {
    texts: Vec<String>,
    id: Option<String>,
    others: Vec<String>,
}

#[pymethods]
impl JsonFields {
    /// The paths of the fields that make a text, of the one with the id, and of others.
    #[new]
    #[pyo3(signature = (*, texts, id, others=Vec::new()))]
    fn new(texts: Vec<String>, id: Option<String>, others: Vec<String>) -> Self {
        Self { texts, id, others }
    }
}

/// The fields of rows of CSV that are read.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct CsvFields {
    count: usize,
    texts: Vec<usize>,
    id: Option<usize>,
    others: Vec<usize>,
}

#[pymethods]
impl CsvFields {
    /// The fields that make a text, the one with the id, and others, of the `count` in a row.
    #[new]
    #[pyo3(signature = (*, count, texts, id, others=Vec::new()))]
    fn new(
        count: usize,
        texts: Vec<usize>,
        id: Option<usize>,
        others: Vec<usize>,
    ) -> PyResult<Self> {
        if texts.iter().chain(&id).chain(&others).any(|&field| field >= count) {
            return Err(PyValueError::new_err(format!("there are fields 0 to {count} only")));
        }
        Ok(Self { count, texts, id, others })
    }
}

/// Bytes of memory for a byte of a piece: its rows, and space to grow.
const PIECE_BYTES: usize = 3;

/// The bytes of a piece, once there is room for what is read of it.
fn check_piece_and_memory(piece: Column) -> PyResult<PrimitiveArray<UInt8Type>> {
    let piece = columns::number_array::<UInt8Type>(piece)?;
    check_memory_for(PIECE_BYTES * piece.values().len())?;
    Ok(piece)
}

/// Reads the JSON lines of a piece, the `last` one of a file or not.
#[pyfunction]
#[pyo3(signature = (piece, last, fields, wanted))]
pub fn read_json_rows(
    py: Python<'_>,
    piece: Column,
    last: bool,
    fields: &JsonFields,
    wanted: Option<Column>,
) -> PyResult<RowCut> {
    let piece = check_piece_and_memory(piece)?;
    let wanted = wanted.map(columns::to_bools).transpose()?;
    let wanted = WantedRows(wanted.as_deref());
    let JsonFields { texts, id, others } = fields;
    let fields = json::JsonFields { texts, id: id.as_deref(), others };
    make_row_cut(run_infallible(py, || json::read_json(piece.values(), last, fields, wanted))?)
}

/// Reads the rows of a piece of CSV, the `last` one of a file or not.
#[pyfunction]
#[pyo3(signature = (piece, last, delimiter, fields, wanted))]
pub fn read_csv_rows(
    py: Python<'_>,
    piece: Column,
    last: bool,
    delimiter: u8,
    fields: &CsvFields,
    wanted: Option<Column>,
) -> PyResult<RowCut> {
    let piece = check_piece_and_memory(piece)?;
    let wanted = wanted.map(columns::to_bools).transpose()?;
    let wanted = WantedRows(wanted.as_deref());
    let &CsvFields { count, ref texts, id, ref others } = fields;
    let fields = csv::CsvFields { count, texts, id, others };
    make_row_cut(run_infallible(py, || {
        csv::read_csv(piece.values(), last, delimiter, fields, wanted)
    })?)
}

/// The first row of a file of CSV.
#[pyclass(frozen, get_all, module = "ilk._kernels")]
pub struct CsvHeader {
    /// The names of the columns.
    names: Vec<String>,
    /// The place of its first byte in the piece.
    start: usize,
    /// The place after its last byte.
    end: usize,
}

/// Reads the first row of a piece of CSV; none if there is no whole row.
#[pyfunction]
pub fn read_csv_header(
    py: Python<'_>,
    piece: Column,
    last: bool,
    delimiter: u8,
) -> PyResult<Option<CsvHeader>> {
    let piece = check_piece_and_memory(piece)?;
    let first = run_infallible(py, || csv::read_first_row(piece.values(), last, delimiter))?;
    Ok(first.map(|(bytes, names)| CsvHeader { names, start: bytes.start, end: bytes.end }))
}

/// The bytes of the wanted lines of a piece of whole ones; with notes, each one's fields are put
/// after those of its object.
#[pyfunction]
#[pyo3(signature = (piece, wanted, notes=None))]
pub fn gather_json_rows(
    py: Python<'_>,
    piece: Column,
    wanted: Column,
    notes: Option<Column>,
) -> PyResult<Column> {
    let piece = check_piece_and_memory(piece)?;
    let lines = rows::nonblank_lines_with_ends(piece.values(), true);
    gather_wanted_rows(py, piece.values(), lines, wanted, notes, rows::end_before_brace)
}

/// The bytes of the wanted rows of a piece of whole rows of CSV; with notes, each one's fields are
/// put after those of its row.
#[pyfunction]
#[pyo3(signature = (piece, delimiter, wanted, notes=None))]
pub fn gather_csv_rows(
    py: Python<'_>,
    piece: Column,
    delimiter: u8,
    wanted: Column,
    notes: Option<Column>,
) -> PyResult<Column> {
    let piece = check_piece_and_memory(piece)?;
    let all = csv::cut_rows(piece.values(), true, delimiter);
    gather_wanted_rows(py, piece.values(), all, wanted, notes, rows::end_before_line_feed)
}

fn gather_wanted_rows(
    py: Python<'_>,
    piece: &[u8],
    rows: impl Iterator<Item = Range<usize>> + Send,
    wanted: Column,
    notes: Option<Column>,
    end_of_fields: impl Fn(&[u8]) -> (usize, usize) + Send,
) -> PyResult<Column> {
    let is_wanted = columns::to_bools(wanted)?;
    let wanted = WantedRows(Some(&is_wanted));
    let notes = notes.map(Texts::from_large_binary).transpose()?;
    let wanted_count = is_wanted.iter().filter(|&&row| row).count();
    let (bytes, row_count) = run_infallible(py, || {
        let mut row_count = 0;
        let rows = rows.inspect(|_| row_count += 1);
        let bytes = match &notes {
            None => rows::gather_rows(piece, rows, wanted),
            Some(notes) => {
                let notes = (0..notes.len()).map(|row| notes.bytes(row).unwrap_or_default());
                rows::gather_with_notes(piece, rows, wanted, notes, end_of_fields)
            }
        };
        (bytes, row_count)
    })?;
    if row_count != is_wanted.len() || notes.is_some_and(|notes| notes.len() != wanted_count) {
        return Err(PyValueError::new_err("there is not a choice for each row, or a note"));
    }
    Ok(columns::from_numbers::<UInt8Type>(bytes))
}

fn make_row_cut(rows: Rows) -> PyResult<RowCut> {
    let bad = rows.bad;
    let why = columns::from_dictionary(bad.why, bad.reasons)?;
    let [numbers, starts, ends] =
        [bad.rows, bad.starts, bad.ends].map(columns::from_numbers::<Int64Type>);
    let (texts, text_kinds) = to_field_columns(rows.texts)?;
    let (ids, id_kinds) = to_field_columns(rows.ids)?;
    let others = rows.others.into_iter().map(to_field_columns).collect::<PyResult<_>>()?;
    Ok(RowCut(
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

fn to_field_columns(field: Field) -> PyResult<FieldColumns> {
    let kinds = field.kinds.into_iter().map(|kind| kind as u8).collect();
    Ok((
        columns::large_binary_from_strings(field.values)?,
        columns::from_numbers::<UInt8Type>(kinds),
    ))
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
    fn rewrite_in_place_unchecked(
        &mut self,
        py: Python<'_>,
        memory: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let Some(memory) = PyBuffer::<u8>::get(memory).ok().filter(|memory| !memory.readonly())
        else {
            return Err(PyTypeError::new_err("expected memory of bytes to write to"));
        };
        let mut bytes = memory.to_vec(py)?;
        self.0.rewrite_in_place(&mut bytes);
        memory.copy_from_slice(py, &bytes)
    }
}
