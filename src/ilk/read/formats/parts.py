"""The parts that a format's module extracts from a file: its text, and documents in it.

Every module has one function, ``read``, from an open file and the limits to parts. It runs in a
child process, so excessive use or a crash affects only one document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

from ilk.read.formats.limits import Limits, Unfit

__all__ = ["Made", "Member", "Part", "Reader", "Text", "Unfit", "Unread", "Working"]


class Text(NamedTuple):
    """The text of the document itself.

    Attributes:
        text: with a line feed at the end of lines.
        declared: what it declares, by the names of ``columns.DECLARED``.
        warnings: what was left out, and why.
    """

    text: str
    declared: dict[str, Any] = {}  # noqa: RUF012
    warnings: tuple[str, ...] = ()


class Made(NamedTuple):
    """The same as received from a child: the text as UTF-8."""

    utf8: bytes
    declared: dict[str, Any]
    warnings: tuple[str, ...]


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
    """A document in the document that cannot be read, and why."""

    name: str
    reason: str


class Working(NamedTuple):
    """A sign that long work is still in progress, to reset the time limit."""


Part: TypeAlias = Text | Member | Unread | Working


class Reader(Protocol):
    """The module of a format."""

    def read(self, file: BinaryIO, limits: Limits) -> Iterator[Part]:
        """Yield the parts; Unfit has the reason if that is impossible; other errors mean damage."""
