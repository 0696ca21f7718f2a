"""Word from 2007: the body with its tables, text boxes and notes, and the headers.

Tracked changes count as accepted: insertions are read, and deletions are not.

Source: ECMA-376, part 1, sections 17.3 (paragraphs), 17.10 (headers), 17.11 (notes), 17.13
(changes); part 3, section 7.6 (alternate content).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats import office, xml
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Part, Text, Unfit
from ilk.read.formats.zipped import left, opened, part, spans

_RULES = xml.Rules(
    texts=("t",),
    # A fallback for programs that do not support a choice repeats that choice.
    skipped=("Fallback", "moveFrom", "instrText", "pPrChange", "rPrChange"),
    before={"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"},
    after={"p": "\n", "tc": "\t"},
)

_BODY = re.compile(r"word/document\d*\.xml")
_HEADS, _FEET, _NOTES = (
    re.compile(rf"word/{name}\d*\.xml") for name in ("header", "footer", "(?:foot|end)notes")
)


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    with opened(file, limits) as archive:
        names = archive.namelist()
        bodies = [name for name in names if _BODY.fullmatch(name)]
        if not bodies:
            raise Unfit("is damaged, or not a Word file: it has no word/document.xml")
        once: dict[str, None] = {}
        read, changes = set[str](), list[tuple[str, bytes]]()
        for pattern in (_HEADS, _BODY, _NOTES, _FEET):
            for name in filter(pattern.fullmatch, names):
                content = part(archive, name)
                once[xml.text(content, _RULES).strip("\n")] = None
                read.add(name)
                changes += spans(content, "deleted text", "w:delText", "w:moveFrom")
        declared = office.declared(archive)
        yield Text("\n".join(filter(None, once)), declared, left=left(archive, read, changes))
