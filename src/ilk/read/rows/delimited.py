"""Rows that follow one another in the bytes of a file: JSON lines and CSV.

The first pass cuts a file into blocks of whole rows and reads them; it remembers where each block
is and which of its rows are unreadable (one bit per row, only if there are any). Later passes go
straight to the blocks with chosen rows, and cut them again, which costs almost nothing. So memory
does not grow with the number of rows, and rows are written as they were read.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import closing
from typing import IO, Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.read.files.content import Unreadable
from ilk.read.rows.chosen import Chosen, chosen, everything, numbers
from ilk.read.rows.pieces import Pieces
from ilk.read.rows.signature import Stamp
from ilk.read.rows.sources import Counts, Kind, Names, Part, Rejected, Source, Tell, Values, Writer
from ilk.read.rows.streams import Stream
from ilk.read.rows.writers import BytesWriter

_CUT_OFF = "is cut off where the file is damaged"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class RowCut(NamedTuple):
    """The rows that a kernel cut out of a piece.

    whole: bytes of whole rows; the next piece begins after them.
    rows: all rows of the piece, including unwanted and unreadable ones. texts, ids: of the wanted
    readable rows, each with its kinds (``Kind``). replaced: how many of them have U+FFFD in place
    of invalid Unicode.
    bad: the wanted unreadable rows: number, begin, end, reason.
    """

    whole: int
    rows: int
    texts: pa.LargeBinaryArray
    text_kinds: pa.UInt8Array
    ids: pa.LargeBinaryArray
    id_kinds: pa.UInt8Array
    replaced: int
    bad: list[tuple[int, int, int, str]]


class Grammar(Protocol):
    """A way to cut rows out of bytes and read them.

    form: its name for people.
    begin: bytes of the content before the first row.
    header: the bytes before the rows in a file.
    """

    form: str
    begin: int
    header: bytes = b""

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> RowCut:
        """Read the wanted rows of a piece; all by default."""

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """Return the bytes of the wanted rows of a piece of whole ones, each with its notes."""

    def stream(self, path: str) -> Stream:
        """Open the content of a file for the grammar."""
        return Stream(path)

    def writer(self, out: IO[bytes], name: str, header: bytes) -> Writer:
        """Return a writer of rows with their ends after a header."""
        return BytesWriter(out, name, header)

    def noted(self, names: list[str]) -> bytes:
        """Return the header of rows with notes; OptionError if a name exists already."""
        del names
        return self.header

    def names(self, row: bytes) -> list[str]:
        """Return the names of the columns of a row."""

    def column(self, cut: RowCut) -> Values:
        """Return the ids as values of a column."""

    def split(self, content: bytes) -> list[bytes]:
        """Return consecutive rows one by one, each with its end."""
        return re.findall(rb"[^\n]*\n|[^\n]+$", content)

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        """Return a row with another text in a field."""

    def unlike(self, other: Any) -> str | None:
        """Return why rows of another grammar of this form do not fit after these; None if they
        do.
        """
        del other
        return None


class _CutBlock(NamedTuple):
    """Consecutive whole rows; or truncated bytes.

    start, size: of their bytes in the content of the file.
    rows: how many are readable. bad: which of all rows are not; None if all are.
    cut_off: whether the bytes are only part of a row.
    """

    start: int
    size: int
    rows: int
    bad: pa.BooleanArray | None
    cut_off: bool = False


class DelimitedRows(Source):
    """The rows of a file that a grammar cuts."""

    def __init__(self, name: str, path: str, grammar: Grammar, names: Names) -> None:
        """Read nothing yet; OSError if there is no such file."""
        self._stamp = Stamp(name, path)
        super().__init__(name, self._stamp.size)
        self.form = grammar.form
        self._path, self._grammar, self._names = path, grammar, names
        self._blocks: list[_CutBlock] = []

    def read(self, tell: Tell) -> Iterator[Part]:
        """Yield every readable row."""
        self.counts, self._blocks, self.failure = Counts(), [], None
        with closing(self._opened()) as stream:
            stream.skip(self._grammar.begin)
            pieces = Pieces(stream)
            while not pieces.last:
                pieces.fill()
                last = pieces.last and pieces.damage is None
                cut = self._grammar.read(pieces.column(), last, self._names, None)
                if not cut.whole:
                    continue  # The row is longer than the buffer, which grows.
                first = self.counts.rows
                self._remember(pieces.start, cut)
                tell(stream.progress)
                yield _part(pa.arange(first, self.counts.rows), cut)
                pieces.drop(cut.whole)
            if pieces.damage is not None:
                self._end(pieces)

    def _remember(self, start: int, cut: RowCut) -> None:
        """Note where rows are, and count them."""
        bad = None
        if cut.bad:
            marked = pa.array([row for row, *_ in cut.bad], pa.int64())
            bad = pc.is_in(pa.arange(0, cut.rows), value_set=marked)
        self._blocks.append(_CutBlock(start, cut.whole, len(cut.texts), bad))
        self.counts.rejected += len(cut.bad)
        self.counts.replaced += cut.replaced
        for kind, count in arrow.counts(cut.text_kinds).items():
            self.counts.add(Kind(kind), count)

    def _end(self, pieces: Pieces) -> None:
        """Note where the file is damaged, and the rest of a row there."""
        end = pieces.start + pieces.size
        self.failure = (
            f"is damaged after {end:,} bytes of content ({pieces.damage}); the rows before that "
            "were read"
        )
        if pieces.size:
            block = _CutBlock(pieces.start, pieces.size, 0, pa.array([True]), cut_off=True)
            self._blocks.append(block)
            self.counts.rejected += 1

    def again(self, chosen: Chosen, tell: Tell) -> Iterator[Part]:
        """Yield the chosen rows."""
        for first, mask, piece, wanted in self._blocks_with(chosen, tell):
            cut = self._grammar.read(piece, True, self._names, wanted)
            rows = numbers(mask, first)
            if len(cut.texts) != len(rows):
                raise self._stamp.changed()
            yield _part(rows, cut)

    def column(self, name: str, tell: Tell) -> Iterator[Values]:
        """Yield a column as written, with the kinds of its values."""
        for _, _, piece, wanted in self._blocks_with(everything, tell):
            cut = self._grammar.read(piece, True, Names((), name), wanted)
            yield self._grammar.column(cut)

    def kept(
        self, chosen: Chosen, tell: Tell, notes: pa.Table | None = None
    ) -> Iterator[pa.Buffer]:
        """Yield the bytes of the chosen rows, each with its end."""
        for first, mask, piece, wanted in self._blocks_with(chosen, tell):
            own = None if notes is None else notes.slice(first, len(mask)).filter(mask)
            yield self._grammar.content(piece, wanted, own).buffers()[1]

    def names(self) -> list[str]:
        """Return the names of the columns of the first row."""
        first = self.kept(chosen([0], self.counts.rows), lambda _: None)
        return self._grammar.names(bytes(next(first, b"")))

    def split(self, content: bytes) -> list[bytes]:
        """Return consecutive rows, each with its end."""
        return self._grammar.split(content)

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        """Return a row with another text in a field."""
        return self._grammar.with_text(row, name, text)

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """Return a writer of bytes, compressed if the name says so."""
        grammar = self._grammar
        header = grammar.header if notes is None else grammar.noted(notes.names)
        return grammar.writer(out, name, header)

    def rejected(self) -> Iterator[Rejected]:
        """Yield the unreadable rows, by line."""
        if not self.counts.rejected:
            return
        with closing(self._opened()) as stream:
            pieces = Pieces(stream)
            pieces.jump(0, self._grammar.begin)
            line = 1 + pieces.line_ends(0, pieces.size)
            for block in self._blocks:
                pieces.jump(block.start, block.size)
                at = 0
                for begin, end, reason in self._bad(pieces, block):
                    line += pieces.line_ends(at, begin)
                    at = begin
                    yield Rejected(self.name, line, reason, pieces.content(begin, end))
                line += pieces.line_ends(at, pieces.size)

    def _bad(self, pieces: Pieces, block: _CutBlock) -> list[tuple[int, int, str]]:
        """Return begin, end and reason of the unreadable rows of a block."""
        if block.cut_off:
            return [(0, block.size, _CUT_OFF)]
        if block.bad is None:
            return []
        cut = self._grammar.read(pieces.column(), True, self._names, block.bad)
        return [(begin, end, reason) for _, begin, end, reason in cut.bad]

    def unlike(self, other: Source) -> str | None:
        """Compare the grammars."""
        assert isinstance(other, DelimitedRows), "sources of one form are of one class"
        return self._grammar.unlike(other._grammar)

    def _blocks_with(
        self, chosen: Chosen, tell: Tell
    ) -> Iterator[tuple[int, pa.BooleanArray, pa.Array, pa.BooleanArray]]:
        """Yield every block with a chosen row: the number of its first row, which of its readable
        rows are chosen, its bytes, and which of all its rows, including unreadable ones, are
        chosen.
        """
        with closing(self._opened()) as stream:
            pieces = Pieces(stream)
            first = 0
            for block in self._blocks:
                mask = chosen(first, block.rows)
                if mask is not None:
                    pieces.jump(block.start, block.size)
                    if pieces.size != block.size:
                        raise self._stamp.changed()
                    tell(stream.progress)
                    wanted = mask
                    if block.bad is not None:
                        good = pc.invert(block.bad)
                        wanted = pc.replace_with_mask(good, good, mask)
                    yield first, mask, pieces.column(), wanted
                first += block.rows

    def _opened(self) -> Stream:
        """Open the content of the file, if it is still the same."""
        self._stamp.check()
        return self._grammar.stream(self._path)


def mark(content: bytes) -> int:
    """Return the length of the byte order mark of a file; Unreadable if it is UTF-16."""
    if content.startswith(_WIDE):
        raise Unreadable("is UTF-16; convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8")
    return len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0


def _part(rows: pa.Array, cut: RowCut) -> Part:
    ids = cut.ids.view(pa.large_string()).cast(pa.string())
    return Part(rows, cut.texts.view(pa.large_string()), ids)
