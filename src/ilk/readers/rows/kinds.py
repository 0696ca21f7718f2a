"""Which files hold rows: their names decide, and for archives their first bytes."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Sequence
from importlib.util import find_spec

from ilk.readers.rows.streams import bare
from ilk.readers.warc import forms
from ilk.readers.warc.frames import MAGIC, codec_of
from ilk.system.parsed import parsed

JSON_LINES = (".jsonl", ".ndjson", ".json")
CSV = (".csv", ".tsv", ".tab")
PARQUET = (".parquet", ".pq")
WARC = (".warc", ".wet")
ARC = (".arc",)

#: Bytes at the start of a file that show whether it holds objects.
_HEAD = 1 << 16

_EXTENSIONS = {
    "JSON lines": JSON_LINES,
    "CSV": CSV,
    "Parquet": PARQUET,
    "a table": PARQUET,
    "a query": PARQUET,
    "WARC": WARC,
    "ARC": ARC,
}


def holds_rows(path: str, texts: Sequence[str]) -> bool:
    """Return whether a file holds rows by default, according to its name.

    A file with only the extension ``.json`` is most often a document; it holds rows if it is an
    array or lines of objects that have the column of texts.
    """
    codec, kind = bare(path)
    if (codec, kind) == ("", ".json"):
        return _holds_objects(path, texts)
    return _is_called_archive(path) or is_known(codec, kind)


def _holds_objects(path: str, texts: Sequence[str]) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
    except OSError:
        return False
    names = (json.dumps(text.partition(".")[0], ensure_ascii=False) for text in texts)
    if not any(name.encode("utf-8", "replace") in head for name in names):
        return False
    if head.startswith(b"["):
        return head[1:].lstrip().startswith(b"{")
    first, _, rest = head.partition(b"\n")
    try:
        return isinstance(parsed(first), dict) and rest.lstrip().startswith(b"{")
    except ValueError:
        return False


def is_archive(path: str) -> bool:
    """Return whether a file is a web archive.

    Its name says so; or its first bytes do, and its name is not for other rows.
    """
    return _is_called_archive(path) or (not is_known(*bare(path)) and _begins_as_archive(path))


def rows_extension(path: str) -> str:
    """Return the extension of a file of rows, or of an archive, with that of its codec, else "".

    ``.json`` alone is not such an extension.
    """
    codec, kind = bare(path, MAGIC)
    if _is_called_archive(path):
        return kind + codec
    codec, kind = bare(path)
    return kind + codec if is_known(codec, kind) and kind + codec != ".json" else ""


def is_plain_rows(extension: str) -> bool:
    """Return whether files of rows with this extension are plain text, which may be documents."""
    return extension in JSON_LINES + CSV


def archive_kind(path: str) -> str:
    """Return the extension of a path before that of its codec, if an archive may have it."""
    return bare(path, MAGIC)[1]


def suits(form: str, name: str) -> bool:
    """Return whether a file with this name may hold rows of a form: not if it names another format.

    Captures may also be written as JSON lines or Parquet.
    """
    codec, kind = bare(name)
    own = _EXTENSIONS[form]
    if own == PARQUET:
        return kind in PARQUET and not codec
    if own in (WARC, ARC):
        as_rows = kind in JSON_LINES or (kind in PARQUET and not codec)
        return as_rows or archive_kind(name) in own
    return kind in own or not (kind in JSON_LINES + CSV + PARQUET or _is_called_archive(name))


def names_rows(name: str) -> bool:
    """Return whether a name says how to write the rows of a file."""
    return is_known(*bare(name)) or _is_called_archive(name)


def takes_notes(form: str, name: str) -> bool:
    """Return whether rows of a form can get more columns in a file with this name: records
    cannot.
    """
    return _EXTENSIONS[form] not in (WARC, ARC) or bare(name)[1] in JSON_LINES + PARQUET


def is_known(codec: str, kind: str) -> bool:
    """Return whether rows are read from files with this extension, before that of their codec."""
    return kind in JSON_LINES + CSV or (kind in PARQUET and not codec)


def _is_called_archive(path: str) -> bool:
    return archive_kind(path) in WARC + ARC


def _begins_as_archive(path: str) -> bool:
    """Return whether a file is an archive whatever its name; False if it cannot be read."""
    if not os.path.isfile(path):
        return False
    try:
        if codec_of(path) and find_spec("fastwarc") is None:
            return False
        return forms.form(path) is not None
    except OSError:
        return False
