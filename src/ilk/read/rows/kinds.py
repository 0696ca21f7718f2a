"""Which files hold rows: their names decide, and for registered readers also first bytes.

Packages register readers of rows for what the core cannot read itself: files, and paths that are
queried. A reader is an object that an entry point of the group ``ilk.readers`` names, with the
members of ``Reader``.
"""

from __future__ import annotations

import codecs
import functools
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ilk.base.json_text import parse_json
from ilk.base.packages import entry_points_in_ilk_group, load_entry_point, make_missing_extra_error
from ilk.base.run_options import Running
from ilk.read.reading import Reading
from ilk.read.rows.sources import ColumnRequest, Source
from ilk.read.rows.streams import split_codec_and_extension

JSON_LINES = (".jsonl", ".ndjson", ".json")
CSV = (".csv", ".tsv", ".tab")
PARQUET = (".parquet", ".pq")

#: Those of plain text, which may be documents.
PLAIN = JSON_LINES + CSV

#: An address, such as s3://bucket/*.parquet; a ``Path`` has one of its slashes left.
ADDRESS = re.compile(r"(file|https?|s3|gcs|gs|r2|hf|az|azure|abfss):/(?:/(?!/))?")

#: A folder in a glob that matches all values of a column, such as year=*.
_PARTITION = re.compile(r"(?:^|/)[^/=]+=\*/")

#: Bytes at the start of a file that show whether it holds objects.
_HEAD = 1 << 16

#: Extensions of files by the form of rows; a file gets the first one by default.
_EXTENSIONS = {"JSON lines": JSON_LINES, "CSV": CSV} | dict.fromkeys(
    ("Parquet", "a table", "a query"), PARQUET
)

#: Opens a file by its name for people, its path, and what to read of it: its rows, or those of
#: every file in it.
Opener = Callable[[str, str, ColumnRequest], Sequence[Source]]


class Reader(Protocol):
    """What a package says of the files that it reads.

    forms: by the name of a form (``Source.form``), the extensions of its files.
    codecs: extensions of codecs that may come after them.
    also: extensions of other files that rows of these forms can be written to.
    """

    forms: Mapping[str, Sequence[str]]
    codecs: Sequence[str]
    also: Sequence[str]

    def recognises_query_or_content(self, path: str) -> bool:
        """Return whether it reads a queried path, or the first bytes of a file are of a form."""

    def make_opener(self, reading: Reading, running: Running) -> Opener:
        """Return what opens the files of one data set, which may refer to one another."""


@functools.cache
def load_registered_readers() -> tuple[Reader, ...]:
    """Import the registered readers, and return them."""
    return tuple(load_entry_point(point) for point in entry_points_in_ilk_group("readers").values())


def is_address_or_partitioned_glob(path: str) -> bool:
    """Return whether a path is an address, or a glob with ``COLUMN=*`` for a folder."""
    return bool(ADDRESS.match(path) or _PARTITION.search(path))


def _row_extension_or_empty(path: str, reader: Reader) -> str:
    """Return the extension of a path, without that of a codec; "" if the reader reads no such."""
    kind = split_codec_and_extension(path, reader.codecs).extension
    return kind if any(kind in kinds for kinds in reader.forms.values()) else ""


@functools.cache
def _possible_name_endings_of_registered_rows() -> tuple[str, ...]:
    """Return how the name of a file ends if a registered reader may read it: asked of every file
    in a folder, where most are of none.
    """
    readers = load_registered_readers()
    kinds = [kind for reader in readers for form in reader.forms.values() for kind in form]
    return (*kinds, *(codec for reader in readers for codec in reader.codecs))


def _registered_reader_by_name_or_none(path: str) -> Reader | None:
    """Return the registered reader of files with such a name."""
    if not path.lower().endswith(_possible_name_endings_of_registered_rows()):
        return None
    return next(
        (reader for reader in load_registered_readers() if _row_extension_or_empty(path, reader)),
        None,
    )


def registered_reader_of_form_or_none(form: str) -> Reader | None:
    """Return the registered reader of a form; None for one of the core."""
    readers = () if form in _EXTENSIONS else load_registered_readers()
    return next((reader for reader in readers if form in reader.forms), None)


