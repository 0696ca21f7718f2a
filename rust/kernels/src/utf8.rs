//! Bytes that may not be UTF-8, as text.

use std::borrow::Cow;

use memchr::memmem;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text in some bytes; where they are not UTF-8, with U+FFFD, and then in memory of its own.
///
/// Nearly all bytes are UTF-8, and simdutf8 says so ten times as fast as the standard library's
/// lossy conversion.
#[must_use]
pub fn decode_utf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// Return whether bytes are UTF-8, and none of their characters of ASCII is a control but those that
/// lay out lines: `\b`, `\t`, `\n`, `\f` and `\r`.
#[must_use]
pub fn is_utf8_with_only_layout_controls(bytes: &[u8]) -> bool {
    let is_control = |byte: u8| (byte < b' ' && !matches!(byte, 8..=10 | 12 | 13)) || byte == 127;
    // Blocks without a branch inside, which the compiler turns into vectors.
    let no_controls = bytes
        .chunks(64)
        .all(|block| !block.iter().fold(false, |any, &byte| any | is_control(byte)));
    no_controls && simdutf8::basic::from_utf8(bytes).is_ok()
}

/// Bytes at the start of a content in which early marks count: as many as `EARLY` of
/// `read/formats/table.py`, by which `recognise_format_if_known` looks, and never fewer.
const EARLY: usize = 1024;

/// The mark of Chinese in HZ, which is ASCII (RFC 1843).
const HZ_MARK: &[u8] = b"~{";

/// Signs that a text in UTF-8 may be of a format with a reader of its own.
///
/// Too many signs cost time alone: whoever reads such a text looks closer.
#[derive(Clone, Debug)]
pub struct FormatSigns {
    /// Beginnings, at the start or after white space.
    pub beginnings: Vec<Vec<u8>>,
    /// Marks anywhere in the first `EARLY` bytes.
    pub early_marks: Vec<Vec<u8>>,
}

impl FormatSigns {
    /// Return whether a content is plain text in UTF-8: no control character but those that lay
    /// out lines, no byte order mark, no sign of a format, no header field or number of a subtitle
    /// first, and no Chinese in HZ.
    #[must_use]
    pub fn admit_as_plain_utf8_text(&self, content: &[u8]) -> bool {
        let text = content.trim_ascii_start();
        let early = &content[..content.len().min(EARLY)];
        !(text.starts_with(BYTE_ORDER_MARK)
            || self.beginnings.iter().any(|beginning| text.starts_with(beginning))
            || begins_as_header_field(text)
            || begins_as_number_alone(text)
            || self.early_marks.iter().any(|mark| memmem::find(early, mark).is_some())
            || memmem::find(content, HZ_MARK).is_some())
            && is_utf8_with_only_layout_controls(content)
    }
}

/// Return whether a text begins as a field of a message does, such as `Subject: `.
fn begins_as_header_field(text: &[u8]) -> bool {
    let name = text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    name > 0
        && text.get(name) == Some(&b':')
        && text.get(name + 1).is_some_and(u8::is_ascii_whitespace)
}

/// Return whether a text begins with a number and the end of a line, as subtitles do.
fn begins_as_number_alone(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && text.get(digits).is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_counts_where_it_stands_for_a_format() {
        let signs = FormatSigns {
            beginnings: vec![b"{".to_vec(), b"From ".to_vec()],
            early_marks: vec![b"%PDF-".to_vec()],
        };
        let far = format!("{}%PDF-", "a ".repeat(EARLY));
        for plain in
            ["a text {", "", "Re : From ", "-\n", "caf\u{e9}: x", "a b: c", "a:b", "19 \n", &far]
        {
            assert!(signs.admit_as_plain_utf8_text(plain.as_bytes()), "{plain:?}");
        }
        for other in [
            "\t{}",
            "From ",
            "Subject: ",
            "19\r\n",
            "x-y: z",
            "\u{feff}a",
            "a %PDF-",
            "a ~{",
            "a \0",
            "a \x1b",
        ] {
            assert!(!signs.admit_as_plain_utf8_text(other.as_bytes()), "{other:?}");
        }
        assert!(!signs.admit_as_plain_utf8_text(b"caf\xe9"));
    }

    #[test]
    fn one_control_anywhere_or_one_damaged_byte_is_not_plain() {
        let text = "a line\r\n\tof \u{8}text\u{c}, é漢😀 ".repeat(9);
        let is_plain = is_utf8_with_only_layout_controls;
        assert!(is_plain(text.as_bytes()) && is_plain(b""));
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            for byte in (0..=255u8)
                .filter(|byte| !byte.is_ascii_graphic() && !matches!(byte, b' ' | 8..=10 | 12 | 13))
            {
                let mut changed = text.clone().into_bytes();
                changed.insert(at, byte);
                assert!(!is_plain(&changed), "{byte:#x} at {at}");
            }
        }
    }

    #[test]
    fn only_what_is_no_utf_8_is_changed() {
        for bytes in [&b""[..], b"plain", "é漢😀\0".as_bytes()] {
            assert!(
                matches!(decode_utf8_lossy(bytes), Cow::Borrowed(found) if found.as_bytes() == bytes)
            );
        }
        for bytes in [&b"\xff"[..], b"caf\xe9", b"\xed\xa0\x80", b"cut \xe6\xbc", b"\xc0\x80"] {
            let found = decode_utf8_lossy(bytes);
            assert!(matches!(found, Cow::Owned(_)) && found.contains('\u{FFFD}'), "{bytes:?}");
            assert_eq!(found, String::from_utf8_lossy(bytes));
        }
    }
}
