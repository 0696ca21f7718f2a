"""Rows that lie one behind another in the bytes of a file: JSON lines and CSV.

The first pass cuts a file into blocks of whole rows and reads them; it remembers where each block
lies and which of its rows cannot be read (one bit a row, only where there are such). A further pass
goes straight to the blocks that hold a chosen row, and cuts them again, which costs next to
nothing. So the memory needed does not grow with the rows, and rows are written as they were read.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import closing
from typing import IO, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ilk.readers.files.content import Unreadable
from ilk.readers.rows.chosen import Chosen, everything
from ilk.readers.rows.pieces import Pieces
from ilk.readers.rows.signature import Signature, Stamp
from ilk.readers.rows.sources import Counts, Kind, Names, Part, Rejected, Source, Tell, Values
from ilk.readers.rows.streams import Stream
from ilk.writers.rows import BytesWriter

_CUT_OFF = "is cut off where the file is damaged"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Found(NamedTuple):
    """What a kernel found in a piece.

    whole: bytes of whole rows; the next piece begins behind them.
    rows: of the piece in all, those not wanted and those that cannot be read among them.
    texts, ids: of the wanted rows that can be read, each with its kinds (``Kind``).
    replaced: how many of them hold U+FFFD for what is no Unicode.
    bad: the wanted rows that cannot be read: number, begin, end, reason.
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
    """How rows are cut out of bytes and read.

    form: what people call it.
    begin: bytes of the content before the first row.
    header: what stands before the rows in a file of such rows.
    """

    form: str
    begin: int
    header: bytes

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> Found:
        """Read the wanted rows of a piece; all where nothing is said."""

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """The bytes of the wanted rows of a piece of whole ones, each with its notes behind."""

    def noted(self, names: list[str]) -> bytes:
        """The header of rows with notes of these names behind.

        Raises:
            OptionError: the rows have a column of such a name.
        """

    def column(self, found: Found) -> Values:
        """The ids that were found, as values of a column."""

    def unlike(self, other: Grammar) -> str | None:
        """Why rows of another grammar of this form do not fit behind these."""


class _Block(NamedTuple):
    """Whole rows that lie together; or bytes that are cut off.

    start, size: of their bytes in the content of the file.
    rows: how many can be read. bad: which of all rows cannot be; None where there are none.
    cut_off: whether the bytes are but a part of a row.
    """

    start: int
    size: int
    rows: int
    bad: pa.BooleanArray | None
    cut_off: bool = False


