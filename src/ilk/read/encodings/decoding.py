"""The text in the bytes of a document, whatever their encoding. Decoding never fails.

The order: UTF-16 and UTF-32; Japanese and Korean in seven bits; UTF-8; UTF-8 with damaged bytes;
at last the encodings before Unicode. The text is returned as UTF-8, since columns hold UTF-8: for a
document in UTF-8 it is the same object that was read.

Pages: valid UTF-8 beyond ASCII is UTF-8, whatever is declared; no other encoding looks like it by
chance. Otherwise the server's label counts, then the page's label, both interpreted like browsers
do, if the encoding fits the bytes (WHATWG Encoding and HTML, "determining the character encoding");
then the bytes themselves decide.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from ilk import _kernels
from ilk.read.encodings.codepages import find_codepage
from ilk.read.encodings.kinds import (
    FILL,
    HEAD,
    begins_as_known_binary,
    escaped_cjk_encoding_if_any,
    is_binary,
    wide_encoding_if_any,
)

#: The name of the encoding that nearly all documents have.
UTF_8 = "utf-8"

_NOT_ASCII = bytes(range(0x80, 0x100))


class Decoded(NamedTuple):
    """A text as UTF-8; its original encoding; whether U+FFFD replaces some of its bytes."""

    utf8: bytes
    encoding: str
    replaced: bool


def decode(
    content: bytes, *, known_utf8: bool = False, encoding_if_not_unicode: str | None = None
) -> Decoded | None:
    """Return the text in the bytes, without a byte order mark; None if they are binary.

    Args:
        content: the bytes.
        known_utf8: whether they are known to be valid UTF-8.
        encoding_if_not_unicode: the encoding if they are not UTF-8, -16 or -32; None to find it.
    """
    if _kernels.is_utf8_with_only_layout_controls(content) and b"~{" not in content:
        # Nearly all documents: none of what is asked below is true of them.
        if begins_as_known_binary(content):
            return None
        return Decoded(content.removeprefix(codecs.BOM_UTF8), UTF_8, replaced=False)
    if is_binary(content[:HEAD]):
        return None
    if wide := wide_encoding_if_any(content):
        name, mark = wide
        return _decode_or_replace_errors(name, content[mark:])
    if escaped := escaped_cjk_encoding_if_any(content):
        return _decode_or_replace_errors(escaped, content)
    body = content.removeprefix(codecs.BOM_UTF8).rstrip(FILL)
    if known_utf8 or is_utf8(body):
        return Decoded(body, UTF_8, replaced=False)
    # A shell script may contain an archive after its first lines.
    if len(content) > HEAD and is_binary(content):
        return None
    if encoding_if_not_unicode is not None:
        return _decode_or_replace_errors(encoding_if_not_unicode, body)
    return _decode_or_replace_errors(UTF_8 if _is_damaged_utf8(body) else find_codepage(body), body)


def is_utf8(content: bytes) -> bool:
    """Return whether all the bytes are UTF-8."""
    if content.isascii():
        return True
    decoded = _kernels.decode_by_label_keeping_bom("utf-8", content)
    return decoded is not None and not decoded[2]


def python_name_or_lower_case(encoding: str) -> str:
    """Return Python's name of an encoding, or the same in lower case if Python lacks it."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return encoding.lower()


def _is_damaged_utf8(content: bytes) -> bool:
    """Return whether bytes that are not UTF-8 were UTF-8 before a few of them were damaged.

    It was if most characters outside ASCII are sound. By chance at most 0.32 of them are in texts
    of other encodings (measured on 750 of them in 45 encodings; Japanese in EUC-JP is the worst),
    and none in English with a few accents in Latin-1.
    """
    text = content.decode("utf-8", "replace")
    damaged = text.count("\ufffd") - content.count("\ufffd".encode())
    return len(text) - damaged - len(content.translate(None, _NOT_ASCII)) > damaged


def _decode_or_replace_errors(encoding: str, content: bytes) -> Decoded:
    name = python_name_or_lower_case(encoding)
    try:
        return Decoded(content.decode(encoding).encode(), name, replaced=False)
    except UnicodeDecodeError:
        return Decoded(content.decode(encoding, "replace").encode(), name, replaced=True)


#: Characters within which a page must declare its encoding.
_PAGE_HEAD = 1024

_CHARSET = r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{1,40})"
_PARAMETER = re.compile(_CHARSET, re.IGNORECASE)
_META = re.compile(r"<meta[^>]{0,200}?" + _CHARSET, re.IGNORECASE)

#: Encodings that a page with an ASCII label cannot have.
_NO_PAGE = frozenset({"replacement", "UTF-16BE", "UTF-16LE", "x-user-defined"})

#: A control character of U+0080 to U+009F, in UTF-8.
_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")


def decode_page_unless_binary(content: bytes, content_type_header: str) -> Decoded | None:
    """Decode the bytes of a page; None if they are binary.

    Args:
        content: the bytes.
        content_type_header: the type from the server, perhaps with ``charset=``.
    """
    # ASCII may hold the escapes of another encoding.
    plain = b"\x1b" not in content if content.isascii() else is_utf8(content)
    if not (
        plain
        or content.startswith(codecs.BOM_UTF8)
        or wide_encoding_if_any(content) is not None
        or is_binary(content[:HEAD])
    ):
        labels = (
            _PARAMETER.search(content_type_header),
            _META.search(content[:_PAGE_HEAD].decode("latin-1")),
        )
        for label in filter(None, labels):
            if (text := _decode_by_label_if_fitting(label[1], content)) is not None:
                return text
    return decode(content, known_utf8=plain)


def _decode_by_label_if_fitting(label: str, content: bytes) -> Decoded | None:
    """Decode bytes in an encoding; None if it has no such label, or it does not fit them."""
    decoded = _kernels.decode_by_label_keeping_bom(label, content)
    if decoded is None:  # Python knows other spellings, such as latin-1.
        decoded = _kernels.decode_by_label_keeping_bom(python_name_or_lower_case(label), content)
    if decoded is None:
        return None
    utf8, name, replaced = decoded
    # Browsers read the bytes that Windows leaves undefined as controls; no text has those.
    if replaced or (name.startswith("windows-") and _CONTROL.search(utf8)) or name in _NO_PAGE:
        return None
    return Decoded(utf8, python_name_or_lower_case(name), replaced=False)
