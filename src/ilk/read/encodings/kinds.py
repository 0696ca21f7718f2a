"""Text or binary, and wide or not: judged by the bytes, never by the extension or one NUL.

Containers, which may hold nothing but text, are recognised by their first bytes. Everything else is
judged by the share of control bytes. Measured on the first 64 kB of 345,000 files (/usr, /etc,
/var/lib, eight Python installations, a Rust tool chain, labelled texts in 60 encodings):

- In UTF-8, texts reach 0.088 (lists whose items end in NUL); binaries begin at 0.197 (compiled
  terminal descriptions). The limit is 0.1.
- In other bytes, texts in older encodings reach 0.0001, except for three; binaries begin at 0.0005.
  The limit is 0.001.

Bytes 0x80 to 0x9f do not count: they are letters and quotes in most older encodings. Nor does what
fills a text up to a block, NUL and ^Z at its end; and where only these are within it too, a
hundredth of them makes no binary.

UTF-16 and UTF-32 are recognised by their byte order mark, or else when they decode without an
error, to characters nearly all of which are assigned and none of them controls, and to spaces, line
ends or CJK stops as often as texts have them: of the 119,459 of these files with a NUL byte, the 24
texts have 0.049 and more of them, and others at most 0.002.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from typing import NamedTuple

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 1 << 16
#: Bytes of any kind decode as units of two bytes; spaces, line ends and stops show that they are
#: text. Of random units they are one in 13,000.
_SEPARATORS = " \n\u3000\u3001\u3002"
_LEAST_SEPARATORS = 0.01
#: Characters that no sound text has, while a damaged one may have some. At a tenth, a compiled
#: catalogue of messages and an entry of terminfo, both binary, were taken for UTF-16.
_MOST_UNWRITTEN = 0.01
_LAYOUT = frozenset("\b\t\n\f\r\x1b")


class WideEncoding(NamedTuple):
    """An encoding of units of two or four bytes, and the length of the mark before the text."""

    name: str
    mark_length: int


def wide_encoding_if_any(content: bytes) -> WideEncoding | None:
    """Return the encoding ("utf-16-le") and the length of its mark; None if it is not wide."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            text = content[len(mark) : _SAMPLE].decode(encoding, "replace")
            if _share_of_characters_not_in_texts(text) <= _MOST_UNWRITTEN:
                return WideEncoding(encoding, len(mark))
    # A wide text has spaces, line ends or digits, each of them with a NUL byte.
    if 0 not in content[:_SAMPLE]:
        return None
    for _, encoding in _MARKS:
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(content[:_SAMPLE])
        except UnicodeDecodeError:
            continue
        separators = sum(map(text.count, _SEPARATORS))
        if (
            separators > _LEAST_SEPARATORS * len(text)
            and _share_of_characters_not_in_texts(text) <= _MOST_UNWRITTEN
        ):
            return WideEncoding(encoding, 0)
    return None


