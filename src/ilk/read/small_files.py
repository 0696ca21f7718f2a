"""Small files, read whole in kernels before their turn, while the caller works on others."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from ilk import _kernels
from ilk.base.ahead import map_ahead
from ilk.base.portable import flags_to_read
from ilk.base.run_options import Running
from ilk.read.encodings.kinds import HEAD
from ilk.read.files.content import Content
from ilk.read.files.facts import encode_paths
from ilk.read.files.walk import STDIN, FoundFile
from ilk.read.formats.table import BEGINNINGS_OF_FORMATS, EARLY_MARKS_OF_FORMATS

#: Files that one call of a kernel reads, and the bytes of them that it holds. A thread that comes
#: back from a kernel waits up to 5 ms for the one that runs Python, so it reads many at a time.
_TOGETHER, _TOGETHER_BYTES = 256, 4 << 20

#: Threads that read: one is ahead of the caller, whose work on a file takes longer than reading.
_THREADS = 2


class SmallFiles(NamedTuple):
    """Consecutive files, with what was read of each: small files alone.

    Nothing is said of a file that is not read so, since it is large or empty, standard input, no
    file at all, or cannot be opened: whoever reads it in its turn learns why.

    Attributes:
        files: n files.
        contents: their bytes (``large_binary``); null of one that was not read.
        modified: microseconds from 1970 to their last changes (``int64``); null likewise.
        are_plain_texts: whether each was read, and its content is a text in UTF-8, and certainly of
            no known format whatever its name.
    """

    files: Sequence[FoundFile]
    contents: pa.LargeBinaryArray
    modified: pa.Int64Array
    are_plain_texts: Sequence[bool]

    def slice(self, start: int, stop: int) -> SmallFiles:
        """Return the files from ``start`` up to ``stop``."""
        return SmallFiles(
            self.files[start:stop],
            self.contents.slice(start, stop - start),
            self.modified.slice(start, stop - start),
            self.are_plain_texts[start:stop],
        )

    def each(self) -> Iterator[tuple[FoundFile, Content | None]]:
        """Yield each file with its content, or None if that was not read."""
        for file, content, modified in zip(
            self.files, self.contents.to_pylist(), self.modified.to_pylist(), strict=True
        ):
            yield file, None if content is None else Content(content, modified, len(content))


def read_small_files(
    files: Sequence[FoundFile], running: Running
) -> Generator[SmallFiles, None, None]:
    """Yield the files in order, in pieces of up to ``_TOGETHER``."""
    pieces = [files[at : at + _TOGETHER] for at in range(0, len(files), _TOGETHER)]
    threads = running.thread_count_that_fits(bytes_per_helper=2 * _TOGETHER_BYTES)
    return map_ahead(_read_contents_if_small, pieces, min(threads, _THREADS))


def _read_contents_if_small(files: Sequence[FoundFile]) -> SmallFiles:
    if any(file.path == STDIN for file in files):
        nothing = pa.nulls(len(files))
        return SmallFiles(
            files,
            nothing.cast(pa.large_binary()),
            nothing.cast(pa.int64()),
            [False] * len(files),
        )
    contents, modified = _kernels.read_small_nonempty_files(
        encode_paths([file.path for file in files]),
        pa.array([flags_to_read(follow_link=file.follow) for file in files], pa.int32()),
        HEAD,
        _TOGETHER_BYTES,
    )
    are_plain_texts = _kernels.mark_plain_utf8_texts(
        contents, BEGINNINGS_OF_FORMATS, EARLY_MARKS_OF_FORMATS
    )
    return SmallFiles(files, contents, modified, are_plain_texts)
