//! CSV: rows of fields, quoted ones with line ends in them. The grammar is csv-core's (RFC 4180).
//!
//! One parser says both where a row ends and what its fields hold, so they cannot disagree.

use std::borrow::Cow;
use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use ilk_joins::stop;

use super::{Rows, ValueKind, WantedRows};
use crate::utf8;

/// Fields to read of every row, by number.
#[derive(Debug, Clone, Copy)]
pub struct CsvFields<'a> {
    /// Number of fields that a row must have.
    pub count: usize,
    /// The texts, put together in this order.
    pub texts: &'a [usize],
    /// The id.
    pub id: Option<usize>,
    /// Other columns.
    pub others: &'a [usize],
}

/// Bytes of a row that are read between two looks for Ctrl-C.
const STEP: usize = 1 << 20;

/// Between several texts of one row.
const BETWEEN: &str = "\n\n";

/// Reads the wanted rows of a piece.
///
/// Fields that are not UTF-8 are read with U+FFFD. A row with more or fewer fields than it must
/// have, or with a quote that the file never closes, is bad.
pub fn read_csv(
    piece: &[u8],
    last: bool,
    delimiter: u8,
    fields: CsvFields,
    wanted: WantedRows,
) -> Rows {
    let mut rows = Rows::of(piece, wanted, fields.others.len());
    let mut cutter = Cutter::keeping_byte_order_mark(piece, last, delimiter);
    while let Some(bytes) = cutter.advance() {
        let row = rows.count;
        rows.count += 1;
        if !wanted.has(row) {
            continue;
        }
        match cutter.complain_of_quote_or_field_count(fields.count) {
            Some(reason) => rows.bad.push(row, &bytes, reason),
            None => push_well_formed_row(&mut rows, &cutter, fields),
        }
    }
    rows.read = cutter.whole;
    rows
}

/// The first row of a piece and its fields; `None` if no whole row is there.
#[must_use]
pub fn read_first_row(
    piece: &[u8],
    last: bool,
    delimiter: u8,
) -> Option<(Range<usize>, Vec<String>)> {
    let mut cutter = Cutter::keeping_byte_order_mark(piece, last, delimiter);
    let bytes = cutter.advance()?;
    Some((bytes, (0..cutter.fields).map(|field| cutter.field(field).into_owned()).collect()))
}

/// The rows of a piece, each with its end.
pub fn cut_rows(piece: &[u8], last: bool, delimiter: u8) -> impl Iterator<Item = Range<usize>> {
    let mut cutter = Cutter::keeping_byte_order_mark(piece, last, delimiter);
    std::iter::from_fn(move || cutter.advance())
}

fn push_well_formed_row(rows: &mut Rows, cutter: &Cutter<'_>, fields: CsvFields) {
    let texts: Vec<_> = fields.texts.iter().map(|&field| cutter.field(field)).collect();
    let id = fields.id.map(|field| cutter.field(field));
    let others: Vec<_> = fields.others.iter().map(|&field| cutter.field(field)).collect();
    let lossy = |field: &Cow<'_, str>| matches!(field, Cow::Owned(_));
    rows.replaced += usize::from(texts.iter().chain(&id).any(lossy));
    match &texts[..] {
        [] => rows.texts.push(ValueKind::Missing, None),
        [only] => rows.texts.push(ValueKind::String, Some(only)),
        several => rows.texts.push(ValueKind::String, Some(&several.join(BETWEEN))),
    }
    rows.ids.push(if id.is_some() { ValueKind::String } else { ValueKind::Missing }, id.as_deref());
    for (column, value) in rows.others.iter_mut().zip(others) {
        column.push(ValueKind::String, Some(&value));
    }
}

/// Finds one row after another.
struct Cutter<'a> {
    reader: Reader,
    piece: &'a [u8],
    last: bool,
    /// Bytes of the rows found so far.
    whole: usize,
    /// The fields of the row found last, without quotes, and where they end.
    values: Vec<u8>,
    ends: Vec<usize>,
    fields: usize,
    unclosed: bool,
}

impl<'a> Cutter<'a> {
    fn keeping_byte_order_mark(piece: &'a [u8], last: bool, delimiter: u8) -> Self {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
        // A reader that has read nothing takes a byte order mark away, but this piece may begin
        // anywhere in its file.
        reader.read_record(b"\n", &mut [], &mut []);
        Self {
            reader,
            piece,
            last,
            whole: 0,
            values: vec![0; 1 << 16],
            ends: vec![0; 16],
            fields: 0,
            unclosed: false,
        }
    }

    /// The bytes of the next row with its end; `None` if there is no further whole row.
    fn advance(&mut self) -> Option<Range<usize>> {
        let start = self.whole + count_blank(&self.piece[self.whole..]);
        let mut end = start;
        let (mut value, mut field) = (0, 0);
        loop {
            // Nothing to read means the end of the file to csv-core, even within a row.
            if end == self.piece.len() {
                if start == end || !self.last {
                    // What is left is blank, or a row that goes on in the next piece, which then
                    // begins with it.
                    self.whole = if self.last { end } else { start };
                    return None;
                }
                field += self.end_last_row_and_count_fields(value, field);
                break;
            }
            let step = self.piece.len().min(end + STEP);
            let (result, read, written, ended) = self.reader.read_record(
                &self.piece[end..step],
                &mut self.values[value..],
                &mut self.ends[field..],
            );
            (end, value, field) = (end + read, value + written, field + ended);
            stop::count_work_or_unwind(super::ROW + read);
            match result {
                ReadRecordResult::OutputFull => self.values.resize(2 * self.values.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => break,
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
            }
        }
        if self.piece[..end].ends_with(b"\r") {
            match self.piece.get(end) {
                Some(b'\n') => end += 1,
                None if !self.last => return None, // Its line feed may come with the next piece.
                _ => {}
            }
        }
        (self.whole, self.fields) = (end, field);
        Some(start..end)
    }

    /// Ends the last row of the file, which has no end of its own; how many fields end with it.
    fn end_last_row_and_count_fields(&mut self, value: usize, field: usize) -> usize {
        if self.values.len() == value {
            self.values.push(0);
        }
        if self.ends.len() == field {
            self.ends.push(0);
        }
        let (result, _, _, ended) =
            self.reader.read_record(b"\n", &mut self.values[value..], &mut self.ends[field..]);
        // Within quotes a line end is part of the field.
        self.unclosed = result != ReadRecordResult::Record;
        ended
    }

    fn complain_of_quote_or_field_count(&self, fields: usize) -> Option<String> {
        if self.unclosed {
            return Some("a quote is never closed".to_owned());
        }
        let seen = self.fields;
        let plural = if seen == 1 { "" } else { "s" };
        (seen != fields).then(|| format!("has {seen} field{plural}, and the header has {fields}"))
    }

    fn field(&self, field: usize) -> Cow<'_, str> {
        let start = if field == 0 { 0 } else { self.ends[field - 1] };
        utf8::decode_utf8_lossy(&self.values[start..self.ends[field]])
    }
}

/// Bytes of the blank lines before the next row.
fn count_blank(piece: &[u8]) -> usize {
    piece.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}
