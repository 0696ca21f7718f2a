//! The quick way through a line: an object with one text, or a path to some, and perhaps an id,
//! whose values are copied from the line to their column. Whatever is odd is left to the careful
//! way, which knows all rules; what is read here is read there to the same end.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::path::{self, Selector, Step};
use super::{BETWEEN, JsonFields};
use crate::rows::{Rows, ValueKind};
use crate::simd::plain;

/// The steps to a text, and the name of an id, which is no path.
pub(super) struct Quick<'a> {
    steps: Vec<Step<'a>>,
    /// The names of the id, if there is one, and of other columns, none of which is a path.
    aside: Vec<&'a str>,
    has_id: bool,
}

/// A value that is read beside the text: its kind, and where it is in the line.
type Place = (ValueKind, Range<usize>);

/// Those of a line, in the order of their names; none where nothing is.
pub(super) type Places = Vec<Option<Place>>;

impl<'a> Quick<'a> {
    pub(super) fn new(fields: JsonFields<'a>) -> Option<Self> {
        let [text] = fields.texts else { return None };
        let steps = path::read_steps(text)?;
        let is_path = |name: &str| name.contains(['.', '[']);
        // Two readers of one field are left to the careful way.
        let is_same = |name: &str, step: Option<&Step>| matches!(step, Some(Step::Field { name: field, .. }) if *field == name);
        let aside: Vec<&str> =
            fields.id.into_iter().chain(fields.others.iter().map(String::as_str)).collect();
        let is_repeated = |(at, name): (usize, &&str)| aside[..at].contains(name);
        let odd = aside.iter().any(|name| is_path(name) || is_same(name, steps.first()))
            || aside.iter().enumerate().any(is_repeated)
            || steps.windows(2).any(|pair| match pair[0] {
                Step::List(Selector::Where(name, _)) => {
                    is_path(name) || is_same(name, Some(&pair[1]))
                }
                _ => false,
            });
        (!odd).then_some(Self { steps, aside, has_id: fields.id.is_some() })
    }

    /// Appends the row of a line; false if the line is left to the careful way.
    pub(super) fn push_row(&self, line: &[u8], rows: &mut Rows, places: &mut Places) -> bool {
        let Ok(known) = simdutf8::basic::from_utf8(line) else { return false };
        places.clear();
        places.resize(self.aside.len(), None);
        let texts = &mut rows.texts.values;
        if !texts.push_written(|out| self.read_line(line, out, places).is_some()) {
            return false;
        }
        rows.texts.kinds.push(ValueKind::String);
        let value_of = |place: &Option<Place>| match place {
            Some((ValueKind::Null, _)) => (ValueKind::Null, None),
            Some((kind, place)) => (*kind, Some(&known[place.clone()])),
            None => (ValueKind::Missing, None),
        };
        let (id, others) = places.split_at(usize::from(self.has_id));
        let (kind, value) = value_of(id.first().unwrap_or(&None));
        rows.ids.push(kind, value);
        for (column, place) in rows.others.iter_mut().zip(others) {
            let (kind, value) = value_of(place);
            column.push(kind, value);
        }
        true
    }

    /// Appends the text to `out`, and notes where the values aside are.
    fn read_line(&self, line: &[u8], out: &mut Vec<u8>, places: &mut Places) -> Option<()> {
        let mut walk = Walk { line, out, has_text: false };
        let at = walk.walk_object(after_space(line, 0), &self.steps, &self.aside, places)?;
        (walk.has_text && after_space(line, at) == line.len()).then_some(())
    }
}

/// The walk along a path through a line, which appends the strings at its ends to `out`.
struct Walk<'l, 'o> {
    line: &'l [u8],
    out: &'o mut Vec<u8>,
    has_text: bool,
}

