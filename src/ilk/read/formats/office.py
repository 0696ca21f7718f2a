"""Common parts of Office documents since 2007: a zip of XML with core properties.

Source: ECMA-376, part 2, section 11 (core properties).
"""

from __future__ import annotations

import re
import zipfile
from typing import Any

from ilk.read.formats import xml
from ilk.read.formats.zipped import part

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

#: The part with the core properties.
CORE = "docProps/core.xml"
_WANTED = ("title", "creator", "language", "created", "date")


def declared(archive: zipfile.ZipFile, name: str = CORE) -> dict[str, Any]:
    """Return what the document declares, in its core or in another part."""
    return named(xml.values(part(archive, name), (*_WANTED, "initial-creator", "creation-date")))


def named(values: dict[str, str]) -> dict[str, Any]:
    """Return the elements of Dublin Core by the names of ``columns.DECLARED``."""
    day = _DAY.match(values.get("created") or values.get("creation-date") or values.get("date", ""))
    found = {
        "title": values.get("title"),
        "author": values.get("creator") or values.get("initial-creator"),
        "language": values.get("language"),
        "date": day[0] if day else None,
    }
    return {name: value for name, value in found.items() if value}
