"""Columns of numbers in a file: memory that the system may reclaim and load again."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import IO

import pyarrow as pa

from ilk.base import resources
from ilk.base.errors import OutputError, reason_of_error

#: Bytes of what would go into files that are always held in memory, and that go there at a time.
PIECE = 8 << 20

#: Bytes to write at a time. Data written together is loaded together, however little of it is read.
_AT_ONCE = 1 << 16


class MappedColumns:
    """Columns that grow in temporary files, and are then mapped into memory.

    The files have no names: the system removes them when the process ends, however it ends.
    """

    def __init__(
        self,
        kinds: Sequence[pa.DataType],
        max_resident_bytes: int,
        folder: str | os.PathLike[str] | None,
        make_file: Callable[..., IO[bytes]] = tempfile.TemporaryFile,
    ) -> None:
        """Hold nothing yet.

        Args:
            kinds: the types of the columns, numbers without nulls.
            max_resident_bytes: what the process may hold, including pages of these files.
            folder: the folder of the files; None for the system's folder for temporary files.
            make_file: a function that makes a file in a folder ``dir``.
        """
        self._kinds, self._max_resident_bytes = list(kinds), max_resident_bytes
        self._folder = os.fspath(folder) if folder is not None else tempfile.gettempdir()
        self._maps: list[mmap.mmap] = []
        try:
            self._files = [make_file(dir=self._folder, buffering=0) for _ in self._kinds]
        except OSError as error:
            raise self._storage_error(error) from error

    def append(self, values_of_columns: Sequence[pa.Array]) -> None:
        """Append values to each column, one array for each."""
        try:
            for file, added in zip(self._files, values_of_columns, strict=True):
                size = added.type.bit_width // 8
                start, end = added.offset * size, (added.offset + len(added)) * size
                values = memoryview(added.buffers()[1] or b"")[start:end]
                for at in range(0, len(values), _AT_ONCE):
                    file.write(values[at : at + _AT_ONCE])
        except OSError as error:
            raise self._storage_error(error) from error

    def close_and_map_columns(self) -> list[pa.Array]:
        """Close the files and return their columns, mapped; nothing more can be appended."""
        return [
            self._close_and_map_column(*parts)
            for parts in zip(self._files, self._kinds, strict=True)
        ]

    def close(self) -> None:
        """Close the files; columns that are mapped stay."""
        for file in self._files:
            file.close()

    def drop_pages_if_over_limit(self) -> None:
        """Drop all pages if the process holds more than it may; they are loaded again when read."""
        if resources.signed_memory_left_or_unbounded(self._max_resident_bytes) < 0:
            self._drop_pages()

    def release_pages_and_freed_memory(self) -> None:
        """Drop all pages and all freed memory; pages are loaded again when read."""
        resources.release_freed_memory()
        self._drop_pages()

    def _drop_pages(self) -> None:
        advice = getattr(mmap, "MADV_DONTNEED", None)  # Windows reclaims pages by itself.
        if advice is not None:
            for pages in self._maps:
                pages.madvise(advice)

    def _close_and_map_column(self, file: IO[bytes], kind: pa.DataType) -> pa.Array:
        try:
            with file:
                size = file.tell()
                if not size:
                    return pa.array([], kind)
                pages = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except OSError as error:
            raise self._storage_error(error) from error
        self._maps.append(pages)
        return pa.Array.from_buffers(kind, 8 * size // kind.bit_width, [None, pa.py_buffer(pages)])

    def _storage_error(self, error: OSError) -> OutputError:
        return OutputError(
            f"cannot keep working files in {self._folder}: {reason_of_error(error)}. Free some "
            "space, or allow more memory (--memory), so that fewer are needed."
        )