impl Walk<'_, '_> {
    /// Follows steps into an object that begins at `at`; returns the place after it. Where the
    /// values of other fields are, those `aside`, goes to `places`.
    fn walk_object(
        &mut self,
        at: usize,
        steps: &[Step],
        aside: &[&str],
        places: &mut [Option<Place>],
    ) -> Option<usize> {
        let [Step::Field { name, path }, rest @ ..] = steps else { return None };
        let line = self.line;
        let mut is_read = false;
        let mut at = place_after_byte(line, at, b'{')?;
        loop {
            let begin = place_after_byte(line, after_space(line, at), b'"')?;
            let end = end_of_plain(line, begin);
            at = after_space(line, place_after_byte(line, end, b'"')?);
            at = after_space(line, place_after_byte(line, at, b':')?);
            let key = &line[begin..end];
            if key == name.as_bytes() {
                if std::mem::replace(&mut is_read, true) {
                    return None; // The last one counts.
                }
                at = self.walk_value(at, rest)?;
            } else if let Some(of) = aside.iter().position(|name| key == name.as_bytes()) {
                let (kind, place) = match line.get(at)? {
                    b'"' => (ValueKind::String, at + 1..end_of_plain(line, at + 1)),
                    b'-' | b'0'..=b'9' => {
                        (ValueKind::Number, at..after_whole_number_of_few_digits(line, at)?)
                    }
                    b'n' => (ValueKind::Null, at..after_word(line, at, b"null")?),
                    b't' => (ValueKind::Bool, at..after_word(line, at, b"true")?),
                    b'f' => (ValueKind::Bool, at..after_word(line, at, b"false")?),
                    _ => return None,
                };
                at = match kind {
                    ValueKind::String => place_after_byte(line, place.end, b'"')?,
                    _ => place.end,
                };
                if places.get_mut(of)?.replace((kind, place)).is_some() {
                    return None;
                }
            } else if path.as_bytes().strip_prefix(key).is_some_and(path::is_boundary) {
                return None; // The longer name counts.
            } else {
                at = skip_value(line, at)?;
            }
            at = after_space(line, at);
            match line.get(at)? {
                b',' => at += 1,
                b'}' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Follows steps from a value that begins at `at`; returns the place after it.
    fn walk_value(&mut self, at: usize, steps: &[Step]) -> Option<usize> {
        match (steps, self.line.get(at)?) {
            ([], b'"') => {
                if std::mem::replace(&mut self.has_text, true) {
                    self.out.extend_from_slice(BETWEEN.as_bytes());
                }
                push_string(self.line, at + 1, self.out)
            }
            ([Step::Field { .. }, ..], b'{') => self.walk_object(at, steps, &[], &mut []),
            ([Step::List(selector), rest @ ..], b'[') => self.walk_list(at, *selector, rest),
            _ => skip_value(self.line, at),
        }
    }

    /// Follows steps from the chosen elements of a list that begins at `at`.
    fn walk_list(&mut self, at: usize, selector: Selector, steps: &[Step]) -> Option<usize> {
        let mut at = after_space(self.line, at + 1);
        if self.line.get(at) == Some(&b']') {
            return Some(at + 1);
        }
        let mut place = 0;
        loop {
            at = match selector {
                Selector::Every => self.walk_value(at, steps)?,
                Selector::At(wanted) if wanted == place => self.walk_value(at, steps)?,
                Selector::Where(name, value) if self.line.get(at) == Some(&b'{') => {
                    self.walk_object_where(at, name, value, steps)?
                }
                _ => skip_value(self.line, at)?,
            };
            at = after_space(self.line, at);
            match self.line.get(at)? {
                b',' => at = after_space(self.line, at + 1),
                b']' => return Some(at + 1),
                _ => return None,
            }
            place += 1;
        }
    }

    /// Follows steps into an object, and takes back what that appended if a field of it has another
    /// value than this one.
    fn walk_object_where(
        &mut self,
        at: usize,
        name: &str,
        value: &str,
        steps: &[Step],
    ) -> Option<usize> {
        // The field may come after the texts: they are written, and taken back if it is not the
        // one.
        let before = (self.out.len(), self.has_text);
        let mut field = [None];
        let end = self.walk_object(at, steps, &[name], &mut field)?;
        let is_meant =
            |(kind, place): Place| kind != ValueKind::Null && &self.line[place] == value.as_bytes();
        if !field.into_iter().flatten().any(is_meant) {
            self.out.truncate(before.0);
            self.has_text = before.1;
        }
        Some(end)
    }
}

/// The place after a byte that must be at `at`.
fn place_after_byte(line: &[u8], at: usize, byte: u8) -> Option<usize> {
    (line.get(at) == Some(&byte)).then_some(at + 1)
}

/// The place after white space.
fn after_space(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    let white = rest.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    at + white.count()
}

/// The first place from `at` on that is no plain character of a string.
fn end_of_plain(line: &[u8], at: usize) -> usize {
    at + plain::plain(line.get(at..).unwrap_or_default())
}

/// Appends a string whose characters begin at `at`; returns the place after it.
fn push_string(line: &[u8], mut at: usize, out: &mut Vec<u8>) -> Option<usize> {
    loop {
        at += plain::push_plain(line.get(at..)?, out);
        at = match line.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => push_escape(line, at + 1, out)?,
            _ => return None,
        };
    }
}

/// Appends the character whose escape goes on at `at`; returns the place after it.
fn push_escape(line: &[u8], at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let plain = match line.get(at)? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        &byte @ (b'"' | b'\\' | b'/') => byte,
        b'u' => {
            let (mut code, mut at) = (hex_unit(line, at + 1)?, at + 5);
            if (0xD800..0xDC00).contains(&code) {
                let low = hex_unit(
                    line,
                    place_after_byte(line, place_after_byte(line, at, b'\\')?, b'u')?,
                )?;
                let low = low.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
                code = 0x1_0000 + ((code - 0xD800) << 10 | low);
                at += 6;
            }
            let mut utf8 = [0; 4];
            out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut utf8).as_bytes());
            return Some(at);
        }
        _ => return None,
    };
    out.push(plain);
    Some(at + 1)
}

