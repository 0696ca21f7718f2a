"""Small files, read whole in kernels before their turn, while the caller works on others."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

import pyarrow as pa

from ilk import _kernels
from ilk.base.ahead import map_ahead
from ilk.base.portable import flags_to_read
from ilk.read.encodings.kinds import HEAD
from ilk.read.files.content import Content
from ilk.read.files.facts import encode_paths
from ilk.read.files.walk import STDIN, FoundFile

#: Files that one call of a kernel reads, and the bytes of them that it holds. A thread that comes
#: back from a kernel waits up to 5 ms for the one that runs Python, which takes 30 us for a file.
_TOGETHER, _TOGETHER_BYTES = 256, 4 << 20

#: Threads that read: one is ahead of the caller, whose work on a file takes longer than reading.
_THREADS = 2


def read_small_files(
    files: Sequence[FoundFile], jobs: int
) -> Generator[tuple[FoundFile, Content | None], None, None]:
    """Yield files in their order, each with its content if that was read: small files alone.

    Nothing is said of a file that is not read so, since it is large or empty, standard input, no
    file at all, or cannot be opened: whoever reads it in its turn learns why.
    """
    pieces = [files[at : at + _TOGETHER] for at in range(0, len(files), _TOGETHER)]
    contents_of_pieces = map_ahead(_read_contents_if_small, pieces, min(jobs, _THREADS))
    with closing(contents_of_pieces):
        for piece, contents in zip(pieces, contents_of_pieces, strict=True):
            yield from zip(piece, contents, strict=True)


def _read_contents_if_small(files: Sequence[FoundFile]) -> list[Content | None]:
    """Return the contents of files, as ``read_small_files`` does."""
    if any(file.path == STDIN for file in files):
        return [None] * len(files)
    contents, change_times = _kernels.read_small_nonempty_files(
        encode_paths([file.path for file in files]),
        pa.array([flags_to_read(follow_link=file.follow) for file in files], pa.int32()),
        HEAD,
        _TOGETHER_BYTES,
    )
    return [
        None if content is None else Content(content, changed, len(content))
        for content, changed in zip(contents.to_pylist(), change_times.to_pylist(), strict=True)
    ]
