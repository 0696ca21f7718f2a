//! The fields that are looked for in an object, and what they hold.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::BETWEEN;
use super::path::{self, Selector};
use crate::rows::ValueKind;
use crate::utf8;

/// A field that is looked for in an object.
pub(super) struct WantedField<'a> {
    path: &'a str,
    /// True if nothing but a string counts.
    pub(super) text: bool,
    /// Length of the longest key seen that `path` begins with.
    longest: Option<usize>,
    /// True if the key read last is that key.
    meant: bool,
    pub(super) found: FieldValue,
}

/// Value of a field.
pub(super) struct FieldValue {
    pub(super) kind: ValueKind,
    pub(super) value: String,
    pub(super) replaced: bool,
}

impl<'a> WantedField<'a> {
    pub(super) fn new(path: &'a str, text: bool) -> Self {
        Self { path, text, longest: None, meant: false, found: FieldValue::nothing() }
    }

    pub(super) fn reset(&mut self) {
        self.longest = None;
        self.found.set(ValueKind::Missing, "");
    }

    /// Return whether the path begins with this key. Of several keys that it begins with, the
    /// longest counts.
    fn fits_longest_key_so_far(&self, key: &[u8]) -> bool {
        let rest = self.path.as_bytes().strip_prefix(key);
        rest.is_some_and(path::is_boundary)
            && self.longest.is_none_or(|longest| key.len() >= longest)
    }

    /// Takes the value of a key that fits and is `key` bytes long.
    fn take_value(&mut self, key: usize, raw: &str) -> serde_json::Result<()> {
        // The last of equal keys counts, also where it holds less than the one before.
        self.reset();
        self.longest = Some(key);
        self.found = value_at(&self.path[key..], raw, self.text)?;
        Ok(())
    }
}

/// The value to which the rest of a path leads from a value; nothing if it leads nowhere.
fn value_at(rest: &str, raw: &str, text: bool) -> serde_json::Result<FieldValue> {
    if rest.is_empty() {
        let mut found = FieldValue::nothing();
        found.set_raw(raw)?;
        return Ok(found);
    }
    if let Some(name) = rest.strip_prefix('.') {
        return if raw.starts_with('{') {
            field_of_object(name, raw, text)
        } else {
            Ok(FieldValue::nothing())
        };
    }
    match path::read_selector(rest) {
        // Only texts lead into lists: they are joined, and an id is one value.
        Some((selector, after)) if text => join_texts_in_list(selector, after, raw),
        _ => Ok(FieldValue::nothing()),
    }
}

/// The value at a path in an object.
fn field_of_object(path: &str, raw: &str, text: bool) -> serde_json::Result<FieldValue> {
    let mut inner = WantedField::new(path, text);
    serde_json::Deserializer::from_str(raw)
        .deserialize_map(Object { wanted: std::slice::from_mut(&mut inner), careful: true })?;
    Ok(inner.found)
}

/// The strings to which the rest of a path leads from the chosen elements of a list, joined;
/// without any, the kind of what is there instead. A list without elements counts as null.
fn join_texts_in_list(selector: Selector, rest: &str, raw: &str) -> serde_json::Result<FieldValue> {
    let mut joined = FieldValue::nothing();
    if !raw.starts_with('[') {
        joined.kind = if raw.starts_with('n') { ValueKind::Null } else { ValueKind::Missing };
        return Ok(joined);
    }
    let elements: Vec<&RawValue> = serde_json::from_str(raw)?;
    if elements.is_empty() {
        joined.kind = ValueKind::Null;
    }
    for (place, element) in elements.into_iter().enumerate() {
        if !is_chosen(selector, place, element.get())? {
            continue;
        }
        let found = value_at(rest, element.get(), true)?;
        match (found.kind, joined.kind) {
            (ValueKind::String, ValueKind::String) => {
                joined.value.push_str(BETWEEN);
                joined.value.push_str(&found.value);
                joined.replaced |= found.replaced;
            }
            (ValueKind::String, _) => joined = found,
            (_, ValueKind::String) => {}
            // No string yet: the greatest kind counts, as where a row has several texts.
            (other, kind) => joined.kind = if other as u8 > kind as u8 { other } else { kind },
        }
    }
    Ok(joined)
}

