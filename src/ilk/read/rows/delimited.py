"""Rows that follow one another in the bytes of a file: JSON lines and CSV.

The first pass cuts a file into blocks of whole rows and reads them; it remembers where each block
is and which of its rows are unreadable (one bit per row, only if there are any). Later passes go
straight to the blocks with chosen rows, and cut them again, which costs almost nothing. So memory
does not grow with the number of rows, and rows are written as they were read.

In any pass the calling thread reads blocks, and all threads cut those that were read, some of them
ahead of their turn; blocks come in the order of the file.
"""

from __future__ import annotations

import codecs
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.base.ahead import map_ahead
from ilk.base.errors import ColumnTypeError, MissingColumn
from ilk.fingerprints.digest import row_digests_with_null_as_empty
from ilk.read.files.content import Unreadable
from ilk.read.rows.arrow import cast_ids_or_keys_to_texts
from ilk.read.rows.sources import (
    PIECE,
    ColumnRequest,
    Counts,
    Part,
    Rejected,
    RowByteLimit,
    RowChoice,
    Source,
    Stamp,
    TellBytesRead,
    ValueKind,
    Values,
    Writer,
    choose_every_row,
    row_numbers_of_mask,
    row_too_long_error,
)
from ilk.read.rows.streams import Full, ReadBuffer, Stream, TakenBytes, split_codec_and_extension
from ilk.read.rows.writing import BytesWriter

Made = TypeVar("Made")

_NUMBERS = (pa.int64(), pa.uint64(), pa.float64())
_TIMES = (pa.timestamp("us"), pa.timestamp("us", tz="UTC"))

#: The types for values of one kind; the first that fits all of them is used.
_TYPES = {
    ValueKind.BOOL: (pa.bool_(),),
    ValueKind.NUMBER: _NUMBERS,
    ValueKind.STRING: (*_TIMES, pa.string()),
    ValueKind.FIELD: (*_NUMBERS, *_TIMES, pa.string()),
}
_WORDS = {
    ValueKind.BOOL: "truth values",
    ValueKind.NUMBER: "numbers",
    ValueKind.STRING: "strings",
    ValueKind.NESTED: "objects or lists",
    ValueKind.FIELD: "fields of CSV",
}


def infer_typed_column(
    column_name: str, pieces: Iterable[Values], *, as_written: bool
) -> pa.ChunkedArray:
    """Return all values of a column, in a type that fits them, or as they are written.

    Numbers become ``int64``, ``uint64`` or ``float64``; strings that are all ISO 8601 times,
    ``timestamp``; CSV fields, which have no kind, whichever of these fits; absent values are null.

    Raises:
        ColumnTypeError: no row has the column; or it has values of several kinds.
    """
    pieces = list(pieces)
    plain_values = [piece.values for piece in pieces if piece.kinds is None]
    if not plain_values:
        return _infer_typed_column_of_written_values(column_name, pieces, as_written=as_written)
    if len(plain_values) < len(pieces):
        raise ColumnTypeError(
            f"the column {column_name} is in files of different formats, which write values in "
            "ways of their own. Convert them to one format, or run each format by itself."
        )
    try:
        tables = [
            pa.table({"": cast_ids_or_keys_to_texts(column_name, p) if as_written else p})
            for p in plain_values
        ]
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        types = ", ".join(sorted({str(piece.type) for piece in plain_values}))
        raise ColumnTypeError(
            f"the column {column_name} has the types {types}; cast them."
        ) from error


