"""Decoding pages in the encoding that the server or the page declares.

Valid UTF-8 beyond ASCII is UTF-8, whatever is declared: no other encoding looks like it by chance.
Otherwise the server's label counts, then the page's label, both interpreted like browsers do, if
the encoding fits the bytes (WHATWG Encoding and HTML, "determining the character encoding"); then
the bytes themselves decide.
"""

from __future__ import annotations

import codecs
import re

from ilk import _kernels
from ilk.read.encodings.decoding import Decoded, decode, is_utf8, python_name
from ilk.read.encodings.kinds import HEAD, is_binary
from ilk.read.encodings.wide import wide_encoding

#: Characters within which a page must declare its encoding.
_HEAD = 1024

_CHARSET = r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{1,40})"
_PARAMETER = re.compile(_CHARSET, re.IGNORECASE)
_META = re.compile(r"<meta[^>]{0,200}?" + _CHARSET, re.IGNORECASE)

#: Encodings that a page with an ASCII label cannot have.
_NO_PAGE = frozenset({"replacement", "UTF-16BE", "UTF-16LE", "x-user-defined"})

#: A control character of U+0080 to U+009F, in UTF-8.
_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")


def decode_page(content: bytes, media: str) -> Decoded | None:
    """Decode the bytes of a page; None if they are binary.

    Args:
        content: the bytes.
        media: the type from the server, perhaps with ``charset=``.
    """
    # ASCII may hold the escapes of another encoding.
    plain = b"\x1b" not in content if content.isascii() else is_utf8(content)
    if not (plain or _has_mark(content) or is_binary(content[:HEAD])):
        labels = _PARAMETER.search(media), _META.search(content[:_HEAD].decode("latin-1"))
        for label in filter(None, labels):
            if (text := _decode_as(label[1], content)) is not None:
                return text
    return decode(content, utf8=plain)


def _has_mark(content: bytes) -> bool:
    """Return whether a byte order mark, or the bytes themselves, show that they are Unicode."""
    return content.startswith(codecs.BOM_UTF8) or wide_encoding(content) is not None


def _decode_as(label: str, content: bytes) -> Decoded | None:
    """Decode bytes in an encoding; None if it has no such label, or it does not fit them."""
    decoded = _kernels.decode_label(label, content)
    if decoded is None:  # Python knows other spellings, such as latin-1.
        decoded = _kernels.decode_label(python_name(label), content)
    if decoded is None:
        return None
    utf8, name, replaced = decoded
    # Browsers read the bytes that Windows leaves undefined as controls; no text has those.
    undefined = name.startswith("windows-") and _CONTROL.search(utf8)
    if replaced or undefined or name in _NO_PAGE:
        return None
    return Decoded(utf8, python_name(name), replaced=False)
