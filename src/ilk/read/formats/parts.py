"""The parts that a format's module extracts from a file: its text, and documents in it.

Every module has one function, ``read``, from an open file and the limits to parts. It runs in a
child process, so excessive use or a crash affects only one document.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

from ilk.read.formats.limits import Limits, Unfit

__all__ = ["Left", "Made", "Member", "Part", "Reader", "Text", "Unfit", "Unread", "Working"]


class Left:
    """What a module leaves out of the text of a document, and a digest of its bytes.

    Two documents of one text are one and the same only if these digests are equal too.
    """

    def __init__(self) -> None:
        """Leave out nothing yet."""
        self._kinds: dict[str, None] = {}
        self._hash = blake2b(digest_size=16)
        self._known = True

    def add(self, kind: str, content: bytes | None) -> None:
        """Leave something out, such as ``pictures``; its bytes, or None if they are not known."""
        self._kinds[kind] = None
        self._known = self._known and content is not None
        self._hash.update(f"{kind} {len(content or b'')} ".encode() + (content or b""))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds, in the order in which they were added."""
        return tuple(self._kinds)

    @property
    def digest(self) -> str:
        """Return the digest of all of it in hex; empty if some of its bytes are not known."""
        return self._hash.hexdigest() if self._kinds and self._known else ""


class Text(NamedTuple):
    """The text of the document itself.

    Attributes:
        text: with a line feed at the end of lines.
        declared: what it declares, by the names of ``columns.DECLARED``.
        warnings: what was left out that a person should know of, and why.
        left: everything that was left out; None if that is nothing.
    """

    text: str
    declared: dict[str, Any] = {}  # noqa: RUF012
    warnings: tuple[str, ...] = ()
    left: Left | None = None


class Made(NamedTuple):
    """The same as received from a child: the text as UTF-8; ``left`` as kinds and digest."""

    utf8: bytes
    declared: dict[str, Any]
    warnings: tuple[str, ...]
    left: tuple[str, ...] = ()
    left_digest: str = ""


class Member(NamedTuple):
    """A document in the document.

    Attributes:
        name: what to append to the name of the document, such as ``!/b/c.txt``, ``#17``,
            ``/a.pdf``.
        data: its bytes.
        format: the name of its format, if that is certain.
    """

    name: str
    data: bytes
    format: str | None = None


class Unread(NamedTuple):
    """A document in the document that cannot be read, and why; ``known`` if nobody needs a note."""

    name: str
    reason: str
    known: bool = False


class Working(NamedTuple):
    """A sign that long work is still in progress, to reset the time limit."""


Part: TypeAlias = Text | Member | Unread | Working


class Reader(Protocol):
    """The module of a format."""

    def read(self, file: BinaryIO, limits: Limits) -> Iterator[Part]:
        """Yield the parts; Unfit has the reason if that is impossible; other errors mean damage."""