def spell_values_and_nulls(values: pa.ChunkedArray, spell: Callable[[Any], str]) -> pa.ChunkedArray:
    """Write values, including nulls, in the way of a format; each is written once."""
    encoded = flat(values).dictionary_encode()
    spelled = pa.array([spell(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return pc.fill_null(spelled.take(encoded.indices), spell(None))


def _infer_typed_column_of_written_values(
    column_name: str, pieces: list[Values], *, as_written: bool
) -> pa.ChunkedArray:
    """Return the values of JSON lines or CSV in a type that fits them, or as they are written."""
    values = pa.chunked_array([piece.values for piece in pieces], pa.large_string())
    kinds = pa.chunked_array([piece.kinds for piece in pieces], pa.uint8())
    kinds_seen = {ValueKind(kind) for kind in pc.unique(kinds).to_pylist()}
    if len(values) and kinds_seen == {ValueKind.MISSING}:
        raise MissingColumn(f"no row has the column {column_name}")
    kinds_seen -= {ValueKind.MISSING, ValueKind.NULL}
    if not kinds_seen:
        return pa.chunked_array([pa.nulls(len(values))])
    if len(kinds_seen) > 1 or ValueKind.NESTED in kinds_seen:
        words = " and ".join(_WORDS[kind] for kind in sorted(kinds_seen))
        raise ColumnTypeError(
            f"the column {column_name} holds {words}; it must hold values of one kind. Name a "
            f"field of an object with a dot: {column_name}.field"
        )
    kind = kinds_seen.pop()
    if kind is ValueKind.FIELD:
        values = pc.if_else(pc.equal(values, ""), None, values)
    if as_written:
        return values
    *narrower, widest = _TYPES[kind]
    for type_ in narrower:
        try:
            return values.cast(type_)
        except pa.ArrowInvalid:
            continue
    return values.cast(widest)


_CUT_OFF = "is cut off where the file is damaged"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class RowCut(NamedTuple):
    """The rows that a kernel cut out of a piece.

    whole: bytes of whole rows; the next piece begins after them.
    rows: all rows of the piece, including unwanted and unreadable ones. texts, ids: of the wanted
    readable rows, each with its kinds. replaced: how many of them have U+FFFD in place of invalid
    Unicode.
    bad: the wanted unreadable rows: number, begin, end, reason.
    others: other columns of the wanted readable rows, each with its kinds.
    """

    whole: int
    rows: int
    texts: pa.LargeBinaryArray
    text_kinds: pa.UInt8Array
    ids: pa.LargeBinaryArray
    id_kinds: pa.UInt8Array
    replaced: int
    bad: tuple[pa.Int64Array, pa.Int64Array, pa.Int64Array, pa.DictionaryArray]
    others: Sequence[tuple[pa.LargeBinaryArray, pa.UInt8Array]] = ()


class _CutBlock(NamedTuple):
    """Consecutive whole rows; or truncated bytes.

    start, size: of their bytes in the content. rows: how many are readable.
    digest: of the bytes. bad: which of all rows are not readable; None if all are. cut_off: whether
    this is only part of a row.
    """

    start: int
    size: int
    rows: int
    digest: bytes
    bad: pa.BooleanArray | None
    cut_off: bool = False


class WholeRows(NamedTuple):
    """How many bytes of whole rows a piece has; and the rows, if these had to be cut to know it."""

    size: int
    cut: RowCut | None


class _ReadPiece(NamedTuple):
    """A piece of whole rows that was read, and perhaps cut; and whether nothing follows it."""

    piece: TakenBytes
    is_last: bool
    cut: RowCut | None


class _UnreadableRow(NamedTuple):
    """Where an unreadable row is in its piece, in bytes, and why it cannot be read."""

    begin: int
    end: int
    reason: str


class _LoadedBlock(NamedTuple):
    """A block that was read again, the number of its first row, and which of its readable rows are
    chosen.
    """

    piece: TakenBytes
    block: _CutBlock
    first_row: int
    chosen_mask: pa.BooleanArray


#: Makes something of the bytes of a block: the number of its first row, which of its readable rows
#: are chosen, the bytes, and which of all its rows are chosen.
_BlockWork: TypeAlias = Callable[[int, pa.BooleanArray, pa.Array, pa.BooleanArray], Made]


class DelimitedRows(Source):
    """The rows of a file that are cut out of its bytes.

    begin: bytes of the content before the first row. header: those before the rows in a file.
    """

    begin: int
    header: bytes = b""
    #: For messages: why a row may be too long.
    _possible_reason_of_long_rows = ""

    def __init__(self, name: str, path: str, request: ColumnRequest) -> None:
        """Read nothing yet; OSError if there is no such file."""
        self._stamp = Stamp(name, path)
        super().__init__(name, self._stamp.size)
        self._path, self._request = path, request
        self._blocks: list[_CutBlock] = []
        self._columns_read: dict[str, list[Values]] = {}

    def _other_columns_read_with_texts(self, request: ColumnRequest) -> list[str]:
        """Return the other columns that are read together with the texts."""
        return list(request.others)

    @property
    def yields_groups(self) -> bool:
        within = self._request.within
        return bool(within) and {*within} <= {*self._other_columns_read_with_texts(self._request)}

    @abstractmethod
    def _cut_rows(
        self, piece: pa.Array, is_last: bool, request: ColumnRequest, wanted_mask: pa.Array | None
    ) -> RowCut:
        """Cut the bytes of a piece into rows, and read the wanted ones; None wants all.

        is_last: whether nothing follows, so that the last row is whole without a line end.
        """

    @abstractmethod
    def _bytes_of_wanted_rows(
        self, piece: pa.Array, wanted_mask: pa.Array, added_columns: pa.Table | None
    ) -> pa.Array:
        """Return the bytes of the wanted rows of a piece of whole ones, with added columns."""

    def _open_content(self) -> Stream:
        """Open the content of the file."""
        return Stream(self._path)

    def _row_byte_limit_now(self) -> RowByteLimit:
        """Return how long a row of this file may be, with the memory that is free now."""
        return self._request.limits.byte_limit_now(
            self.size if split_codec_and_extension(self._path).codec else None
        )

    def _header_with_added_columns_or_refuse(self, added_columns: pa.Schema) -> bytes:
        """Return the header of rows with more columns; OptionError if a name exists already."""
        del added_columns
        return self.header

    def read_and_count(self, tell: TellBytesRead) -> Iterator[Part]:
        self.counts, self._blocks, self.failure = Counts(), [], None
        self.first_other = None
        self._columns_read = {
            name: [] for name in self._other_columns_read_with_texts(self._request)
        }
        limit = self._row_byte_limit_now()
        with closing(self._open_unchanged_content()) as stream:
            stream.skip_bytes_or_to_end(self.begin)
            buffer = ReadBuffer(stream, max_bytes=limit.max_bytes)

            def cut(read: _ReadPiece) -> tuple[TakenBytes, bytes, RowCut]:
                piece, is_last, rows = read
                if rows is None:
                    rows = self._cut_rows(piece.view_bytes(), is_last, self._request, None)
                digest = piece.digest()
                buffer.recycle_memory_of(piece)
                return piece, digest, rows

            jobs = self._request.jobs
            try:
                with closing(
                    map_ahead(cut, self._take_whole_rows(buffer), jobs, _is_long_piece)
                ) as cuts:
                    for piece, digest, rows in cuts:
                        first = self.counts.rows
                        self._remember_block_and_count_rows(piece, digest, rows)
                        tell(piece.file_bytes_read)
                        for column, (values, kinds) in zip(
                            self._columns_read.values(), rows.others, strict=True
                        ):
                            column.append(Values(values.view(pa.large_string()), kinds))
                        part = _part_of_cut_rows(pa.arange(first, self.counts.rows), rows)
                        yield part._replace(groups=self._groups_of_last_rows_or_none())
            except Full:
                raise row_too_long_error(
                    self.name, self.counts.rows, limit, self._possible_reason_of_long_rows
                ) from None
            # After the last row: a file that was appended to meanwhile must not pass for the one
            # that was seen.
            self._stamp.refuse_if_changed()
            if buffer.damage is None:
                return
            self.failure = (
                f"is damaged after {buffer.start + buffer.size:,} bytes of content "
                f"({buffer.damage}); the rows before that were read"
            )
            if buffer.size:  # The rest of a row.
                rest = buffer.take_first_bytes(buffer.size)
                self._blocks.append(
                    _CutBlock(
                        start=rest.start,
                        size=rest.size,
                        rows=0,
                        digest=rest.digest(),
                        bad=None,
                        cut_off=True,
                    )
                )
                self.counts.rejected += 1

    def _groups_of_last_rows_or_none(self) -> pa.FixedSizeBinaryArray | None:
        """Return the groups of the rows that were read last; None if this source has none."""
        if not self.yields_groups:
            return None
        return row_digests_with_null_as_empty(
            [self._columns_read[name][-1].values for name in self._request.within]
        )

    def _take_whole_rows(self, buffer: ReadBuffer) -> Iterator[_ReadPiece]:
        """Yield the content in pieces of whole rows; Full where a row is too long."""
        while not buffer.last:
            buffer.fill_memory_enlarged_if_full()
            is_last = buffer.last and buffer.damage is None
            size, cut = self._measure_or_cut_whole_rows(buffer, is_last)
            if size:  # Else the row is longer than the buffer, which grows.
                yield _ReadPiece(buffer.take_first_bytes(size), is_last, cut)

    def _measure_or_cut_whole_rows(self, buffer: ReadBuffer, is_last: bool) -> WholeRows:
        """Return how many of the bytes held are whole rows."""
        cut = self._cut_rows(buffer.view_held_bytes(), is_last, self._request, None)
        return WholeRows(cut.whole, cut)

    def _remember_block_and_count_rows(self, piece: TakenBytes, digest: bytes, cut: RowCut) -> None:
        """Remember where a block is, add its rows to the counts, and note the first odd value."""
        first, unread, bad = self.counts.rows, cut.bad[0], None
        if len(unread):
            marks = pc.scatter(pa.repeat(True, len(unread)), unread, max_index=cut.rows - 1)
            bad = pc.fill_null(marks, False)
        self._blocks.append(
            _CutBlock(
                start=piece.start,
                size=piece.size,
                rows=len(cut.texts),
                digest=digest,
                bad=bad,
            )
        )
        self.counts.rejected += len(unread)
        self.counts.replaced += cut.replaced
        for kind, count in arrow.count_values(cut.text_kinds).items():
            self.counts.add_rows(ValueKind(kind), count)
            if self.first_other is None and kind in _WORDS and kind != ValueKind.STRING:
                row = first + pc.index(cut.text_kinds, pa.scalar(kind, pa.uint8())).as_py()
                self.first_other = row, _WORDS[ValueKind(kind)]

    def read_again(self, choice: RowChoice, tell: TellBytesRead) -> Iterator[Part]:
        def cut(first: int, mask: pa.Array, piece: pa.Array, wanted_mask: pa.Array) -> Part:
            return _part_of_cut_rows(
                row_numbers_of_mask(mask, first),
                self._cut_rows(piece, True, self._request, wanted_mask),
            )

        yield from self._map_chosen_blocks(choice, tell, cut, self._request.jobs)

    def read_column(self, column_path: str, tell: TellBytesRead) -> Iterator[Values]:
        """Yield a column as written, with the kinds of its values."""
        if column_path in self._columns_read:
            yield from self._columns_read[column_path]
            return

        def cut(_first: int, _mask: pa.Array, piece: pa.Array, wanted_mask: pa.Array) -> Values:
            rows = self._cut_rows(piece, True, ColumnRequest((), column_path), wanted_mask)
            return Values(rows.ids.view(pa.large_string()), rows.id_kinds)

        yield from self._map_chosen_blocks(choose_every_row, tell, cut, self._request.jobs)

    def read_rows_for_writer(
        self, choice: RowChoice, tell: TellBytesRead, added_columns: pa.Table | None = None
    ) -> Iterator[pa.Buffer]:
        def gather(first: int, mask: pa.Array, piece: pa.Array, wanted_mask: pa.Array) -> pa.Buffer:
            own = (
                None
                if added_columns is None
                else added_columns.slice(first, len(mask)).filter(mask)
            )
            return self._bytes_of_wanted_rows(piece, wanted_mask, own).buffers()[1]

        # One of the threads writes meanwhile.
        yield from self._map_chosen_blocks(choice, tell, gather, max(1, self._request.jobs - 1))

    def open_writer(
        self, out: IO[bytes], file_name: str, added_columns: pa.Schema | None = None
    ) -> Writer:
        return BytesWriter(
            out,
            file_name,
            self.header
            if added_columns is None
            else self._header_with_added_columns_or_refuse(added_columns),
        )

    def read_rejected_rows(self) -> Iterator[Rejected]:
        """Yield the unreadable rows, by line."""
        if not self.counts.rejected:
            return
        with closing(self._open_unchanged_content()) as stream:
            buffer = ReadBuffer(stream)
            header = buffer.skip_to_and_take(0, self.begin)
            line = 1 + header.count_line_ends(0, header.size)
            for block in self._blocks:
                piece = buffer.skip_to_and_take(block.start, block.size)
                self._refuse_changed_block(piece, block)
                counted_to, unreadable = (
                    0,
                    iter([_UnreadableRow(0, block.size, _CUT_OFF)][: block.cut_off]),
                )
                if block.bad is not None:
                    unreadable = _unreadable_rows(
                        self._cut_rows(piece.view_bytes(), True, self._request, block.bad)
                    )
                for begin, end, reason in unreadable:
                    line += piece.count_line_ends(counted_to, begin)
                    counted_to = begin
                    yield Rejected(self.name, line, reason, piece.copy_bytes(begin, end))
                line += piece.count_line_ends(counted_to, piece.size)
                buffer.recycle_memory_of(piece)

    def _map_chosen_blocks(
        self, choice: RowChoice, tell: TellBytesRead, work: _BlockWork[Made], jobs: int
    ) -> Iterator[Made]:
        """Read each block with a chosen row again, and yield in order what ``work`` makes of it, on
        as many threads as ``jobs``.
        """
        with closing(self._open_unchanged_content()) as stream:
            buffer = ReadBuffer(stream)

            def load() -> Iterator[_LoadedBlock]:
                first = 0
                for block in self._blocks:
                    mask = choice(first, block.rows)
                    if mask is not None:
                        piece = buffer.skip_to_and_take(block.start, block.size)
                        yield _LoadedBlock(piece, block, first, mask)
                    first += block.rows

            def make(loaded_block: _LoadedBlock) -> tuple[int, Made]:
                piece, block, first, mask = loaded_block
                self._refuse_changed_block(piece, block)
                good = None if block.bad is None else pc.invert(block.bad)
                wanted_mask = mask if good is None else pc.replace_with_mask(good, good, mask)
                made = work(first, mask, piece.view_bytes(), wanted_mask)
                buffer.recycle_memory_of(piece)
                return piece.file_bytes_read, made

            with closing(map_ahead(make, load(), jobs, _is_long_block)) as results:
                for file_bytes_read, made in results:
                    tell(file_bytes_read)
                    yield made

    def _refuse_changed_block(self, piece: TakenBytes, block: _CutBlock) -> None:
        """Raise SourceChanged if the bytes of a block are not those that were first read."""
        if piece.digest() != block.digest:
            raise self._stamp.changed_error()

    def _open_unchanged_content(self) -> Stream:
        with self._stamp.refuse_changes_before_and_on_error():
            return self._open_content()


def _is_long_piece(read: _ReadPiece) -> bool:
    return read.piece.size > PIECE


def _is_long_block(block: _LoadedBlock) -> bool:
    return block.piece.size > PIECE


def join_rows_as_byte_array(rows: Iterable[bytes]) -> pa.Array:
    """Return rows in the form in which kernels return them: as bytes, one after the other."""
    content = pa.py_buffer(b"".join(rows))
    return pa.Array.from_buffers(pa.uint8(), content.size, [None, content])


def utf8_mark_length_or_refuse_utf16(content: bytes) -> int:
    """Return the length of the byte order mark of UTF-8, or 0; Unreadable if it is of UTF-16."""
    if content.startswith(_WIDE):
        raise Unreadable("is UTF-16; convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8")
    return len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0


def _unreadable_rows(cut: RowCut) -> Iterator[_UnreadableRow]:
    """Yield the wanted rows that cannot be read; as values of Python, only some at a time."""
    for first in range(0, len(cut.bad[0]), 1 << 10):
        columns = (column.slice(first, 1 << 10).to_pylist() for column in cut.bad[1:])
        yield from map(_UnreadableRow._make, zip(*columns, strict=True))


def _part_of_cut_rows(row_numbers: pa.Int64Array, cut: RowCut) -> Part:
    ids = cut.ids.view(pa.large_string()).cast(pa.string())
    return Part(row_numbers, cut.texts.view(pa.large_string()), ids)
