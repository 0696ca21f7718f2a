"""Copying records from one archive to another, as compressed bytes if possible."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import IO, NamedTuple, Protocol

from ilk.companions import CODECS
from ilk_web.warc.entries import Entry
from ilk_web.warc.forms import Form
from ilk_web.warc.frames import STEP, ArchivePath, Frames, open_archive
from ilk_web.warc.heads import LONGEST, head_of_truncated_record


class RecordCopies(NamedTuple):
    """Records of an archive to copy: the file, its form, and where they are, in their order."""

    path: ArchivePath
    kind: Form
    entries: Iterable[Entry]


class Copier:
    """A file to copy records to, each in its own frame if the file's name has a codec."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        """Write nothing yet."""
        self._out = out
        self._codec = os.path.splitext(name)[1].lower()
        self._compress = CODECS.get(self._codec)

    def write(self, rows: RecordCopies) -> None:
        """Copy records; EOFError if the archive ends before they do.

        A record in its own frame is copied as it is, byte for byte, if the file is compressed in
        the same way; otherwise its decompressed bytes are copied. The head of a record that is cut
        off says the length of what there is, so that what follows can be read.
        """
        path, kind, entries = rows
        with closing(Frames(path)) as source, open_archive(path) as file:
            same = source.codec == (self._codec if self._compress else "")
            for entry in entries:
                if (
                    same
                    and source.frames_are_independent
                    and entry.end >= 0
                    and entry.rewrite is None
                ):
                    file.seek(entry.place.frame)
                    _copy_bytes(file, self._out, entry.end - entry.place.frame)
                else:
                    source.go_to(entry.place)
                    self._copy_decompressed_record(source, entry, kind)

    def _copy_decompressed_record(self, record: Frames, entry: Entry, kind: Form) -> None:
        out = self._compress(self._out) if self._compress else self._out
        size = entry.size
        if entry.rewrite is not None:
            out.write(entry.rewrite(read_record(record, size)))
            size = 0
        elif entry.is_cut_off:
            head = record.read(min(LONGEST, size))
            end = min(at + len(it) for it in kind.ends if (at := head.find(it)) >= 0)
            out.write(head_of_truncated_record(head[:end], size - end) + head[end:])
            size -= len(head)
        _copy_bytes(record, out, size)
        out.write(kind.trailers[0])
        if self._compress:
            out.close()

    def close(self) -> None:
        """Do nothing: every record is written at once."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _read_pieces(source: _Readable, size: int) -> Iterator[bytes]:
    """Yield as many bytes as this, in pieces; EOFError if the archive ends before."""
    while size:
        piece = source.read(min(STEP, size))
        if not piece:
            raise EOFError("ends before its records do")
        yield piece
        size -= len(piece)


def read_record(source: Frames, size: int) -> bytes:
    """Return the bytes of a record; EOFError if the archive ends before it does."""
    return b"".join(_read_pieces(source, size))


def _copy_bytes(source: _Readable, out: IO[bytes], size: int) -> None:
    for piece in _read_pieces(source, size):
        out.write(piece)
