"""Zips, with sizes checked before anything is inflated, and their parts that are not text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Iterable
from typing import BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Left, Unfit


def opened(file: BinaryIO, limits: Limits) -> zipfile.ZipFile:
    """Open a zip; Unfit if its declared sizes exceed what it may unpack to."""
    archive = zipfile.ZipFile(file)
    size = file.seek(0, 2)
    limits.check(sum(one.file_size for one in archive.infolist()), size)
    return archive


def part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a part; empty if it does not exist, or has a password."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return b""
    if info.flag_bits & 1:
        raise Unfit("is encrypted; save it without a password")
    return archive.read(info)


#: Parts that hold no content: how it looks, where it is, and who made it.
_FORM = re.compile(
    r"(?:\[Content_Types\]\.xml|mimetype|manifest\.rdf|(?:content|meta|settings|styles)\.xml"
    r"|(?:.*/)?_rels/.*|(?:META-INF|docProps|customXml|Configurations2|Thumbnails)/.*"
    r"|ObjectReplacements/.*|layout-cache|xl/printerSettings/.*"
    r"|(?:word|xl|ppt)/(?:theme/|slideLayouts/|slideMasters/|notesMasters/|handoutMasters/|tags/)"
    r".*|(?:word|xl|ppt)/[^/]*(?:styles|settings|Settings|Styles|fontTable|numbering|people|Props"
    r"|metadata|calcChain|sharedStrings|workbook|presentation|Effects|commentAuthors)\.(?:xml|bin)"
    r"|.*\.(?:css|ncx|opf|ttf|otf|woff2?|rels|odttf|fntdata)|.*/)"
)

#: What other parts hold, by their names.
_KINDS = (
    (re.compile(r"vba|Basic/|Scripts/|macro", re.IGNORECASE), "macros"),
    (re.compile(r"embeddings/|activeX/|^Object|ole", re.IGNORECASE), "embedded objects"),
    (re.compile(r"comment", re.IGNORECASE), "comments"),
    (re.compile(r"charts?/", re.IGNORECASE), "charts"),
    (re.compile(r"diagrams/", re.IGNORECASE), "diagrams"),
    (
        re.compile(r"media/|Pictures/|\.(?:png|jpe?g|gif|svg|webp|emf|wmf|tiff?|bmp)$", re.I),
        "pictures",
    ),
    (re.compile(r"drawings?"), "drawings"),
)


def left(
    archive: zipfile.ZipFile, read: Collection[str], more: Iterable[tuple[str, bytes]]
) -> Left:
    """Return what is not text in a document that is a zip.

    Args:
        archive: the document.
        read: names of the parts whose text was read.
        more: kinds and contents of what was left out of those.
    """
    found = Left()
    for kind, content in more:
        found.add(kind, content)
    for info in archive.infolist():
        name = info.filename
        if name not in read and not _FORM.fullmatch(name):
            kind = next((kind for pattern, kind in _KINDS if pattern.search(name)), "other parts")
            found.add(kind, None if info.flag_bits & 1 else archive.read(info))
    return found


def spans(content: bytes, kind: str, *names: str) -> list[tuple[str, bytes]]:
    """Return the elements of some names in XML, with their prefixes, all of one kind."""
    which = "|".join(names).encode()
    pattern = rb"<(%b)(?=[\s>/])(?:[^>]*/>|.*?</\1>)" % which
    return [(kind, found[0]) for found in re.finditer(pattern, content, re.DOTALL)]
