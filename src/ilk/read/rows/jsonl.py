"""JSON lines: one object per line."""

from __future__ import annotations

import itertools
import json
from contextlib import closing
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.parsed import parsed
from ilk.read.rows.arrays import ArrayStream, ArrayWriter, is_array
from ilk.read.rows.delimited import Grammar, RowCut, mark
from ilk.read.rows.edited import json_with
from ilk.read.rows.pieces import Pieces
from ilk.read.rows.sources import ID, Names, Values, Writer
from ilk.read.rows.streams import Stream, bare
from ilk.read.rows.values import spelled

#: Bytes at the start in which to look for the first token.
_HEAD = 1 << 12


class JsonLines(Grammar):
    """A grammar that rejects anything but objects; blank lines are not rows.

    A file with one array is read as if each of its elements were on its own line.

    Readers use the last of two fields with the same name, so a note may have the name of a field.
    """

    form = "JSON lines"

    def __init__(self, path: str) -> None:
        """Look for a byte order mark, which is not part of the first line, and for an array."""
        with closing(Stream(path)) as stream:
            head = Pieces(stream)
            head.jump(0, _HEAD)
        self.begin = mark(head.content(0, head.size))
        self._array = is_array(head.content(0, head.size))

    def stream(self, path: str) -> Stream:
        """Open the content of a file."""
        return ArrayStream(path) if self._array else Stream(path)

    def writer(self, out: IO[bytes], name: str, header: bytes) -> Writer:
        """Return a writer of lines; or of an array, if one is read and the name is for one."""
        if self._array and bare(name)[1] == ".json":
            return ArrayWriter(out, name)
        return super().writer(out, name, header)

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> RowCut:
        """Read the wanted lines of a piece."""
        texts = list(names.texts)
        return RowCut(*_kernels.json_rows(piece, last, texts, names.id or ID, wanted))

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """Return the wanted lines of a piece, each with its notes as fields at its end."""
        if notes is None:
            return _kernels.json_bytes(piece, wanted)
        fields = [pa.repeat(f", {json.dumps(name)}: ", len(notes)) for name in notes.column_names]
        values = [spelled(notes[name], json.dumps) for name in notes.column_names]
        pairs = itertools.chain.from_iterable(zip(fields, values, strict=True))
        written = pc.binary_join_element_wise(*pairs, "")
        return _kernels.json_bytes(piece, wanted, written.cast(pa.large_binary()))

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        """Return a line with another text in a field."""
        return json_with(row, name, text)

    def names(self, row: bytes) -> list[str]:
        """Return the fields of an object."""
        try:
            return list(parsed(row.decode("utf-8", "replace")))
        except ValueError:
            return []

    def column(self, cut: RowCut) -> Values:
        """Return the ids as values of their kinds."""
        return Values(cut.ids.view(pa.large_string()), cut.id_kinds)