class DelimitedRows:
    """A file of such rows. A ``Source``."""

    def __init__(self, name: str, path: str, grammar: Grammar, names: Names) -> None:
        """Read nothing yet.

        Raises:
            OSError: there is no such file.
        """
        self.name, self.form = name, grammar.form
        self.counts = Counts()
        self.failure: str | None = None
        self._path, self._grammar, self._names = path, grammar, names
        self._blocks: list[_Block] = []
        self._stamp = Stamp(name, path)
        self.size = self._stamp.size

    def read(self, tell: Tell) -> Iterator[Part]:
        """Every row that can be read."""
        self.counts, self._blocks, self.failure = Counts(), [], None
        with closing(self._opened()) as stream:
            stream.skip(self._grammar.begin)
            pieces = Pieces(stream)
            while not pieces.last:
                pieces.fill()
                last = pieces.last and pieces.damage is None
                found = self._grammar.read(pieces.column(), last, self._names, None)
                if not found.whole:
                    continue  # The row is longer than the memory, which grows.
                first = self.counts.rows
                self._remember(pieces.start, found)
                tell(stream.progress)
                yield _part(pa.arange(first, self.counts.rows), found)
                pieces.drop(found.whole)
            self._end(pieces)

    def _remember(self, start: int, found: Found) -> None:
        """Note where rows lie, and count them."""
        bad = _marked([row for row, *_ in found.bad], found.rows)
        self._blocks.append(_Block(start, found.whole, len(found.texts), bad))
        counts = self.counts
        counts.rejected += len(found.bad)
        counts.replaced += found.replaced
        for entry in pc.value_counts(found.text_kinds).to_pylist():
            counts.add(Kind(entry["values"]), entry["counts"])

    def _end(self, pieces: Pieces) -> None:
        """Note where the file is damaged, and what is left of a row there."""
        if pieces.damage is None:
            return
        end = pieces.start + pieces.size
        self.failure = (
            f"is damaged after {end:,} bytes of content ({pieces.damage}); the rows before that "
            "were read"
        )
        if pieces.size:
            block = _Block(pieces.start, pieces.size, 0, pa.array([True]), cut_off=True)
            self._blocks.append(block)
            self.counts.rejected += 1

    def again(self, chosen: Chosen, tell: Tell) -> Iterator[Part]:
        """The chosen rows."""
        for first, mask, piece, wanted in self._blocks_with(chosen, tell):
            found = self._grammar.read(piece, True, self._names, wanted)
            rows = pc.add(pc.indices_nonzero(mask).cast(pa.int64()), first)
            if len(found.texts) != len(rows):
                raise self._stamp.changed()
            yield _part(rows, found)

    def column(self, name: str, tell: Tell) -> Iterator[Values]:
        """A column as it is spelled, with the kinds of its values."""
        for _, _, piece, wanted in self._blocks_with(everything, tell):
            found = self._grammar.read(piece, True, Names((), name), wanted)
            yield self._grammar.column(found)

    def kept(
        self, chosen: Chosen, tell: Tell, notes: pa.Table | None = None
    ) -> Iterator[pa.Buffer]:
        """The bytes of the chosen rows, each with its end."""
        for first, mask, piece, wanted in self._blocks_with(chosen, tell):
            own = None if notes is None else notes.slice(first, len(mask)).filter(mask)
            yield self._grammar.content(piece, wanted, own).buffers()[1]

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> BytesWriter:
        """What writes bytes, compressed if the name says so."""
        grammar = self._grammar
        header = grammar.header if notes is None else grammar.noted(notes.names)
        return BytesWriter(out, name, header)

    def rejected(self) -> Iterator[Rejected]:
        """The rows that cannot be read."""
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

    def _bad(self, pieces: Pieces, block: _Block) -> list[tuple[int, int, str]]:
        """Begin, end and reason of what cannot be read in a block."""
        if block.cut_off:
            return [(0, block.size, _CUT_OFF)]
        if block.bad is None:
            return []
        found = self._grammar.read(pieces.column(), True, self._names, block.bad)
        return [(begin, end, reason) for _, begin, end, reason in found.bad]

    def references(self) -> Iterator[tuple[int, Source, int]]:
        """None: every row stands for itself."""
        return iter(())

    def unlike(self, other: Source) -> str | None:
        """Why rows of another such file do not fit behind these."""
        assert isinstance(other, DelimitedRows), "sources of one form are of one class"
        return self._grammar.unlike(other._grammar)

    def signature(self) -> Signature:
        """Size, last change, and a digest of the file's bytes."""
        return self._stamp.signature()

    def _blocks_with(
        self, chosen: Chosen, tell: Tell
    ) -> Iterator[tuple[int, pa.BooleanArray, pa.Array, pa.BooleanArray]]:
        """Every block with a chosen row.

        Yields:
            the number of its first row, which of its rows are chosen, its bytes, and which of all
            its rows, those that cannot be read among them, are chosen.
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
                    yield first, mask, pieces.column(), _spread(mask, block.bad)
                first += block.rows

    def _opened(self) -> Stream:
        """The content of the file, if it is still the same."""
        self._stamp.check()
        return Stream(self._path)


def mark(content: bytes) -> int:
    """Length of the byte order mark that a file begins with.

    Raises:
        Unreadable: it is a mark of UTF-16.
    """
    if content.startswith(_WIDE):
        raise Unreadable("is UTF-16; make it UTF-8 first: iconv -f UTF-16 -t UTF-8")
    return len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0


def _part(rows: pa.Array, found: Found) -> Part:
    ids = found.ids.view(pa.large_string()).cast(pa.string())
    return Part(rows, found.texts.view(pa.large_string()), ids)


def _marked(rows: list[int], count: int) -> pa.BooleanArray | None:
    """Truth values that mark some rows; None if there are none to mark."""
    return pc.is_in(pa.arange(0, count), value_set=pa.array(rows, pa.int64())) if rows else None


def _spread(mask: pa.BooleanArray, bad: pa.BooleanArray | None) -> pa.BooleanArray:
    """Truth values of the rows that can be read as truth values of all rows."""
    if bad is None:
        return mask
    return pc.replace_with_mask(pc.invert(bad), pc.invert(bad), mask)
