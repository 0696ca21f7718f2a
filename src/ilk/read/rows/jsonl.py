"""JSON lines: one object per line."""

from __future__ import annotations

import itertools
import json
import re
from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.errors import OptionError
from ilk.base.parsed import parsed
from ilk.read.files.content import Unreadable
from ilk.read.rows.delimited import DelimitedRows, RowCut, mark, spelled
from ilk.read.rows.sources import ID, Names
from ilk.read.rows.streams import Pieces, Stream

#: Bytes at the start in which to look for the first tokens.
_HEAD = 1 << 12


class JsonRows(DelimitedRows):
    """Lines; anything but objects is rejected, and blank lines are not rows.

    Readers use the last of two fields with the same name, so a note may have the name of a field.
    """

    form = "JSON lines"

    def __init__(self, name: str, path: str, names: Names) -> None:
        """Look at the first tokens; Unreadable if they begin an array of objects."""
        super().__init__(name, path, names)
        with closing(Stream(path)) as stream:
            head = Pieces(stream)
            head.jump(0, _HEAD)
        content = head.content(0, head.size)
        self.begin = mark(content)  # It is not part of the first line.
        if re.match(rb"\s*\[\s*\{", content[self.begin :]):
            raise Unreadable("is a JSON array; write its objects as lines first: jq -c '.[]'")

    def _cut(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> RowCut:
        texts = list(names.texts)
        return RowCut(*_kernels.json_rows(piece, last, texts, names.id or ID, wanted))

    def _content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        if notes is None:
            return _kernels.json_bytes(piece, wanted)
        fields = [pa.repeat(f", {json.dumps(name)}: ", len(notes)) for name in notes.column_names]
        values = [spelled(notes[name], json.dumps) for name in notes.column_names]
        pairs = itertools.chain.from_iterable(zip(fields, values, strict=True))
        written = pc.binary_join_element_wise(*pairs, "")
        return _kernels.json_bytes(piece, wanted, written.cast(pa.large_binary()))

    def split(self, content: bytes) -> list[bytes]:
        return re.findall(rb"[^\n]*\n|[^\n]+$", content)

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        return json_with(row, name, text)

    def names(self) -> list[str]:
        try:
            return list(parsed(self._first_row().decode("utf-8", "replace")))
        except ValueError:
            return []


_DECODER = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"[ \t\r\n]*")


def json_with(row: bytes, name: str, text: str) -> bytes:
    r"""Return an object with another text in a field; a dot in the name may lead into a nested
    object.

    >>> json_with(b'{"n": 1.50, "text" :"old"}\n', "text", "new")
    b'{"n": 1.50, "text" :"new"}\n'

    Raises:
        OptionError: it has no text with that name, or is nested too deeply.
    """
    line = row.decode("utf-8", "surrogateescape")
    try:
        begin, end = _value(line, _after(line, 0), name.split("."))
    except (ValueError, KeyError, IndexError, RecursionError):
        raise OptionError(f"a row has no text in {name} that can be cut in place.") from None
    # ASCII stays ASCII.
    written = json.dumps(text, ensure_ascii=line[begin:end].isascii())
    return (line[:begin] + written + line[end:]).encode("utf-8", "surrogateescape")


def _value(line: str, at: int, steps: list[str]) -> tuple[int, int]:
    """Return where the value of a field of the object at a place begins and ends."""
    if line[at] != "{":
        raise KeyError(steps[0])
    found: dict[str, tuple[int, int]] = {}
    at = _after(line, at + 1)
    while line[at] != "}":
        name, at = _DECODER.raw_decode(line, at)
        begin = _after(line, _after(line, at) + 1)
        end = _DECODER.raw_decode(line, begin)[1]
        found[name] = (begin, end)  # Readers use the last of two fields with the same name.
        at = _after(line, end)
        if line[at] == ",":
            at = _after(line, at + 1)
    whole = ".".join(steps)
    if whole in found or len(steps) == 1:
        return found[whole]
    return _value(line, found[steps[0]][0], steps[1:])


def _after(line: str, at: int) -> int:
    match = _BLANKS.match(line, at)
    assert match is not None, "it matches nothing, too"
    return match.end()
