"""OpenDocument texts and presentations; tracked changes count as accepted.

Source: OpenDocument 1.3, part 3, sections 3.1 (documents), 5.1 (paragraphs), 5.5 (changes), 6.1
(white space).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats import office, xml
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Part, Text, Unfit
from ilk.read.formats.zipped import left, opened, part, spans

_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_AFTER = {"p": "\n", "h": "\n", "table-cell": "\t"}

_RULES = xml.Rules(
    texts=("p", "h"),
    # Page numbers are fields; a note is cited by a number, and its text is beside it.
    skipped=("tracked-changes", "annotation", "note-citation", "page-number", "page-count"),
    before=_SPACES,
    after=_AFTER,
)

#: From styles, the headers and footers.
_STYLES = xml.Rules(
    texts=("p", "h"),
    skipped=(
        *("page-number", "page-count", "notes", "header-left", "footer-left"),
        *("handout-master", "date", "time", "frame", "custom-shape"),
    ),
    before=_SPACES,
    after=_AFTER,
)


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    with opened(file, limits) as archive:
        if b"manifest:encryption-data" in part(archive, "META-INF/manifest.xml"):
            raise Unfit("is encrypted; save it without a password")
        if not (content := part(archive, "content.xml")):
            raise Unfit("is damaged, or not an OpenDocument: it has no content.xml")
        heads = xml.text(part(archive, "styles.xml"), _STYLES)
        text = xml.text(content, _RULES)
        aside = spans(content, "comments", "office:annotation")
        aside += spans(content, "deleted text", "text:tracked-changes")
        declared = office.declared(archive, "meta.xml")
        rest = left(archive, (), aside)
        yield Text(f"{heads.strip()}\n{text}".lstrip("\n"), declared, left=rest)
