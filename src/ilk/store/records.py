"""The rows of documents: what a store knows about each, and how it is read and written."""

from __future__ import annotations

import datetime
import json
import time
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ilk.base.errors import OptionError
from ilk.base.parsed import parsed


class Row(NamedTuple):
    """The row of a document; the names are those of the file's format."""

    id: int
    source: str | None
    title: str | None
    metadata: str | None
    bytes_digest: bytes | None
    digest: bytes | None
    fingerprint: int | bytes | None
    reason: str | None
    copy_of: int | None
    keeper: int | None
    duplicate_of: int | None
    added: int
    updated: int

    @property
    def first(self) -> int:
        """The document that represents all with the same text."""
        return self.id if self.copy_of is None else self.copy_of

    @property
    def checksum(self) -> int:
        """A CRC-32 of what was given, and of what was derived from the text."""
        value = self.fingerprint
        number = value.to_bytes(8, "little", signed=True) if isinstance(value, int) else value
        names = (self.source or "", self.title or "", self.metadata or "", self.reason or "")
        parts = ("\0".join(names).encode(), self.bytes_digest or b"", self.digest or b"")
        return zlib.crc32(b"".join((*parts, number or b"", b"%d %d " % (self.id, self.added))))


@dataclass(frozen=True, slots=True)
class Record:
    """What a store reports about a document.

    Attributes:
        id: its number, which is never used again.
        source: the name that a person knows.
        title, metadata: as they were given; metadata are plain values, as in JSON.
        fingerprint: as it is stored: signed (up to 64 bits), or 16 bytes; None if it has none.
        reason: why it has none.
        digest, bytes_digest: of its normalised text, and of its bytes.
        copy_of: the first document with the same text; None if it is that one.
        keeper: the keeper of its cluster; None if it is the keeper or a copy.
        duplicate_of: the document it was linked to when it was added.
        added, updated: when.
    """

    id: int
    source: str | None
    title: str | None
    metadata: Mapping[str, Any]
    fingerprint: int | bytes | None
    reason: str | None
    digest: bytes | None
    bytes_digest: bytes | None
    copy_of: int | None
    keeper: int | None
    duplicate_of: int | None
    added: datetime.datetime
    updated: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values for JSON: bytes in hexadecimal digits, times in ISO
        8601.
        """
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, datetime.datetime) else value


def record(row: Row) -> Record:
    """Return the row as a record."""
    return Record(
        id=row.id,
        source=row.source,
        title=row.title,
        metadata={} if row.metadata is None else parsed(row.metadata),
        fingerprint=row.fingerprint,
        reason=row.reason,
        digest=row.digest,
        bytes_digest=row.bytes_digest,
        copy_of=row.copy_of,
        keeper=row.keeper,
        duplicate_of=row.duplicate_of,
        added=_moment(row.added),
        updated=_moment(row.updated),
    )


def now() -> int:
    """Return microseconds since 1970."""
    return time.time_ns() // 1000


def _moment(microseconds: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(
        microseconds=microseconds
    )


def written_name(name: object, what: str) -> str | None:
    """Return a source or a title in the form in which it is stored: lone surrogates escaped.

    Raises:
        OptionError: it is not a string.
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise OptionError(f"{what} is {name!r}; it must be a string.")
    return name.encode("utf-8", "backslashreplace").decode()


def written_metadata(metadata: object) -> str | None:
    """Return metadata as JSON.

    Raises:
        OptionError: they are not a mapping, or contain something that JSON cannot express.
    """
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise OptionError(f"metadata is {type(metadata).__name__}; it must be a dict.")
    try:
        return json.dumps(dict(metadata), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(f"metadata cannot be written as JSON: {error}.") from error


def check_metadata(written: str | None) -> None:
    """Refuse metadata in another form.

    Raises:
        OptionError: they are not a JSON object.
    """
    try:
        found = {} if written is None else parsed(written)
    except ValueError as error:
        raise OptionError(f"metadata is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise OptionError(f"metadata is {written!r}; it must be a JSON object, such as {{}}.")
