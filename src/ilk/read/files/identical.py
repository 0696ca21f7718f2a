"""Files of equal bytes among any files, in three stages: size, first block, all bytes.

Each stage looks only at the files that the one before could not tell apart. No file is read as a
text, and only a file that begins like another one of its size is read to its end.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.ahead import map_ahead
from ilk.base.portable import flags_to_read
from ilk.base.progress import Progress
from ilk.fingerprints.digest import (
    bytes_digests,
    digest_of_rest_of_file,
    first_rows_with_same_digest_or_null,
)
from ilk.read.files.content import Unreadable, open_regular_file, spell_os_error
from ilk.read.files.facts import FileFacts, encode_paths, stat_files
from ilk.read.files.walk import FoundFile

#: Bytes of the first block, which is read of each file that is as large as another one; a file of
#: at most that size is then known, and others are read whole where their blocks agree. Of 103,000
#: such files below /usr, 40 were read whole in vain; with 4 KB, 340 would be, and with 64 KB, 4. A
#: larger block reads more of files that differ at once. Which files are identical is the same at
#: any size.
FIRST_BLOCK = 1 << 14

#: The most files, and about the most bytes, that one task reads.
_TOGETHER, _TOGETHER_BYTES = 512, 1 << 26

_CHANGED = "changed while it was read"

#: More bytes than any file has.
_WHOLE = (1 << 63) - 1

#: What is known of the bytes of a file: how many there are; the last change, in µs; the digest of
#: all, null if no other file has the same bytes and for an empty file; and why it could not be
#: read, null if it could, or if there was no need to.
FILE_BYTES = pa.schema(
    [
        pa.field("size", pa.int64()),
        pa.field("modified", pa.int64()),
        pa.field("bytes_digest", arrow.DIGEST),
        pa.field("failure", pa.string()),
    ]
)


class _FactsOrFailure(NamedTuple):
    """What the system says of a file; or why it says nothing.

    Attributes:
        size: its bytes.
        modified: its last change, in µs.
        identity: the device and the number of the file there, 16 bytes.
    """

    size: int | None
    modified: int | None
    identity: bytes | None
    failure: str | None


def read_facts_with_copy_digests(files: Sequence[FoundFile], jobs: int, tell: Progress) -> pa.Table:
    """Return what is known of each file; two have equal digests if their bytes are equal.

    A file with several names is read once.

    Args:
        files: n files.
        jobs: how many are read at a time.
        tell: follows the names that are done with.

    Returns:
        n rows of ``FILE_BYTES``.
    """
    tell("read", 0, len(files), 0)
    facts, stat_failures = _stat_files_and_note_failures(files)
    reader = _FileReader(files=files, facts=facts, failures=stat_failures, jobs=jobs, tell=tell)
    sizes = facts.sizes
    full = pc.fill_null(pc.greater(sizes, 0), False)
    sized = _wanted_rows_with_equal_values(sizes, full)
    begins = reader.digest_first_bytes_else_null(sized, FIRST_BLOCK, files_done=0)
    encoded = begins.dictionary_encode()
    begins_of_sizes = pc.add(
        pc.multiply(encoded.indices.cast(pa.int64()), len(files) + 1),
        sizes.dictionary_encode().indices.cast(pa.int64()),
    )
    begun = _wanted_rows_with_equal_values(begins_of_sizes, begins.is_valid())
    short = pc.less_equal(sizes, FIRST_BLOCK)
    longer = begun.filter(pc.invert(short.take(begun)))
    whole = pc.if_else(
        short, begins, reader.digest_first_bytes_else_null(longer, _WHOLE, files_done=len(files))
    )
    alike = _wanted_rows_with_equal_values(whole, whole.is_valid())
    twice = pc.is_in(pa.arange(0, len(files)), value_set=alike)
    columns = {
        "size": sizes,
        "modified": facts.modified,
        "bytes_digest": pc.if_else(twice, whole, None),
        "failure": reader.failures_of_files(),
    }
    return pa.table(columns, schema=FILE_BYTES)


def _wanted_rows_with_equal_values(values: pa.Array, wanted_mask: pa.Array) -> pa.Array:
    """Return those of the wanted rows whose value another of them has too."""
    rows = pa.arange(0, len(values)).filter(wanted_mask)
    return rows.filter(pc.greater(arrow.count_rows_with_same_name(values.filter(wanted_mask)), 1))


class _FactsAndFailures(NamedTuple):
    """What the system says of n files; and by the row of some, why it says nothing."""

    facts: FileFacts
    failures: dict[int, str]


def _stat_files_and_note_failures(files: Sequence[FoundFile]) -> _FactsAndFailures:
    """Ask the system about files, and open none; what the kernel cannot ask is tried here."""
    follow = pa.array([file.follow for file in files], pa.bool_())
    fact_columns = list(stat_files(encode_paths([file.path for file in files]), follow))
    mask, failures = fact_columns[0].is_null(), dict[int, str]()
    missing = pc.indices_nonzero(mask).to_pylist()
    if missing:
        again = [_stat_file_or_say_why_not(files[row]) for row in missing]
        *columns, reasons = zip(*again, strict=True)
        for column, values in enumerate(columns):
            kind = fact_columns[column].type
            fact_columns[column] = pc.replace_with_mask(
                fact_columns[column], mask, pa.array(values, kind)
            )
        failures = {row: why for row, why in zip(missing, reasons, strict=True) if why is not None}
    return _FactsAndFailures(FileFacts._make(fact_columns), failures)


def _stat_file_or_say_why_not(file: FoundFile) -> _FactsOrFailure:
    try:
        status = os.stat(file.path, follow_symlinks=file.follow)
    except OSError as error:
        return _FactsOrFailure(None, None, None, spell_os_error(error))
    identity = b"".join((n % (1 << 64)).to_bytes(8) for n in (status.st_dev, status.st_ino))
    return _FactsOrFailure(status.st_size, status.st_mtime_ns // 1000, identity, None)


class _FileReader:
    """Files as the kernels take them, in threads; what those cannot read is tried once more here.

    ``failures``: by the row of the first name of a file, why it could not be read.
    """

    def __init__(
        self,
        *,
        files: Sequence[FoundFile],
        facts: FileFacts,
        failures: dict[int, str],
        jobs: int,
        tell: Progress,
    ) -> None:
        self._files, self._jobs, self._tell = files, jobs, tell
        self._failures, self._read = failures, 0
        self._paths = encode_paths([file.path for file in files])
        flags = [flags_to_read(follow_link=file.follow) for file in files]
        self._flags = pa.array(flags, pa.int32())
        self._sizes, identities = facts.sizes, facts.identities
        # The row of the first name of each file.
        self._first = pc.coalesce(
            first_rows_with_same_digest_or_null(identities), pa.arange(0, len(files))
        )
        # About the order of the disk.
        self._order = pc.array_sort_indices(identities).cast(pa.int64())

    def failures_of_files(self) -> pa.Array:
        """Return why each file could not be read; null if it could, or if there was no need to."""
        if not self._failures:
            return pa.nulls(len(self._files), pa.string())
        return pa.array(map(self._failures.get, self._first.to_pylist()), pa.string())

    def digest_first_bytes_else_null(
        self, rows: pa.Array, byte_limit: int, *, files_done: int
    ) -> pa.Array:
        """Return the digest of the first ``byte_limit`` bytes of some files; null for all others,
        and for one that cannot be read.

        Args:
            rows: m of n files.
            byte_limit: how many bytes at most.
            files_done: how many files were done with before.

        Returns:
            n digests.
        """
        count = len(self._files)
        once = pc.unique(self._first.take(rows))
        once = self._order.filter(pc.is_in(self._order, value_set=once))
        names = count - len(rows)
        digests = pa.nulls(count, arrow.DIGEST)
        parts = list[pa.Array]()
        sizes = pc.min_element_wise(self._sizes.take(once), byte_limit)
        pieces, rows_done = _split_rows_by_bytes(once, sizes), 0
        digests_of_pieces = map_ahead(
            lambda piece: self._digest_rows_or_record_failures(piece, byte_limit),
            pieces,
            self._jobs,
        )
        with closing(digests_of_pieces):
            for piece_digests in digests_of_pieces:
                parts.append(piece_digests)
                self._read += pc.sum(sizes.slice(rows_done, len(piece_digests))).as_py() or 0
                rows_done += len(piece_digests)
                reached = files_done or names + (count - names) * rows_done // len(once)
                self._tell("read", max(files_done, reached), count, self._read)
        if not parts:
            return digests
        at = pc.index_in(self._first, value_set=once)
        wanted = pc.is_in(pa.arange(0, count), value_set=rows)
        found = arrow.join_pieces(parts, arrow.DIGEST)
        return pc.if_else(wanted, found.take(at), None)

    def _digest_rows_or_record_failures(self, rows: pa.Array, byte_limit: int) -> pa.Array:
        """Return the digests of some files; record why one cannot be read."""
        columns = (self._paths.take(rows), self._flags.take(rows), self._sizes.take(rows))
        found = _kernels.digest_file_beginnings(*columns, byte_limit)
        if not found.null_count:
            return found
        values = found.to_pylist()
        for at in pc.indices_nonzero(found.is_null()).to_pylist():
            row = rows[at].as_py()
            digest = _digest_or_failure_reason(self._files[row], columns[2][at].as_py(), byte_limit)
            if isinstance(digest, str):
                self._failures[row] = digest
            else:
                values[at] = digest
        return pa.array(values, arrow.DIGEST)


def _split_rows_by_bytes(rows: pa.Array, sizes: pa.Array) -> list[pa.Array]:
    """Cut rows into pieces, each of about as many bytes at most, or of one file."""
    pieces, begin, total = list[pa.Array](), 0, 0
    for at, size in enumerate(sizes.to_pylist()):
        if at > begin and (at - begin == _TOGETHER or total + size > _TOGETHER_BYTES):
            pieces.append(rows.slice(begin, at - begin))
            begin, total = at, 0
        total += size
    return [*pieces, rows.slice(begin)] if len(rows) else []


def _digest_or_failure_reason(file: FoundFile, expected_size: int, byte_limit: int) -> bytes | str:
    """Return the digest of the first ``byte_limit`` bytes of a file, or why it could not be read.

    It is not mapped: a file that is cut while it is read would end the process.
    """
    try:
        descriptor = open_regular_file(file.path, follow=file.follow)
        with os.fdopen(descriptor, "rb", 0) as stream:
            if os.fstat(descriptor).st_size != expected_size:
                return _CHANGED
            if byte_limit < expected_size:
                block: bytes = stream.read(byte_limit)
                digest: bytes = bytes_digests([block])[0].as_py()
                return digest if len(block) == byte_limit else _CHANGED
            digest = digest_of_rest_of_file(stream)
            return digest if stream.tell() == expected_size else _CHANGED
    except (OSError, Unreadable) as error:
        return spell_os_error(error) if isinstance(error, OSError) else str(error)
