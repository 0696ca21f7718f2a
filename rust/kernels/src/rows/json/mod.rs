//! JSON lines: one object a line; a few of its fields are read.
//!
//! The grammar is serde_json's, which skips what is not wanted without recursion, keeps numbers as
//! they are spelled, and takes exactly what RFC 8259 allows. As Python's `json` has it, the last
//! one of equal keys counts, and a lone surrogate is no error; here it becomes U+FFFD.

mod array;
mod field;
mod path;
mod quick;

use std::borrow::Cow;

use serde::de::{Deserializer, IgnoredAny};

pub use array::ArrayLines;

use super::{Field, Rows, ValueKind, lines};
use crate::utf8;
use field::{Object, WantedField};
use quick::{Places, Quick};

/// Between several texts of one row.
const BETWEEN: &str = "\n\n";

/// The fields to read. A dot in a name stands for itself, or for a step into an object, and
/// brackets for themselves, or for a step into a list; where both are there, the longer key counts.
#[derive(Debug, Clone, Copy)]
pub struct JsonFields<'a> {
    /// The texts: those that are strings are put together in this order. They may lead into lists.
    pub texts: &'a [String],
    /// The id: whatever it is, as it is spelled; a string without its quotes.
    pub id: Option<&'a str>,
    /// Other columns, read as ids are.
    pub others: &'a [String],
}

/// Reads the wanted lines of a piece.
pub fn read_json(piece: &[u8], last: bool, fields: JsonFields, wanted: super::WantedRows) -> Rows {
    let mut rows = Rows::of(piece, wanted, fields.others.len());
    rows.read = lines::whole_lines(piece, last);
    let (quick, mut reader, mut places) =
        (Quick::new(fields), CarefulReader::new(fields), Places::new());
    for (row, bytes) in super::nonblank_lines_with_ends(piece, last).enumerate() {
        rows.count += 1;
        if wanted.has(row) {
            let line = &piece[bytes.clone()];
            if quick.as_ref().is_some_and(|quick| quick.push_row(line, &mut rows, &mut places)) {
                continue;
            }
            match reader.read_line_and_say_if_replaced(line) {
                Ok(replaced) => {
                    rows.replaced += usize::from(replaced);
                    reader.push_row(&mut rows);
                }
                Err(error) => rows.bad.push(row, &bytes, reason(&error)),
            }
        }
    }
    rows
}

/// serde_json's own words, without the number of the line, which is always its first.
fn reason(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// Reads lines, its memory kept from one to the next.
struct CarefulReader<'a> {
    /// The texts, the id if there is one, and the others.
    wanted: Vec<WantedField<'a>>,
    texts: usize,
    has_id: bool,
    joined: String,
}

impl<'a> CarefulReader<'a> {
    fn new(fields: JsonFields<'a>) -> Self {
        let texts = fields.texts.iter().map(|path| WantedField::new(path, true));
        let others = fields.id.into_iter().chain(fields.others.iter().map(String::as_str));
        let others = others.map(|path| WantedField::new(path, false));
        Self {
            wanted: texts.chain(others).collect(),
            texts: fields.texts.len(),
            has_id: fields.id.is_some(),
            joined: String::new(),
        }
    }

    /// Finds what is wanted in a line. U+FFFD may have to stand for something.
    fn read_line_and_say_if_replaced(&mut self, line: &[u8]) -> serde_json::Result<bool> {
        let text = utf8::decode_utf8_lossy(line);
        let replaced = matches!(text, Cow::Owned(_));
        // What the quick way cannot read is malformed, or odd: a lone surrogate, a number that no
        // float holds. The careful way, which decodes nothing before it must, tells them apart.
        if self.parse(&text, false).is_ok() {
            return Ok(replaced);
        }
        serde_json::from_str::<IgnoredAny>(&text)?;
        self.parse(&text, true)?;
        Ok(replaced || self.wanted.iter().any(|wanted| wanted.found.replaced))
    }

    fn parse(&mut self, line: &str, careful: bool) -> serde_json::Result<()> {
        self.wanted.iter_mut().for_each(WantedField::reset);
        let mut deserializer = serde_json::Deserializer::from_str(line);
        deserializer.deserialize_map(Object { wanted: &mut self.wanted, careful })?;
        deserializer.end()
    }

    /// Appends what was found.
    fn push_row(&mut self, rows: &mut Rows) {
        let (texts, others) = self.wanted.split_at(self.texts);
        let (id, others) = others.split_at(usize::from(self.has_id));
        let mut found =
            texts.iter().map(|wanted| &wanted.found).filter(|f| f.kind == ValueKind::String);
        match (found.next(), found.next()) {
            (None, _) => {
                let kind = texts.iter().map(|wanted| wanted.found.kind).max_by_key(|&k| k as u8);
                rows.texts.push(kind.unwrap_or(ValueKind::Missing), None);
            }
            (Some(only), None) => rows.texts.push(ValueKind::String, Some(&only.value)),
            (Some(first), Some(second)) => {
                self.joined.clear();
                self.joined.push_str(&first.value);
                for next in std::iter::once(second).chain(found) {
                    self.joined.push_str(BETWEEN);
                    self.joined.push_str(&next.value);
                }
                rows.texts.push(ValueKind::String, Some(&self.joined));
            }
        }
        let push = |field: &mut Field, wanted: Option<&WantedField>| {
            let kind = wanted.map_or(ValueKind::Missing, |wanted| wanted.found.kind);
            let value = wanted.filter(|_| !matches!(kind, ValueKind::Missing | ValueKind::Null));
            field.push(kind, value.map(|wanted| wanted.found.value.as_str()));
        };
        push(&mut rows.ids, id.first());
        for (column, wanted) in rows.others.iter_mut().zip(others) {
            push(column, Some(wanted));
        }
    }
}
