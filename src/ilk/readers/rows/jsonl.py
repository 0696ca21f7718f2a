"""JSON lines: one object a line."""

from __future__ import annotations

import itertools
import json
from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.readers.rows.delimited import DelimitedRows, Found, mark
from ilk.readers.rows.pieces import Pieces
from ilk.readers.rows.sources import ID, Names, Values
from ilk.readers.rows.streams import Stream
from ilk.readers.rows.values import spelled


class JsonLines:
    """What is no object is rejected; blank lines are no rows. A ``Grammar``."""

    form = "JSON lines"
    header = b""

    def __init__(self, begin: int) -> None:
        """Take the number of bytes before the first line."""
        self.begin = begin

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> Found:
        """Read the wanted lines of a piece."""
        texts = list(names.texts)
        return Found(*_kernels.json_rows(piece, last, texts, names.id or ID, wanted))

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """The wanted lines of a piece, each with its notes as fields at its end."""
        if notes is None:
            return _kernels.json_bytes(piece, wanted)
        fields = [pa.repeat(f", {json.dumps(name)}: ", len(notes)) for name in notes.column_names]
        values = [spelled(notes[name], json.dumps) for name in notes.column_names]
        pieces = itertools.chain.from_iterable(zip(fields, values, strict=True))
        written = pc.binary_join_element_wise(*pieces, "")
        return _kernels.json_bytes(piece, wanted, written.cast(pa.large_binary()))

    def noted(self, names: list[str]) -> bytes:
        """Lines have no header; of two fields of one name readers take the last."""
        del names
        return self.header

    def column(self, found: Found) -> Values:
        """The ids as values of their kinds."""
        return Values(found.ids.view(pa.large_string()), found.id_kinds)

    def unlike(self, other: object) -> str | None:
        """Lines fit behind lines."""
        del other
        return None


def json_lines(name: str, path: str, names: Names) -> DelimitedRows:
    """A file of JSON lines. A byte order mark is not part of its first line.

    Raises:
        OSError: it cannot be opened.
        Unreadable: it is UTF-16.
    """
    with closing(Stream(path)) as stream:
        head = Pieces(stream)
        head.jump(0, 4)
    return DelimitedRows(name, path, JsonLines(mark(head.content(0, head.size))), names)
