"""Which files hold rows: their names decide, and for registered readers also first bytes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence

from ilk.base.parsed import parsed
from ilk.read.rows import plugins
from ilk.read.rows.streams import bare

JSON_LINES = (".jsonl", ".ndjson", ".json")
CSV = (".csv", ".tsv", ".tab")
PARQUET = (".parquet", ".pq")

#: Bytes at the start of a file that show whether it holds objects.
_HEAD = 1 << 16

_EXTENSIONS = {
    "JSON lines": JSON_LINES,
    "CSV": CSV,
    "Parquet": PARQUET,
    "a table": PARQUET,
    "a query": PARQUET,
}


def holds_rows(path: str, texts: Sequence[str]) -> bool:
    """Return whether a file holds rows by default, according to its name.

    A file with only the extension ``.json`` is most often a document; it holds rows if it is an
    array or lines of objects that have the column of texts.
    """
    codec, kind = bare(path)
    if (codec, kind) == ("", ".json"):
        return _holds_objects(path, texts)
    return is_known(codec, kind) or plugins.reader_called(path) is not None


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


def reader_of(path: str) -> plugins.Reader | None:
    """Return the registered reader of a file; None if the core reads it, or nothing does.

    Its name decides; or its first bytes do, if its name is not for other rows.
    """
    if is_known(*bare(path)):
        return None
    return plugins.reader_called(path) or plugins.reader_of_content(path)


def rows_extension(path: str) -> str:
    """Return the extension of a file of rows with that of its codec, else "".

    ``.json`` alone is not such an extension.
    """
    codec, kind = bare(path)
    if is_known(codec, kind):
        return kind + codec if kind + codec != ".json" else ""
    reader = plugins.reader_called(path)
    return "" if reader is None else "".join(reversed(bare(path, reader.codecs)))


def is_plain_rows(extension: str) -> bool:
    """Return whether files of rows with this extension are plain text, which may be documents."""
    return extension in JSON_LINES + CSV


def suits(form: str, name: str) -> bool:
    """Return whether a file with this name may hold rows of a form: not if it names another format.

    Rows of a registered reader may also be written as other rows (``Reader.also``).
    """
    codec, kind = bare(name)
    reader = plugins.reader_of_form(form)
    if reader is not None:
        return _is_also(reader, name) or plugins.extension(name, reader) in reader.forms[form]
    own = _EXTENSIONS[form]
    if own == PARQUET:
        return kind in PARQUET and not codec
    return kind in own or not (kind in JSON_LINES + CSV + PARQUET or plugins.reader_called(name))


def names_rows(name: str) -> bool:
    """Return whether a name says how to write the rows of a file."""
    return is_known(*bare(name)) or plugins.reader_called(name) is not None


def takes_notes(form: str, name: str) -> bool:
    """Return whether rows of a form can get more columns in a file with this name: records
    cannot.
    """
    reader = plugins.reader_of_form(form)
    return reader is None or _is_also(reader, name)


def _is_also(reader: plugins.Reader, name: str) -> bool:
    codec, kind = bare(name)
    return kind in reader.also and is_known(codec, kind)


def is_known(codec: str, kind: str) -> bool:
    """Return whether rows are read from files with this extension, before that of their codec."""
    return kind in JSON_LINES + CSV or (kind in PARQUET and not codec)
