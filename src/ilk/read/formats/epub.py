"""Books in EPUB: the pages of the spine, in their order.

Source: EPUB 3.3, sections 4.2 (container), 5.6 (manifest), 5.7 (spine).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import unquote

from ilk.read.encodings.decoding import decode
from ilk.read.formats import markup, office, xml
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Part, Text, Unfit
from ilk.read.formats.zipped import left, opened, part


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    with opened(file, limits) as archive:
        roots = xml.attributes(part(archive, "META-INF/container.xml"), "rootfile")
        package = roots[0].get("full-path", "") if roots else ""
        if not (content := part(archive, package)):
            raise Unfit("is damaged, or not an EPUB: its container names no package")
        folder = posixpath.dirname(package)
        places = {
            item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item["href"])))
            for item in xml.attributes(content, "item")
            if "href" in item
        }
        spine = [places.get(one.get("idref"), "") for one in xml.attributes(content, "itemref")]
        pages = [part(archive, name) for name in spine]
        texts = [markup.text(decoded.utf8.decode()) for decoded in map(decode, pages) if decoded]
        values = xml.values(content, ("title", "creator", "language", "date"))
        rest = left(archive, spine, ())
        yield Text("\n".join(filter(None, texts)), office.named(values), left=rest)
