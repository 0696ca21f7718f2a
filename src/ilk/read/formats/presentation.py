"""PowerPoint from 2007: slide by slide, each with its tables, boxes and notes.

Source: ECMA-376, part 1, sections 13.3 (presentations), 21.1.2 (text); part 2, section 9
(relationships).
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats import office, xml
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Part, Text, Unfit
from ilk.read.formats.zipped import left, opened, part

_RULES = xml.Rules(
    texts=("t",),
    # Fields are numbers of slides and dates.
    skipped=("Fallback", "fld"),
    before={"br": "\n", "tab": "\t"},
    after={"p": "\n", "tc": "\t"},
)

_MAIN = "ppt/presentation.xml"


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    with opened(file, limits) as archive:
        if not (main := part(archive, _MAIN)):
            raise Unfit(f"is damaged, or not a PowerPoint file: it has no {_MAIN}")
        named = {one["Id"]: one for one in _relations(archive, _MAIN)}
        slides = [one.get("r:id") or "" for one in xml.attributes(main, "sldId")]
        read = []
        for slide in (named[id_]["Target"] for id_ in slides if id_ in named):
            read.append(slide)
            read += [
                one["Target"]
                for one in _relations(archive, slide)
                if one.get("Type", "").endswith("/notesSlide")
            ]
        texts = [xml.text(part(archive, name), _RULES) for name in read]
        declared = office.declared(archive) | {"pages": len(slides)}
        yield Text("\n".join(texts), declared, left=left(archive, read, ()))


def _relations(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    """Return what a part refers to, with the names of parts in full."""
    folder, base = posixpath.split(name)
    found = xml.attributes(part(archive, f"{folder}/_rels/{base}.rels"), "Relationship")
    for one in found:
        target = posixpath.join("/" + folder, one.get("Target", ""))
        one["Target"] = posixpath.normpath(target).lstrip("/")
    return [one for one in found if "Id" in one]
