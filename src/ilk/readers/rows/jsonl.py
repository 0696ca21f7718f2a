"""JSON lines: one object a line."""

from __future__ import annotations

import itertools
import json
from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.readers.rows.delimited import Cut, Grammar, mark
from ilk.readers.rows.pieces import Pieces
from ilk.readers.rows.sources import ID, Names, Values
from ilk.readers.rows.streams import Stream
from ilk.readers.rows.values import spelled


class JsonLines(Grammar):
    """A grammar that rejects what is no object; blank lines are no rows.

    Readers take the last of two fields of one name, so a note may have the name of a field.
    """

    form = "JSON lines"

    def __init__(self, path: str) -> None:
        """Look for a byte order mark, which is not part of the first line."""
        with closing(Stream(path)) as stream:
            head = Pieces(stream)
            head.jump(0, 4)
        self.begin = mark(head.content(0, head.size))

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> Cut:
        """Read the wanted lines of a piece."""
        texts = list(names.texts)
        return Cut(*_kernels.json_rows(piece, last, texts, names.id or ID, wanted))

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """Return the wanted lines of a piece, each with its notes as fields at its end."""
        if notes is None:
            return _kernels.json_bytes(piece, wanted)
        fields = [pa.repeat(f", {json.dumps(name)}: ", len(notes)) for name in notes.column_names]
        values = [spelled(notes[name], json.dumps) for name in notes.column_names]
        pairs = itertools.chain.from_iterable(zip(fields, values, strict=True))
        written = pc.binary_join_element_wise(*pairs, "")
        return _kernels.json_bytes(piece, wanted, written.cast(pa.large_binary()))

    def column(self, cut: Cut) -> Values:
        """Return the ids as values of their kinds."""
        return Values(cut.ids.view(pa.large_string()), cut.id_kinds)
