//! Bytes that may not be UTF-8, as text.

use std::borrow::Cow;

/// The text in some bytes; where they are not UTF-8, with U+FFFD, and then in memory of its own.
///
/// Nearly all bytes are UTF-8, and simdutf8 says so ten times as fast as the standard library's
/// lossy conversion.
#[must_use]
pub fn read_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(String::from_utf8_lossy(bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_no_utf_8_is_changed() {
        for bytes in [&b""[..], b"plain", "é漢😀\0".as_bytes()] {
            assert!(matches!(read_utf8(bytes), Cow::Borrowed(found) if found.as_bytes() == bytes));
        }
        for bytes in [&b"\xff"[..], b"caf\xe9", b"\xed\xa0\x80", b"cut \xe6\xbc", b"\xc0\x80"] {
            let found = read_utf8(bytes);
            assert!(matches!(found, Cow::Owned(_)) && found.contains('\u{FFFD}'), "{bytes:?}");
            assert_eq!(found, String::from_utf8_lossy(bytes));
        }
    }
}
