"""What a store knows of each document: its row, its names, and the id that its client gave it.

A client's id is in the metadata, under ``id``, where ``ilk store add --id`` also puts it, so it is
written and removed with the document; an index of the file finds it. It cannot consist only of
digits: it would look like the store's number.
"""

from __future__ import annotations

import datetime
import json
import os
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

from ilk.base.errors import OptionError, StoreDamaged
from ilk.base.json_text import parse_json

#: The key of a client's id in the metadata.
KEY = "id"

#: The key of the id of a row that was added, in the metadata of its document.
ROW = "row"

#: The key of how many rows a document stands for, in its metadata, if they were counted.
COUNT = "count"

#: The keys of metadata that are not names of columns.
RESERVED = (KEY, ROW, COUNT)

#: The longest id of a client, in characters.
LONGEST = 500

#: What is wrong with a thing that was checked, as a sentence; None if nothing is.
DamageIfAny: TypeAlias = str | None


class StoredRow(NamedTuple):
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
    def representative_id(self) -> int:
        """The id of the document that represents all with the same text: its own, or another."""
        return self.id if self.copy_of is None else self.copy_of

    @property
    def client_id(self) -> str | None:
        """The id that its client gave it; None if it gave none, or one like a number."""
        id_ = None if self.metadata is None else parse_json(self.metadata).get(KEY)
        return id_ if isinstance(id_, str) and not is_number(id_) else None


def checksum(values: tuple[Any, ...]) -> int:
    """Return a CRC-32 of the values of a row, which distinguishes numbers, texts, bytes, None."""
    return zlib.crc32(ascii(tuple(values)).encode())


def check_checksum(values: tuple[Any, ...], noun: str) -> tuple[Any, ...]:
    """Return the values of a row that was read with its checksum at the end, without it.

    Args:
        noun: what an error says is damaged.

    Raises:
        StoreDamaged: the checksum is another one.
    """
    if checksum(values[:-1]) != values[-1]:
        raise StoreDamaged(f"{noun} is damaged; restore a backup.")
    return values[:-1]


def blob_checksum(number: int, blob: bytes) -> int:
    """Return a CRC-32 of a row's number and bytes."""
    return zlib.crc32(blob, zlib.crc32(b"%d " % number))


def damage_of_row_if_any(
    check_row: Callable[[tuple[Any, ...]], object], values: tuple[Any, ...]
) -> DamageIfAny:
    """Return the message with which a check refuses the values of a row; None if it does not."""
    try:
        check_row(values)
    except StoreDamaged as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """What a store reports about a document.

    Attributes:
        id: its number, which is never used again.
        source: the name that a person knows.
        title, metadata: as they were given; metadata are plain values, as in JSON.
        bytes_digest, digest: of its bytes, and of its normalised text.
        fingerprint: as it is stored: signed (up to 64 bits), or 16 bytes; None if it has none.
        reason: why it has none.
        copy_of: the first document with the same text; None if it is that one.
        keeper: the keeper of its cluster; None if it is the keeper or a copy.
        duplicate_of: the document it was linked to when it was added.
        added, updated: when.
    """

    id: int
    source: str | None
    title: str | None
    metadata: Mapping[str, Any]
    bytes_digest: bytes | None
    digest: bytes | None
    fingerprint: int | bytes | None
    reason: str | None
    copy_of: int | None
    keeper: int | None
    duplicate_of: int | None
    added: datetime.datetime
    updated: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values for JSON: bytes in hexadecimal, times in ISO 8601."""
        return values_for_json(asdict(self))


def make_record(row: StoredRow) -> StoreRecord:
    """Return the row as a record."""
    metadata = {} if row.metadata is None else parse_json(row.metadata)
    times = {"added": datetime_of(row.added), "updated": datetime_of(row.updated)}
    return StoreRecord(**row._asdict() | {"metadata": metadata} | times)


def values_for_json(values: dict[str, Any]) -> dict[str, Any]:
    """Return values for JSON: bytes in hexadecimal digits, times in ISO 8601."""
    plain: dict[type, Any] = {bytes: bytes.hex, datetime.datetime: datetime.datetime.isoformat}
    return {name: plain.get(type(value), lambda it: it)(value) for name, value in values.items()}


def datetime_of(microseconds_since_1970: int) -> datetime.datetime:
    """Return a stored time, in UTC."""
    epoch = datetime.datetime.fromtimestamp(0, datetime.UTC)
    return epoch + datetime.timedelta(microseconds=microseconds_since_1970)


def now_in_microseconds() -> int:
    """Return microseconds since 1970."""
    return time.time_ns() // 1000


def check_and_escape_name_if_any(name: object, option: str) -> str | None:
    """Return a source or a title in the form in which it is stored: lone surrogates escaped."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise OptionError(f"{option} is {name!r}; it must be a string.")
    return name.encode("utf-8", "backslashreplace").decode()


def metadata_as_json_unless_none(metadata: object) -> str | None:
    """Return metadata as JSON; None for None.

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


def parse_metadata(metadata_json: str | None) -> dict[str, Any]:
    """Return metadata from JSON; empty for None.

    Raises:
        OptionError: they are not a JSON object.
    """
    try:
        metadata = {} if metadata_json is None else parse_json(metadata_json)
    except ValueError as error:
        raise OptionError(f"metadata is not JSON: {error}.") from error
    if not isinstance(metadata, dict):
        raise OptionError(f"metadata is {metadata_json!r}; it must be a JSON object, such as {{}}.")
    return metadata


@dataclass(frozen=True, slots=True)
class ClientDocument:
    """A document to add.

    Attributes:
        text: its text, or the path of a file.
        id: its id from the client; if None, it has only the store's number.
        source, title, metadata: as for ``Store.add``.
    """

    text: str | os.PathLike[str]
    id: str | None = None
    source: str | None = None
    title: str | None = None
    metadata: Mapping[str, Any] | None = None


def is_number(id_: str) -> bool:
    """Return whether an id can only be a store's number."""
    return id_.isascii() and id_.isdigit()


def check_client_id(id_: object) -> str:
    """Return an id from a client, checked.

    Raises:
        OptionError: it cannot be an id.
    """
    if not isinstance(id_, str) or not 0 < len(id_) <= LONGEST:
        raise OptionError(f"an id must be a string of 1 to {LONGEST} characters.")
    if is_number(id_):
        raise OptionError(
            f"the id {id_!r} looks like one of the store's own numbers; put a letter before it, "
            f"such as {'n' + id_!r}."
        )
    if id_ in (".", "..") or not id_.isprintable():
        raise OptionError(f"the id {id_!r} cannot be part of an address; choose another one.")
    return id_


def metadata_with_id(metadata: Mapping[str, Any] | None, id_: str | None) -> dict[str, Any] | None:
    """Return metadata with a client's id in them, if there is one; None if nothing is in them.

    Raises:
        OptionError: they already have something under ``id``, or are not a mapping.
    """
    if metadata is not None and not isinstance(metadata, Mapping):
        raise OptionError(f"metadata is {type(metadata).__name__}; it must be a dict.")
    if metadata and KEY in metadata:
        raise OptionError(
            f"metadata names {KEY!r}, which is reserved for the document's id; give it as `id`."
        )
    return {**(metadata or {}), **({} if id_ is None else {KEY: id_})} or None