def find_registered_reader_or_none(path: str) -> Reader | None:
    """Return the registered reader of a file; None if the core reads it, or nothing does.

    Its name decides; or its first bytes do, if its name is not for other rows.

    Raises:
        MissingExtra: the path is queried, and the package that does so is not installed.
    """
    if is_address_or_partitioned_glob(path):
        if (queried := _reader_that_recognises_or_none(path)) is None:
            raise make_missing_extra_error("sql")
        return queried
    if can_read_rows_without_package(*split_codec_and_extension(path)):
        return None
    if reader := _registered_reader_by_name_or_none(path):
        return reader
    if not os.path.isfile(path):
        return None
    return _reader_that_recognises_or_none(path)


def _reader_that_recognises_or_none(path: str) -> Reader | None:
    """Return the registered reader that reads a queried path, or by its first bytes a file."""
    readers = load_registered_readers()
    return next((reader for reader in readers if reader.recognises_query_or_content(path)), None)


def can_read_rows_without_package(codec: str, extension: str) -> bool:
    """Return whether ilk itself reads rows of files with this extension before that of a codec."""
    return extension in PLAIN or (extension in PARQUET and not codec)


def has_extension_of_rows(file_name: str) -> bool:
    """Return whether a name says how to write the rows of a file."""
    if can_read_rows_without_package(*split_codec_and_extension(file_name)):
        return True
    return _registered_reader_by_name_or_none(file_name) is not None


def holds_rows_by_default(path: str, json_text_columns: Sequence[str]) -> bool:
    """Return whether a file holds rows by default, according to its name.

    A file with only the extension ``.json`` is most often a document; it holds rows if it is an
    array or lines of objects that have the column of texts.
    """
    if split_codec_and_extension(path) != ("", ".json"):
        return has_extension_of_rows(path)
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
    except OSError:
        return False
    names = (json.dumps(text.partition(".")[0], ensure_ascii=False) for text in json_text_columns)
    if not any(name.encode("utf-8", "replace") in head for name in names):
        return False
    if head.startswith(b"["):
        return head[1:].lstrip().startswith(b"{")
    first, _, rest = head.partition(b"\n")
    try:
        return isinstance(parse_json(first), dict) and rest.lstrip().startswith(b"{")
    except ValueError:
        return False


def row_extension_except_json_or_none(path: str) -> str | None:
    """Return the extension of a file of rows with that of its codec; None for another file.

    ``.json`` alone is not such an extension.
    """
    codec, kind = split_codec_and_extension(path)
    if can_read_rows_without_package(codec, kind):
        return kind + codec if kind + codec != ".json" else None
    reader = _registered_reader_by_name_or_none(path)
    if reader is None:
        return None
    return "".join(reversed(split_codec_and_extension(path, reader.codecs)))


def extensions_of_form(form: str) -> Sequence[str]:
    """Return the extensions of files of rows of a form."""
    reader = registered_reader_of_form_or_none(form)
    return _EXTENSIONS[form] if reader is None else reader.forms[form]


def default_file_name(form: str) -> str:
    """Return a name for an uncompressed file of rows of a form."""
    return "rows" + extensions_of_form(form)[0]


def name_suits_form(form: str, file_name: str) -> bool:
    """Return whether a file with this name may hold rows of a form: not if it names another format.

    Rows of a registered reader may also be written as other rows (``Reader.also``).
    """
    codec, kind = split_codec_and_extension(file_name)
    reader = registered_reader_of_form_or_none(form)
    if reader is not None:
        own_extension = _row_extension_or_empty(file_name, reader)
        return can_hold_added_columns(form, file_name) or own_extension in reader.forms[form]
    own = _EXTENSIONS[form]
    if own == PARQUET:
        return kind in PARQUET and not codec
    return kind in own or not (
        kind in PLAIN + PARQUET or _registered_reader_by_name_or_none(file_name)
    )


def can_hold_added_columns(form: str, file_name: str) -> bool:
    """Return whether rows in a file with this name can get more columns; records cannot."""
    reader, (codec, kind) = (
        registered_reader_of_form_or_none(form),
        split_codec_and_extension(file_name),
    )
    return reader is None or (kind in reader.also and can_read_rows_without_package(codec, kind))