def _share_of_characters_not_in_texts(text: str) -> float:
    """Return the share of controls, and of unassigned, private and replaced characters."""
    strange = sum(
        count
        for char, count in Counter(text).items()
        if char == "\ufffd"
        or (unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") and char not in _LAYOUT)
    )
    return strange / max(1, len(text))


HEAD = 1 << 16
"""How many bytes at the start of a file are enough to tell that it is binary."""

#: The largest share of control characters in UTF-8, which other bytes are hardly ever by chance,
#: and in any other text. Of 12,000 files below /usr and in this repository, 3,060 have controls,
#: and 3,055 of these are binary. With a third of either share, or three times as much, one file
#: would be classified differently: a text with 5 to 10 % of controls (``urm.vim``).
_MOST_CONTROLS = 0.1
_MOST_CONTROLS_IF_NOT_UTF8 = 0.001
_CONTROLS = bytes(sorted({*range(32), 127} - set(b"\b\t\n\f\r\x1b")))

#: What fills blocks; the most of it within a text, and the most of letters outside ASCII there.
FILL = b"\0\x1a"
_MOST_FILL, _MOST_LETTERS = 0.01, 0.1

#: How a container of other files, a picture or a program begins.
KNOWN_BINARY_BEGINNINGS = (
    b"%PDF-",
    b"PK\x03\x04",  # Zip: Office Open XML, OpenDocument, EPUB, JAR.
    b"PK\x05\x06",  # An empty zip.
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # OLE2: Office up to 2003.
    b"\x1f\x8b",  # gzip.
    b"BZh91AY&SY",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",  # Zstandard.
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"!<arch>\n",  # Static libraries and Debian packages.
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",  # JPEG.
    b"GIF87a",
    b"GIF89a",
    b"\x7fELF",
)
#: The magic of a tar, and its offset: a tar of texts has controls only in its headers.
TAR_MAGIC, TAR_OFFSET = b"ustar", 257

_ESCAPES = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$B", "iso2022_jp_2"), (b"\x1b$@", "iso2022_jp_2"))


def is_binary(content: bytes) -> bool:
    """Return whether these bytes, of a whole file or its first `HEAD` bytes, are not text."""
    if begins_as_known_binary(content):
        return True
    if not any(map(content.__contains__, _CONTROLS)):
        return False  # Finding none takes half as long as counting them.
    controls = len(content) - len(content.translate(None, _CONTROLS))
    if controls <= max(1, _MOST_CONTROLS_IF_NOT_UTF8 * len(content)):
        return False
    if wide_encoding_if_any(content) or escaped_cjk_encoding_if_any(content):
        return False
    content = content.rstrip(FILL)
    if not content:
        return True
    controls = len(content) - len(content.translate(None, _CONTROLS))
    if controls == content.count(b"\0") + content.count(b"\x1a"):
        few = controls <= max(1, _MOST_FILL * len(content))
        if few and len(content.translate(None, bytes(range(128)))) <= _MOST_LETTERS * len(content):
            return False
    try:
        codecs.utf_8_decode(content, "strict", False)  # A character may be cut off at the end.
    except UnicodeDecodeError:
        return True
    return controls > _MOST_CONTROLS * len(content)


def begins_as_known_binary(content: bytes) -> bool:
    """Return whether bytes begin as a file that holds others, a picture or a program does."""
    return content.startswith(KNOWN_BINARY_BEGINNINGS) or content.startswith(TAR_MAGIC, TAR_OFFSET)


#: A stretch of Chinese in HZ, of pairs of bytes; and the pairs of the common characters and stops.
#: Of random pairs a half are among these, so that four have all of them in one case of 17.
_HZ = re.compile(rb"~\{((?:[\x21-\x77][\x21-\x7e])+)~\}")
_HZ_COMMON = re.compile(rb"(?s)[\x21-\x23\x30-\x57].")
_LEAST_HZ, _LEAST_COMMON = 4, 0.8


def escaped_cjk_encoding_if_any(content: bytes) -> str | None:
    """Return the 7-bit encoding of Chinese, Japanese or Korean by its escapes; else None."""
    if b"~{" in content and _is_hz(content):
        return "hz"
    if b"\x1b" not in content:
        return None  # Searching for one byte is ten times as fast as for several.
    for escape, encoding in _ESCAPES:
        if escape in content:
            try:
                text = codecs.getincrementaldecoder(encoding)().decode(content)
            except UnicodeDecodeError:
                continue
            if not text.isascii():
                return encoding
    return None


def _is_hz(content: bytes) -> bool:
    """Return whether all that is between ``~{`` and ``~}`` is Chinese (RFC 1843); formats in Lisp
    have the same marks, and other things between them.
    """
    stretches = _HZ.findall(content)
    pairs = [text[at : at + 2] for text in stretches for at in range(0, len(text), 2)]
    common = sum(bool(_HZ_COMMON.match(pair)) for pair in pairs)
    if len(stretches) < content.count(b"~{") or len(pairs) < _LEAST_HZ:
        return False
    try:
        content.decode("hz")
    except UnicodeDecodeError:
        return False
    return common >= _LEAST_COMMON * len(pairs)
