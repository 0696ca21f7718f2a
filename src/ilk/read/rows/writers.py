"""Rows of a data set, written as they were read."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa

from ilk.base.whole import whole_file


def _gzip(out: IO[bytes]) -> Any:
    import gzip

    # Without name and time, so that the same rows give the same bytes.
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0)


def _by_arrow(codec: str) -> Callable[[IO[bytes]], Any]:
    return lambda out: pa.CompressedOutputStream(pa.PythonFile(_LeftOpen(out), mode="w"), codec)


class _LeftOpen(io.RawIOBase):
    """A file that stays open when the codec, which closes whatever it writes to, is closed."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._out.write(content)


#: Compressors by extension; closing one ends what it writes.
CODECS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": _gzip,
    ".lz4": _by_arrow("lz4"),
    ".zst": _by_arrow("zstd"),
}


@contextmanager
def packed_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, compressed if its name says so; it appears complete or not at all.

    Raises:
        OutputError: as of ``whole_file``.
    """
    codec = CODECS.get(path.suffix.lower())
    with whole_file(path) as out:
        if codec is None:
            yield out
        else:
            with closing(codec(out)) as packed:
                yield packed


class BytesWriter:
    """Rows that are bytes, each with its end, after a header; compressed if the name says so."""

    def __init__(self, out: IO[bytes], name: str, header: bytes) -> None:
        """Write the header."""
        codec = CODECS.get(os.path.splitext(name)[1].lower())
        self._out = codec(out) if codec else out
        self._compressed = codec is not None
        self._ends = True
        self.write(header)

    def write(self, rows: bytes | pa.Buffer) -> None:
        """Write rows; first complete a row that lacks its line break, as the last one of a file
        may.
        """
        content = memoryview(rows).cast("B")
        if not len(content):
            return
        if not self._ends:
            self._out.write(b"\n")
        self._out.write(content)
        self._ends = content[-1] in b"\r\n"

    def close(self) -> None:
        """Flush the codec; the file itself stays open."""
        if self._compressed:
            self._out.close()


class Layout(NamedTuple):
    """The layout of a Parquet file: rows per group, and pyarrow's options for the rest."""

    group: int
    options: dict[str, Any]


#: The layout without another file as a model.
_LAYOUT = Layout(1 << 17, {"compression": "zstd"})


def layout(of: Any) -> Layout:
    """Return the layout of a file, from its ``FileMetaData``."""
    groups = [of.row_group(at) for at in range(of.num_row_groups)]
    rows = max([group.num_rows for group in groups], default=0)
    return Layout(rows, _options(of, groups[0])) if rows else _LAYOUT


class ParquetWriter:
    """Writes rows like another file: schema, metadata, compression, and rows per group."""

    def __init__(self, out: IO[bytes], schema: pa.Schema, layout: Layout = _LAYOUT) -> None:
        """Begin a file.

        Args:
            out: the open file to write to.
            schema: its columns, with the metadata of the file.
            layout: the layout of a file with that schema.
        """
        import pyarrow.parquet as pq

        self._group = layout.group
        self._writer = pq.ParquetWriter(out, schema, **layout.options)
        self._schema = schema
        self._held: list[pa.RecordBatch] = []
        self._count = 0

    def write(self, rows: pa.RecordBatch) -> None:
        """Add rows, and write full groups."""
        while self._count + len(rows) >= self._group:
            room = self._group - self._count
            self._held.append(rows.slice(0, room))
            self._flush()
            rows = rows.slice(room)
        self._held.append(rows)
        self._count += len(rows)

    def _flush(self) -> None:
        table = pa.Table.from_batches(self._held, self._schema)
        self._held, self._count = [], 0
        self._writer.write_table(table, row_group_size=self._group)

    def close(self) -> None:
        """Write the last group and the footer; the file itself stays open."""
        if self._count:
            self._flush()
        self._writer.close()


def _options(of: Any, group: Any) -> dict[str, Any]:
    """Return pyarrow's options for a file with the schema and the compression of another."""
    chunks = [group.column(at) for at in range(group.num_columns)]
    codecs = {chunk.path_in_schema: chunk.compression.lower() for chunk in chunks}
    return {
        "compression": {
            path: "none" if codec == "uncompressed" else codec for path, codec in codecs.items()
        },
        "use_dictionary": [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page],
        "use_deprecated_int96_timestamps": any(c.physical_type == "INT96" for c in chunks),
        # The names of list elements, and no Arrow schema if there was none.
        "use_compliant_nested_type": False,
        "store_schema": b"ARROW:schema" in (of.metadata or {}),
    }
