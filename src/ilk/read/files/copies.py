"""Files of any kind that are byte for byte the same: found by sizes, then by digests."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import pyarrow as pa

from ilk.fingerprints.digest import bytes_digests
from ilk.read.files.content import source_name
from ilk.read.report import Held


class Copy(NamedTuple):
    """Something with the same bytes as another one.

    file: the name of the file on disk that holds it. modified: its last change, in µs.
    """

    source: str
    file: str
    size: int
    modified: int | None
    digest: bytes


class Copies:
    """Which of some files have the bytes of an earlier one."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._sizes: Counter[int] | None = None
        self._seen: set[tuple[int, bytes]] = set()

    def again(self, path: str, size: int) -> bool:
        """Return whether an earlier file has the same bytes, and remember this one."""
        if self._sizes is None:  # Folders of plain files never come here.
            self._sizes = Counter(map(_size, self._paths))
        if self._sizes[size] < 2 or (digest := file_digest(path, size)) is None:
            return False
        again = (size, digest) in self._seen
        self._seen.add((size, digest))
        return again


def copies(paths: Iterable[str], held: Mapping[str, Sequence[Held]]) -> list[Copy]:
    """Return what has a copy among files, and what they hold without a text, in their order.

    Only files of equal size are read; an empty file, or one that cannot be read, is left out.
    """
    sizes: dict[int, list[tuple[int, str, Copy | None]]] = defaultdict(list)
    at = -1
    for at, path in enumerate(paths):
        if size := _size(path):
            sizes[size].append((at, path, None))
    for file, parts in held.items():
        for part in parts:
            at += 1
            if part.digest is not None and part.size and part.source != file:
                copy = Copy(part.source, file, part.size, None, part.digest)
                sizes[part.size].append((at, "", copy))
    found: list[tuple[int, Copy]] = []
    for size, several in sizes.items():
        same: dict[bytes, list[tuple[int, Copy]]] = defaultdict(list)
        for at, path, known in several if len(several) > 1 else ():
            one = known or _copy(path, size)
            if one is not None:
                same[one.digest].append((at, one))
        for group in same.values():
            found += group if len(group) > 1 else ()
    return [copy for _, copy in sorted(found, key=lambda each: each[0])]


def file_digest(path: str, size: int) -> bytes | None:
    """Return the digest of a file, without loading it into memory; None if it has changed."""
    if not size:
        return None
    try:
        with pa.memory_map(path) as file:
            content = file.read_buffer()
    except OSError:
        return None
    if content.size != size:
        return None
    ends = pa.py_buffer(b"".join(end.to_bytes(8, "little") for end in (0, size)))
    column = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, content])
    digest: bytes = bytes_digests(pa.chunked_array([column]))[0].as_py()
    return digest


def _size(path: str) -> int:
    with suppress(OSError):
        return os.stat(path).st_size if os.path.isfile(path) else 0
    return 0


def _copy(path: str, size: int) -> Copy | None:
    with suppress(OSError):
        modified, source = os.stat(path).st_mtime_ns // 1000, source_name(path)
        if digest := file_digest(path, size):
            return Copy(source, source, size, modified, digest)
    return None
