//! Rows of files that hold many: cut out of a piece of a file, and read for the few fields wanted.
//!
//! A piece is a part of a file that begins where a row begins. [`mod@lines`] and [`csv`] cut it
//! into rows, [`json`] and [`csv`] read them; what is after the last whole row belongs to the next
//! piece. Rows are counted from 0 in their piece. Nothing here knows a file.

use std::collections::HashMap;
use std::ops::Range;

pub mod csv;
pub mod json;
mod lines;
mod strings;
#[cfg(test)]
mod tests;

pub use lines::nonblank_lines_with_ends;
pub use strings::Strings;

/// Bytes that a row counts as for Ctrl-C, in addition to its own: reading a bad one takes a
/// microsecond.
const ROW: usize = 64;

/// Kind of the value in a field of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ValueKind {
    /// Nothing: the row has no such field.
    Missing,
    /// The value `null`.
    Null,
    /// True or false.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An object or a list.
    Nested,
}

/// A column of what is in one field, a row of it for every row read.
#[derive(Debug, Default)]
pub struct Field {
    /// The values as text; null in a row without one.
    pub values: Strings,
    /// Their kinds.
    pub kinds: Vec<ValueKind>,
}

impl Field {
    fn push(&mut self, kind: ValueKind, value: Option<&str>) {
        self.kinds.push(kind);
        self.values.push(value);
    }
}

/// Rows that cannot be read, in columns: each line of a file may be one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UnreadableRows {
    /// Their numbers.
    pub rows: Vec<i64>,
    /// The starts of their bytes.
    pub starts: Vec<i64>,
    /// The ends of their bytes.
    pub ends: Vec<i64>,
    /// Why, as places in `reasons`.
    pub why: Vec<i32>,
    /// The distinct reasons, for people.
    pub reasons: Vec<String>,
    places: HashMap<String, i32>,
}

impl UnreadableRows {
    fn push(&mut self, row: usize, bytes: &Range<usize>, reason: String) {
        self.rows.push(row as i64);
        self.starts.push(bytes.start as i64);
        self.ends.push(bytes.end as i64);
        self.why.push(*self.places.entry(reason).or_insert_with_key(|reason| {
            self.reasons.push(reason.clone());
            self.reasons.len() as i32 - 1
        }));
    }
}

/// Rows read of a piece.
#[derive(Debug, Default)]
pub struct Rows {
    /// Bytes of whole rows; the next piece begins after them.
    pub read: usize,
    /// Number of rows, those that were not wanted and those that cannot be read among them.
    pub count: usize,
    /// The texts of the wanted rows that can be read.
    pub texts: Field,
    /// The ids of the same rows.
    pub ids: Field,
    /// Other columns of the same rows.
    pub others: Vec<Field>,
    /// Number of those rows in which U+FFFD stands for what is no Unicode.
    pub replaced: usize,
    /// The wanted rows that cannot be read.
    pub bad: UnreadableRows,
}

impl Rows {
    /// Room for as much text as the piece can hold, if all of its rows are wanted.
    fn of(piece: &[u8], wanted: WantedRows, others: usize) -> Self {
        let others = std::iter::repeat_with(Field::default).take(others).collect();
        let mut rows = Self { others, ..Self::default() };
        // Unescaping makes no text longer; memory that is not written costs nothing.
        rows.texts.values.reserve(if wanted.0.is_none() { piece.len() } else { 0 });
        rows
    }
}

/// Rows of a piece to write; all of them by default.
#[derive(Debug, Clone, Copy)]
pub struct WantedRows<'a>(pub Option<&'a [bool]>);

impl WantedRows<'_> {
    fn has(self, row: usize) -> bool {
        self.0.is_none_or(|wanted| wanted.get(row) == Some(&true))
    }
}

/// The bytes of the wanted ones among the rows of a piece, one after another.
pub fn gather_rows(
    piece: &[u8],
    rows: impl Iterator<Item = Range<usize>>,
    wanted: WantedRows,
) -> Vec<u8> {
    let mut gathered = Vec::with_capacity(piece.len());
    for (_, bytes) in rows.enumerate().filter(|(row, _)| wanted.has(*row)) {
        gathered.extend_from_slice(&piece[bytes]);
    }
    gathered
}

/// The same, each with more fields at its end: the n-th note goes into the n-th wanted row, where
/// `place` says how much of the row is before it and how much of the note is left out.
pub fn gather_with_notes<'a>(
    piece: &[u8],
    rows: impl Iterator<Item = Range<usize>>,
    wanted: WantedRows,
    notes: impl Iterator<Item = &'a [u8]>,
    place: impl Fn(&[u8]) -> (usize, usize),
) -> Vec<u8> {
    let mut gathered = Vec::with_capacity(piece.len());
    let chosen = rows.enumerate().filter(|(row, _)| wanted.has(*row));
    for ((_, bytes), note) in chosen.zip(notes) {
        let row = &piece[bytes];
        let (at, without) = place(row);
        gathered.extend_from_slice(&row[..at]);
        gathered.extend_from_slice(note.get(without..).unwrap_or_default());
        gathered.extend_from_slice(&row[at..]);
    }
    gathered
}

/// End of a row without its line end.
pub fn end_before_line_feed(row: &[u8]) -> (usize, usize) {
    let end = row.iter().rposition(|byte| !b"\r\n".contains(byte));
    (end.map_or(0, |last| last + 1), 0)
}

/// End of the object that is a line of JSON; in an empty one, a note goes without its comma.
pub fn end_before_brace(row: &[u8]) -> (usize, usize) {
    let end = row.trim_ascii_end().len().saturating_sub(1);
    let empty = row[..end].trim_ascii_end().ends_with(b"{") && row[..end].trim_ascii().len() == 1;
    (end, usize::from(empty))
}
