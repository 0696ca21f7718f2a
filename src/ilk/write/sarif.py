"""Passages as SARIF 2.1.0, the format in which tools report to code reviews.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, 2020.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ilk.base._version import __version__
from ilk.read.files.content import unescape_source_name

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

_RULE = "repeated-passage"


class Place(NamedTuple):
    """A stretch of a document.

    source: the name of the document.
    file: that of the file in which it is; the document's own if none is known.
    text: its text in UTF-8, if its lines are those of the file; else None, and only the file is
        named.
    start, end: bytes of the text, the end excluded; without an end, up to that of the line.
    """

    source: str
    file: str
    text: bytes | None
    start: int
    end: int | None


class RepeatedPassage(NamedTuple):
    """A passage at a place, and the first other place that has its words."""

    passage: int
    words: int
    here: Place
    there: Place


def make_sarif_log(passages: Iterable[RepeatedPassage], promise: str) -> dict[str, Any]:
    """Return a log of SARIF with one result for each passage.

    Args:
        passages: each at two places.
        promise: what was looked for.
    """
    rule = {
        "id": _RULE,
        "name": "RepeatedPassage",
        "shortDescription": {"text": "These words stand at another place too."},
        "fullDescription": {"text": promise},
        "defaultConfiguration": {"level": "warning"},
    }
    driver = {"name": "ilk", "version": __version__, "rules": [rule]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(passage) for passage in passages],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_result(passage: RepeatedPassage) -> dict[str, Any]:
    there = _escape_source_for_link(passage.there)
    return {
        "ruleId": _RULE,
        "ruleIndex": 0,
        "level": "warning",
        "message": {"text": f"{passage.words:,} words are also in [{there}](0)."},
        "locations": [_sarif_location(passage.here)],
        "relatedLocations": [{"id": 0, **_sarif_location(passage.there)}],
        "properties": {"passage": passage.passage, "words": passage.words},
    }


def _escape_source_for_link(place: Place) -> str:
    """Return a name that can stand in a link of a message."""
    return "".join(f"\\{c}" if c in "[]\\" else c for c in place.source)


def _sarif_location(place: Place) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri_of_file(place.file)}}
    if place.text is not None:
        physical["region"] = _sarif_region(place.text, place.start, place.end)
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.text is None:
        location["message"] = {"text": place.source}
    return location


def _uri_of_file(source: str) -> str:
    path = Path(unescape_source_name(source))
    # Its bytes, as in the URI of an absolute path: they may not be UTF-8.
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def _sarif_region(content: bytes, start: int, end: int | None) -> dict[str, int]:
    """Return lines and columns, from 1; the column of the end is the one after the last."""

    def line_and_column(place: int) -> tuple[int, int]:
        begin = content.rfind(b"\n", 0, place) + 1
        column = len(content[begin:place].decode("utf-8", "replace")) + 1
        return content.count(b"\n", 0, place) + 1, column

    first, column = line_and_column(start)
    region = {"startLine": first, "startColumn": column}
    if end is not None:
        region["endLine"], region["endColumn"] = line_and_column(end)
    return region