/// The number that four digits are.
fn hex_unit(line: &[u8], at: usize) -> Option<u32> {
    line.get(at..at + 4)?
        .iter()
        .try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}

/// The place after a value that is not wanted.
fn skip_value(line: &[u8], mut at: usize) -> Option<usize> {
    match line.get(at)? {
        b'"' => loop {
            at = end_of_plain(line, at + 1);
            match line.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 1,
                _ => return None,
            }
            match line.get(at)? {
                // What is not wanted must be well formed, too: else the careful way would refuse
                // the line.
                b'u' => at = hex_unit(line, at + 1).map(|_| at + 4)?,
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                _ => return None,
            }
        },
        b'-' | b'0'..=b'9' => after_whole_number_of_few_digits(line, at),
        _ => {
            let rest = serde_json::Deserializer::from_slice(&line[at..]);
            let mut values = rest.into_iter::<IgnoredAny>();
            values.next()?.ok()?;
            Some(at + values.byte_offset())
        }
    }
}

/// The place after a word that must be at `at`.
fn after_word(line: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    line.get(at..)?.starts_with(word).then_some(at + word.len())
}

/// The place after a whole number of few digits; others are left to the careful way.
fn after_whole_number_of_few_digits(line: &[u8], at: usize) -> Option<usize> {
    let begin = place_after_byte(line, at, b'-').unwrap_or(at);
    let digits = line[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits == 1 || digits > 1 && line[begin] != b'0';
    // Neither a fraction nor an exponent follows.
    let ends = matches!(line.get(begin + digits)?, b',' | b'}' | b']' | b' ');
    // So few digits fit into any number of serde_json, so that the careful way takes them too.
    (whole && digits < 16 && ends).then_some(begin + digits)
}
