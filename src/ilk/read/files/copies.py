"""Files of any kind that are byte for byte the same: found by sizes, then by digests."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from ilk.fingerprints.digest import digest_of_rest_of_file
from ilk.read.files.content import Unreadable, open_regular_file, source_name
from ilk.read.report import Held


class ByteCopy(NamedTuple):
    """Something with the same bytes as another one.

    file: the name of the file on disk that holds it. modified: its last change, in µs.
    """

    source: str
    file: str
    size: int
    modified: int | None
    bytes_digest: bytes


class ByteCopies:
    """Which of some files have the bytes of an earlier one."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._contents_seen: set[tuple[int, bytes]] = set()

    @cached_property
    def _file_counts_by_size(self) -> Counter[int]:
        return Counter(map(_regular_file_size_or_zero, self._paths))  # Plain files never need it.

    def is_copy_else_remember(self, path: str, size: int) -> bool:
        """Return whether an earlier file has the same bytes, and remember this one."""
        if (
            not size
            or self._file_counts_by_size[size] < 2
            or (digest := digest_of_file_if_size_matches(path, size)) is None
        ):
            return False
        again = (size, digest) in self._contents_seen
        self._contents_seen.add((size, digest))
        return again


def find_files_and_parts_with_copies(
    paths: Iterable[str], textless_parts_by_file: Mapping[str, Sequence[Held]]
) -> list[ByteCopy]:
    """Return what has a copy among files, and what they hold without a text, in their order.

    Only files of equal size are read; an empty file, or one that cannot be read, is left out.
    """
    sizes_and_places: list[tuple[int, str | ByteCopy]] = [
        (_regular_file_size_or_zero(path), path) for path in paths
    ]
    for file, parts in textless_parts_by_file.items():
        for part in parts:
            if part.digest is not None and part.source != file:
                sizes_and_places.append(
                    (
                        part.size,
                        ByteCopy(
                            source=part.source,
                            file=file,
                            size=part.size,
                            modified=None,
                            bytes_digest=part.digest,
                        ),
                    )
                )
    sizes = Counter(size for size, _ in sizes_and_places)
    read = (
        _byte_copy_if_size_matches(one, size) if isinstance(one, str) else one
        for size, one in sizes_and_places
        if size and sizes[size] > 1
    )
    digested = [copy for copy in read if copy is not None]
    alike = Counter((copy.size, copy.bytes_digest) for copy in digested)
    return [copy for copy in digested if alike[copy.size, copy.bytes_digest] > 1]


def digest_of_file_if_size_matches(path: str, expected_size: int) -> bytes | None:
    """Return the digest of a file, without loading it into memory.

    It is None if the file cannot be read, or has another size than expected.

    It is not mapped: a file that is cut while it is read would end the process.
    """
    with (
        suppress(OSError, Unreadable),
        os.fdopen(open_regular_file(path, follow=True), "rb", 0) as file,
    ):
        digest = digest_of_rest_of_file(file)
        return digest if file.tell() == expected_size else None
    return None


def _regular_file_size_or_zero(path: str) -> int:
    with suppress(OSError):
        return os.stat(path).st_size if os.path.isfile(path) else 0
    return 0


def _byte_copy_if_size_matches(path: str, expected_size: int) -> ByteCopy | None:
    with suppress(OSError):
        modified, source = os.stat(path).st_mtime_ns // 1000, source_name(path)
        if digest := digest_of_file_if_size_matches(path, expected_size):
            return ByteCopy(
                source=source,
                file=source,
                size=expected_size,
                modified=modified,
                bytes_digest=digest,
            )
    return None
