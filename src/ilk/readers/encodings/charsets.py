"""The text of a page in the encoding that it was sent with, or says that it has.

What is UTF-8 beyond ASCII is UTF-8, whatever is said of it: no other encoding looks so by chance.
Else the one that the server tells counts, then the one that the page tells, as long as it fits the
bytes (WHATWG Encoding and HTML, "determining the character encoding"); then they are looked at.
"""

from __future__ import annotations

import codecs
import re

from ilk.readers.encodings.decoding import Decoded, decode
from ilk.readers.encodings.kinds import HEAD, is_binary
from ilk.readers.encodings.wide import wide_encoding

#: Bytes in which a page must tell its encoding.
_HEAD = 1024

_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{1,40})", re.I)
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{1,40})", re.IGNORECASE)

#: What browsers take in the place of an encoding, since pages in the former name the latter.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

#: The encodings of the web; others that Python knows are no pages', and some take for ever.
_KNOWN = frozenset(
    {"big5", "big5hkscs", "cp866", "cp874", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp"}
    | {"koi8-r", "koi8-u", "mac-cyrillic", "mac-roman", "utf-8"}
    | {f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859-{number}" for number in range(2, 17)}
)


def decode_page(content: bytes, media: str) -> Decoded | None:
    """The text in the bytes of a page; None if they are binary.

    Args:
        content: the bytes.
        media: the type that the server tells, perhaps with ``charset=``.
    """
    if _is_plain(content):
        return decode(content)
    if not (is_binary(content[:HEAD]) or wide_encoding(content)):
        page = _META.search(content[:_HEAD])
        told = [found[1] for found in [_PARAMETER.search(media)] if found]
        told += [page[1].decode("ascii")] if page else []
        for name in told:
            if (text := _as(name, content)) is not None:
                return text
    return decode(content)


def _is_plain(content: bytes) -> bool:
    """Whether bytes are UTF-8 whatever is said of them: ASCII alone may be escapes of another."""
    if content.isascii():
        return b"\x1b" not in content
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as(name: str, content: bytes) -> Decoded | None:
    """The text in an encoding; None if there is none of that name, or it does not fit."""
    try:
        known = codecs.lookup(name).name
        meant = _MEANT.get(known, known)
        if meant not in _KNOWN:
            return None
        return Decoded(content.decode(meant).encode(), meant, replaced=False)
    except (LookupError, UnicodeError):
        return None
