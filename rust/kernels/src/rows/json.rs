//! JSON lines: one object a line, of which a few fields are read.
//!
//! The grammar is serde_json's, which skips what is not wanted without recursion, keeps numbers as
//! they are spelled, and takes exactly what RFC 8259 allows. As Python's `json` has it, the last one
//! of equal keys counts, and a lone surrogate is no error; here it becomes U+FFFD.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Bad, Kind, Rows, lines};
use crate::utf8;

/// Between several texts of one row.
const BETWEEN: &str = "\n\n";

/// The fields to read. A dot in a name stands for itself, or for a step into an object; where both
/// are there, the longer key counts.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    /// The texts: those that are strings are put together in this order.
    pub texts: &'a [String],
    /// The id: whatever it is, as it is spelled; a string without its quotes.
    pub id: Option<&'a str>,
}

/// Reads the wanted lines of a piece.
pub fn read(piece: &[u8], last: bool, fields: Fields, wanted: super::Wanted) -> Rows {
    let mut rows = Rows::of(piece, wanted);
    rows.read = lines::whole(piece, last);
    let mut reader = Reader::new(fields);
    for (row, bytes) in super::lines(piece, last).enumerate() {
        rows.count += 1;
        if wanted.has(row) {
            match reader.line(&piece[bytes.clone()]) {
                Ok(replaced) => {
                    rows.replaced += usize::from(replaced);
                    reader.push(&mut rows);
                }
                Err(error) => rows.bad.push(Bad { row, bytes, reason: reason(&error) }),
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
struct Reader<'a> {
    wanted: Vec<Wanted<'a>>,
    joined: String,
}

impl<'a> Reader<'a> {
    /// The texts come first among the wanted.
    fn new(fields: Fields<'a>) -> Self {
        let texts = fields.texts.iter().map(|path| Wanted::new(path, true));
        let ids = fields.id.map(|path| Wanted::new(path, false));
        Self { wanted: texts.chain(ids).collect(), joined: String::new() }
    }

    /// Finds what is wanted in a line; whether U+FFFD had to stand for something.
    fn line(&mut self, line: &[u8]) -> serde_json::Result<bool> {
        let text = utf8::text(line);
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
        self.wanted.iter_mut().for_each(Wanted::reset);
        let mut deserializer = serde_json::Deserializer::from_str(line);
        deserializer.deserialize_map(Object { wanted: &mut self.wanted, careful })?;
        deserializer.end()
    }

    /// Appends what was found.
    fn push(&mut self, rows: &mut Rows) {
        let (texts, ids) = self.wanted.split_at(self.wanted.iter().filter(|w| w.text).count());
        let mut found = texts.iter().map(|wanted| &wanted.found).filter(|f| f.kind == Kind::String);
        match (found.next(), found.next()) {
            (None, _) => {
                let kind = texts.iter().map(|wanted| wanted.found.kind).max_by_key(|&k| k as u8);
                rows.texts.push(kind.unwrap_or(Kind::Missing), None);
            }
            (Some(only), None) => rows.texts.push(Kind::String, Some(&only.value)),
            (Some(first), Some(second)) => {
                self.joined.clear();
                self.joined.push_str(&first.value);
                for next in std::iter::once(second).chain(found) {
                    self.joined.push_str(BETWEEN);
                    self.joined.push_str(&next.value);
                }
                rows.texts.push(Kind::String, Some(&self.joined));
            }
        }
        match ids {
            [Wanted { found, .. }, ..] if !matches!(found.kind, Kind::Missing | Kind::Null) => {
                rows.ids.push(found.kind, Some(&found.value));
            }
            ids => rows.ids.push(ids.first().map_or(Kind::Missing, |id| id.found.kind), None),
        }
    }
}

/// A field that is looked for in an object.
struct Wanted<'a> {
    path: &'a str,
    /// Whether nothing but a string counts.
    text: bool,
    /// Length of the longest key seen that `path` begins with.
    longest: Option<usize>,
    /// Whether the key read last is that key.
    meant: bool,
    found: Found,
}

/// What a field holds.
struct Found {
    kind: Kind,
    value: String,
    replaced: bool,
}

impl<'a> Wanted<'a> {
    fn new(path: &'a str, text: bool) -> Self {
        let found = Found { kind: Kind::Missing, value: String::new(), replaced: false };
        Self { path, text, longest: None, meant: false, found }
    }

    fn reset(&mut self) {
        self.longest = None;
        self.found.set(Kind::Missing, "");
    }

    /// Whether the path begins with this key, and no longer one was seen.
    fn fits(&self, key: &[u8]) -> bool {
        let rest = self.path.as_bytes().strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
            && self.longest.is_none_or(|longest| key.len() >= longest)
    }

    /// Takes the value of a key of so many bytes that fits.
    fn take(&mut self, key: usize, raw: &str) -> serde_json::Result<()> {
        self.reset();
        self.longest = Some(key);
        if key == self.path.len() {
            return self.found.set_raw(raw);
        }
        if !raw.starts_with('{') {
            return Ok(());
        }
        let mut inner = Wanted::new(&self.path[key + 1..], self.text);
        serde_json::Deserializer::from_str(raw)
            .deserialize_map(Object { wanted: std::slice::from_mut(&mut inner), careful: true })?;
        self.found = inner.found;
        Ok(())
    }
}

impl Found {
    fn set(&mut self, kind: Kind, value: &str) {
        self.kind = kind;
        self.value.clear();
        self.value.push_str(value);
        self.replaced = false;
    }

    /// Takes a value as it is spelled, which is known to be well formed.
    fn set_raw(&mut self, raw: &str) -> serde_json::Result<()> {
        match raw.as_bytes().first() {
            Some(b'"') => {
                let mut bytes: Vec<u8> =
                    serde_json::Deserializer::from_str(raw).deserialize_bytes(Bytes)?;
                let replaced = replace_surrogates(&mut bytes);
                self.set(Kind::String, &utf8::text(&bytes));
                self.replaced = replaced;
            }
            Some(b'n') => self.set(Kind::Null, ""),
            Some(b't' | b'f') => self.set(Kind::Bool, raw),
            Some(b'{' | b'[') => self.set(Kind::Nested, raw),
            _ => self.set(Kind::Number, raw),
        }
        Ok(())
    }
}

/// Makes U+FFFD of every lone surrogate; both have three bytes. Whether there was one.
fn replace_surrogates(bytes: &mut [u8]) -> bool {
    let (mut at, mut replaced) = (0, false);
    while let Some(next) = memchr::memchr(0xED, &bytes[at..]) {
        at += next + 3;
        // No other character has a second byte as high as this.
        if bytes[at - 2] >= 0xA0 {
            bytes[at - 3..at].copy_from_slice("\u{FFFD}".as_bytes());
            replaced = true;
        }
    }
    replaced
}

/// The object that a line is, or that stands in one.
struct Object<'o, 'w> {
    wanted: &'o mut [Wanted<'w>],
    careful: bool,
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { wanted, careful } = self;
        while let Some(key) = map.next_key_seed(Key { wanted, careful })? {
            let mut meant = wanted.iter_mut().filter(|wanted| wanted.meant);
            match (meant.next(), meant.next()) {
                (None, _) => drop(map.next_value::<IgnoredAny>()?),
                (Some(one), None) if one.text && one.path.len() == key && !careful => {
                    one.longest = Some(key);
                    map.next_value_seed(Text(&mut one.found))?;
                }
                (one, other) => {
                    let raw: &RawValue = map.next_value()?;
                    for wanted in one.into_iter().chain(other).chain(meant) {
                        wanted.take(key, raw.get()).map_err(Error::custom)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A key: its length; those wanted that it fits learn that they are meant.
struct Key<'k, 'w> {
    wanted: &'k mut [Wanted<'w>],
    careful: bool,
}

impl<'de> DeserializeSeed<'de> for Key<'_, '_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        if self.careful { from.deserialize_bytes(self) } else { from.deserialize_str(self) }
    }
}

impl Visitor<'_> for Key<'_, '_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        self.visit_bytes(key.as_bytes())
    }

    fn visit_bytes<E: Error>(self, key: &[u8]) -> Result<Self::Value, E> {
        for wanted in self.wanted {
            wanted.meant = wanted.fits(key);
        }
        Ok(key.len())
    }
}

/// A value of which only a string is kept.
struct Text<'f>(&'f mut Found);

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.set(Kind::String, text);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.set(Kind::Null, "");
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.0.set(Kind::Bool, "");
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.0.set(Kind::Number, "");
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.0.set(Kind::Number, "");
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.0.set(Kind::Number, "");
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        self.0.set(Kind::Nested, "");
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        self.0.set(Kind::Nested, "");
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// The bytes of a string, a lone surrogate among them in three bytes.
struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}
