"""Files of equal bytes among any files, in three stages: size, first block, all bytes.

Each stage looks only at the files that the one before could not tell apart. No file is read as a
text, and only a file that begins like another one of its size is read to its end.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from ilk.base.progress import Progress
from ilk.fingerprints.digest import bytes_digests, digest_of_file
from ilk.read.files.content import Unreadable, open_regular_file, spell_os_error
from ilk.read.files.walk import FoundFile

#: Bytes of the first block, and files whose first blocks one task reads.
FIRST_BLOCK, _TOGETHER = 1 << 14, 64

_CHANGED = "changed while it was read"

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


class FileBytes(NamedTuple):
    """What is known of the bytes of a file.

    Attributes:
        size: how many there are.
        modified: the last change of the file, in µs.
        digest: of all of them (16 bytes); None if no other file has the same bytes, and for an
            empty file.
        failure: why it could not be read; "" if it could, or if there was no need to.
    """

    size: int = 0
    modified: int | None = None
    digest: bytes | None = None
    failure: str = ""


class _OneFile(NamedTuple):
    """A file to open, whatever names it has; the order is about that of the disk."""

    device: int
    inode: int
    size: int
    path: str
    follow: bool


def compare_files(files: Sequence[FoundFile], jobs: int, tell: Progress) -> list[FileBytes]:
    """Return what is known of each file; two have equal digests if their bytes are equal.

    A file with several names is read once.

    Args:
        files: n files.
        jobs: how many are read at a time.
        tell: follows the names that are done with.
    """
    bytes_of = [FileBytes()] * len(files)
    names: dict[tuple[int, int], list[int]] = {}
    once: dict[tuple[int, int], _OneFile] = {}
    for at, file in enumerate(files):
        try:
            status = os.stat(file.path, follow_symlinks=file.follow)
        except OSError as error:
            bytes_of[at] = FileBytes(failure=spell_os_error(error))
            continue
        key = (status.st_dev, status.st_ino)
        bytes_of[at] = FileBytes(status.st_size, status.st_mtime_ns // 1000)
        names.setdefault(key, []).append(at)
        once[key] = _OneFile(*key, status.st_size, file.path, file.follow)
    done = len(files)
    tell("read", 0, done, 0)

    def alike(some: Iterable[_OneFile], value: Callable[[_OneFile], object]) -> list[_OneFile]:
        """Return those that share a value with another name of a file, in the disk's order."""
        listed = sorted(some)
        counts = Counter[object]()
        for one in listed:
            counts[value(one)] += len(names[one.device, one.inode])
        return [one for one in listed if counts[value(one)] > 1]

    def note(one: _OneFile, digest: bytes | str) -> None:
        """Record the digest of a file, or why it could not be read, under all of its names."""
        for at in names[one.device, one.inode]:
            found = {"failure": digest} if isinstance(digest, str) else {"digest": digest}
            bytes_of[at] = bytes_of[at]._replace(**found)

    begins: dict[_OneFile, bytes] = {}
    whole: dict[_OneFile, bytes] = {}
    sized = alike((one for one in once.values() if one.size), lambda one: one.size)
    left, read = done - sum(len(names[one.device, one.inode]) for one in sized), 0
    pieces = [sized[at : at + _TOGETHER] for at in range(0, len(sized), _TOGETHER)]
    for piece, blocks in _map_in_threads(_digest_first_blocks, pieces, jobs):
        for one, block in zip(piece, blocks, strict=True):
            left += len(names[one.device, one.inode])
            if isinstance(block, str):
                note(one, block)
                continue
            read += min(one.size, FIRST_BLOCK)
            begins[one] = block
        tell("read", left, done, read)
    begun = alike(begins, lambda one: (one.size, begins[one]))
    whole |= {one: begins[one] for one in begun if one.size <= FIRST_BLOCK}
    longer = [one for one in begun if one.size > FIRST_BLOCK]
    for one, digest in _map_in_threads(_digest_whole, longer, jobs):
        if isinstance(digest, str):
            note(one, digest)
            continue
        whole[one] = digest
        read += one.size
        tell("read", done, done, read)
    for one in alike(whole, lambda one: (one.size, whole[one])):
        note(one, whole[one])
    return bytes_of


def _map_in_threads(
    function: Callable[[_Item], _Answer], items: Sequence[_Item], jobs: int
) -> Iterator[tuple[_Item, _Answer]]:
    """Yield each item with the answer of a function, in their order; some are worked at a time."""
    if jobs == 1 or len(items) < 2:
        yield from ((item, function(item)) for item in items)
        return
    pool = ThreadPoolExecutor(jobs)
    try:
        yield from zip(items, pool.map(function, items), strict=True)
    finally:
        pool.shutdown(cancel_futures=True)


def _digest_first_blocks(files: Sequence[_OneFile]) -> list[bytes | str]:
    """Return for each file the digest of its first block, or why it could not be read."""
    blocks: list[bytes | None] = []
    failures: dict[int, str] = {}
    for at, one in enumerate(files):
        try:
            descriptor = open_regular_file(one.path, follow=one.follow)
            with os.fdopen(descriptor, "rb", 0) as file:
                block = file.read(FIRST_BLOCK + 1)
        except (OSError, Unreadable) as error:
            failures[at] = spell_os_error(error) if isinstance(error, OSError) else str(error)
            blocks.append(None)
            continue
        if len(block) != min(one.size, FIRST_BLOCK + 1):
            failures[at] = _CHANGED
        blocks.append(block[:FIRST_BLOCK])
    digests = bytes_digests(blocks).to_pylist()
    return [failures.get(at, digest) for at, digest in enumerate(digests)]


def _digest_whole(one: _OneFile) -> bytes | str:
    """Return the digest of a file, or why it could not be read; it is never held as a whole.

    It is not mapped: a file that is cut while it is read would end the process.
    """
    try:
        descriptor = open_regular_file(one.path, follow=one.follow)
        with os.fdopen(descriptor, "rb", 0) as file:
            digest = digest_of_file(file)
            return digest if file.tell() == one.size else _CHANGED
    except (OSError, Unreadable) as error:
        return spell_os_error(error) if isinstance(error, OSError) else str(error)
