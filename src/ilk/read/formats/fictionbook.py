"""Books in FictionBook.

Source: FictionBook 2.1, its schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats import xml, zipped
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Left, Part, Text

_RULES = xml.Rules(
    texts=("p", "v", "subtitle", "text-author", "td", "th"),
    skipped=("description", "binary"),
    after=dict.fromkeys(("p", "v", "subtitle", "text-author", "tr", "empty-line"), "\n")
    | dict.fromkeys(("td", "th"), "\t"),
)


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    del limits  # The calling code enforces them.
    data = file.read()
    said = xml.values(data, ("book-title", "first-name", "last-name", "lang"))
    author = " ".join(said[name] for name in ("first-name", "last-name") if name in said)
    declared = {"title": said.get("book-title"), "author": author, "language": said.get("lang")}
    rest = Left()
    for _, picture in zipped.spans(data, "pictures", "binary"):
        rest.add("pictures", picture)
    known = {name: value for name, value in declared.items() if value}
    yield Text(xml.text(data, _RULES), known, left=rest)
