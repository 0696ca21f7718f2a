"""Files of any kind that are byte for byte the same: found by sizes, then by digests."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from ilk.fingerprints.digest import bytes_digests
from ilk.read.files.names import source_name


class Copy(NamedTuple):
    """A file with the same bytes as another one: its name, size, last change (µs), and digest."""

    source: str
    size: int
    modified: int
    digest: bytes


def copies(paths: Iterable[str]) -> list[Copy]:
    """Return the files that have a copy among the given ones, in their order.

    Only files of equal size are read; an empty file, or one that cannot be read, is left out.
    """
    sizes: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
    for at, path in enumerate(paths):
        try:
            status = os.stat(path)
        except OSError:
            continue
        if status.st_size and os.path.isfile(path):
            sizes[status.st_size].append((at, path, status.st_mtime_ns // 1000))
    found: list[tuple[int, Copy]] = []
    for size, files in sizes.items():
        same: dict[bytes, list[tuple[int, Copy]]] = defaultdict(list)
        for at, path, modified in files if len(files) > 1 else ():
            digest = _digest(path, size)
            if digest is not None:
                same[digest].append((at, Copy(source_name(path), size, modified, digest)))
        for group in same.values():
            found += group if len(group) > 1 else ()
    return [copy for _, copy in sorted(found)]


def _digest(path: str, size: int) -> bytes | None:
    """Return the digest of a file, without loading it into memory; None if it has changed."""
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
