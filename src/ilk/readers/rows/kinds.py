"""Which files hold rows: their names say so, and archives' first bytes."""

from __future__ import annotations

import os
from importlib.util import find_spec

from ilk.readers.files.names import extension
from ilk.readers.rows.streams import bare
from ilk.readers.warc import forms
from ilk.readers.warc.frames import MAGIC, codec_of

JSON_LINES = (".jsonl", ".ndjson", ".json")
CSV = (".csv", ".tsv", ".tab")
PARQUET = (".parquet", ".pq")
WARC = (".warc", ".wet")
ARC = (".arc",)

_NAMES = {
    "JSON lines": JSON_LINES,
    "CSV": CSV,
    "Parquet": PARQUET,
    "a table": PARQUET,
    "WARC": WARC,
    "ARC": ARC,
}


def holds_rows(path: str) -> bool:
    """Whether a file of this name is taken to hold rows without anybody saying so.

    One that is called ``.json`` and no more is most often a document.
    """
    codec, kind = bare(path)
    return _called_archive(path) or (is_known(codec, kind) and (codec, kind) != ("", ".json"))


def is_archive(path: str) -> bool:
    """Whether a file is an archive of the web.

    Its name says so; or its first bytes do, and its name speaks of no other rows.
    """
    return _called_archive(path) or (not is_known(*bare(path)) and _begins_as_archive(path))


def archive_extension(path: str) -> str:
    """The extension of an archive with that of its codec (``.warc.gz``); "" for other files."""
    if not _called_archive(path):
        return ""
    last = extension(path)
    return archive_kind(path) + last if last in MAGIC else last


def archive_kind(path: str) -> str:
    """The extension of a path before that of its codec, where an archive may have it."""
    last = extension(path)
    return extension(path[: -len(last)]) if last in MAGIC else last


def suits(form: str, name: str) -> bool:
    """Whether a file of this name may hold rows of a form: one of another format may not.

    What archives hold may also be written as JSON lines or Parquet.
    """
    codec, kind = bare(name)
    own = _NAMES[form]
    if own == PARQUET:
        return kind in PARQUET and not codec
    if own in (WARC, ARC):
        as_rows = kind in JSON_LINES or (kind in PARQUET and not codec)
        return as_rows or archive_kind(name) in own
    return kind in own or not (kind in JSON_LINES + CSV + PARQUET or _called_archive(name))


def takes_notes(form: str, name: str) -> bool:
    """Whether rows of a form can have more columns in a file of this name: records cannot."""
    return _NAMES[form] not in (WARC, ARC) or bare(name)[1] in JSON_LINES + PARQUET


def is_known(codec: str, kind: str) -> bool:
    """Whether rows are read from files of such an extension, before that of their codec."""
    return kind in JSON_LINES + CSV or (kind in PARQUET and not codec)


def _called_archive(path: str) -> bool:
    return archive_kind(path) in WARC + ARC


def _begins_as_archive(path: str) -> bool:
    """Whether a file is an archive whatever its name; where it cannot be read, it is none."""
    if not os.path.isfile(path):
        return False
    try:
        if codec_of(path) and find_spec("fastwarc") is None:
            return False
        return forms.form(path) is not None
    except OSError:
        return False