/// Return whether an element of a list is one that a selector takes.
fn is_chosen(selector: Selector, place: usize, raw: &str) -> serde_json::Result<bool> {
    Ok(match selector {
        Selector::Every => true,
        Selector::At(at) => place == at,
        Selector::Where(name, value) if raw.starts_with('{') => {
            let found = field_of_object(name, raw, false)?;
            let plain =
                matches!(found.kind, ValueKind::String | ValueKind::Number | ValueKind::Bool);
            plain && found.value == value
        }
        Selector::Where(..) => false,
    })
}

impl FieldValue {
    fn nothing() -> Self {
        Self { kind: ValueKind::Missing, value: String::new(), replaced: false }
    }

    fn set(&mut self, kind: ValueKind, value: &str) {
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
                let replaced = replace_encoded_surrogates(&mut bytes);
                self.set(ValueKind::String, &utf8::decode_utf8_lossy(&bytes));
                self.replaced = replaced;
            }
            Some(b'n') => self.set(ValueKind::Null, ""),
            Some(b't' | b'f') => self.set(ValueKind::Bool, raw),
            Some(b'{' | b'[') => self.set(ValueKind::Nested, raw),
            _ => self.set(ValueKind::Number, raw),
        }
        Ok(())
    }
}

/// Makes U+FFFD of every lone surrogate; both have three bytes. Returns whether there was one.
fn replace_encoded_surrogates(bytes: &mut [u8]) -> bool {
    let (mut at, mut replaced) = (0, false);
    while let Some(next) = memchr::memchr(0xED, &bytes[at..]) {
        // 0xED begins characters from U+D000 to U+DFFF alone, which all have three bytes.
        at += next + 3;
        // No other character has a second byte as high as this.
        if bytes[at - 2] >= 0xA0 {
            bytes[at - 3..at].copy_from_slice("\u{FFFD}".as_bytes());
            replaced = true;
        }
    }
    replaced
}

/// The object that a line is, or that is in one.
pub(super) struct Object<'o, 'w> {
    pub(super) wanted: &'o mut [WantedField<'w>],
    pub(super) careful: bool,
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { wanted, careful } = self;
        while let Some(key) = map.next_key_seed(KeyLengthMarkingMeantFields { wanted, careful })? {
            let mut meant = wanted.iter_mut().filter(|wanted| wanted.meant);
            match (meant.next(), meant.next()) {
                (None, _) => drop(map.next_value::<IgnoredAny>()?),
                // Nearly always: one field wants the value, and as a text. It is decoded once,
                // straight to its place.
                (Some(one), None) if one.text && one.path.len() == key && !careful => {
                    one.longest = Some(key);
                    map.next_value_seed(Text(&mut one.found))?;
                }
                (one, other) => {
                    // Several want it, or a path leads into it: each reads the value as it stands.
                    let raw: &RawValue = map.next_value()?;
                    for wanted in one.into_iter().chain(other).chain(meant) {
                        wanted.take_value(key, raw.get()).map_err(Error::custom)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A key: its length; those wanted that it fits learn that they are meant.
struct KeyLengthMarkingMeantFields<'k, 'w> {
    wanted: &'k mut [WantedField<'w>],
    careful: bool,
}

impl<'de> DeserializeSeed<'de> for KeyLengthMarkingMeantFields<'_, '_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        if self.careful { from.deserialize_bytes(self) } else { from.deserialize_str(self) }
    }
}

impl Visitor<'_> for KeyLengthMarkingMeantFields<'_, '_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        self.visit_bytes(key.as_bytes())
    }

    fn visit_bytes<E: Error>(self, key: &[u8]) -> Result<Self::Value, E> {
        for wanted in self.wanted {
            wanted.meant = wanted.fits_longest_key_so_far(key);
        }
        Ok(key.len())
    }
}

/// A value that is kept if it is a string.
struct Text<'f>(&'f mut FieldValue);

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
        self.0.set(ValueKind::String, text);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.set(ValueKind::Null, "");
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.0.set(ValueKind::Bool, "");
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.0.set(ValueKind::Number, "");
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.0.set(ValueKind::Number, "");
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.0.set(ValueKind::Number, "");
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        self.0.set(ValueKind::Nested, "");
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        self.0.set(ValueKind::Nested, "");
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
