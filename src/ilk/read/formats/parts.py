"""The parts that the reader of a format extracts from a file, and the limits for reading one.

A reader is a function from an open file and the limits to parts: the text of the document, and
documents in it. ``Unfit`` has the reason if that is impossible; other errors mean damage. It runs
in a child process, so excessive use or a crash affects only one document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from ilk.base.arguments import suggest_fields
from ilk.base.json_text import parse_json
from ilk.base.options import check_option, default

#: Bytes that any file may unpack to, whatever its size: one repeated line compresses to a
#: thousandth (deflate's bound is 1,032), so the ratio of a small file proves nothing, and so much
#: fits into any memory. A larger bound would let more parts of a bomb be unpacked before it is
#: refused.
SMALL = 16_000_000


class Unfit(Exception):
    """A document without usable text; the message is the reason."""


@suggest_fields
@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one document; the table of options explains each, as ``limit_...``.

    Attributes:
        memory: bytes of memory for the process that reads it.
        text: bytes of its text.
        unpacked: bytes that it may unpack to, with everything in it.
        ratio: the same as a multiple of its own size.
        nesting: archives in archives.
    """

    memory: int = default("limit_memory")
    text: int = default("limit_text")
    unpacked: int = default("limit_unpacked")
    ratio: int = default("limit_ratio")
    nesting: int = default("limit_nesting")

    @classmethod
    def of(cls, **limits: str | int | None) -> Limits:
        """Check keyword arguments, the names of attributes; None means the default."""
        return cls(**{name: check_option(f"limit_{name}", value) for name, value in limits.items()})

    @property
    def member_bytes(self) -> int:
        """Bytes of one file in an archive, which is held in memory several times."""
        return self.memory // 4

    def refuse_too_much(self, unpacked_bytes: int, packed_bytes: int) -> None:
        """Raise Unfit, with the option to allow it, if a file unpacks to too many bytes."""
        if unpacked_bytes > self.unpacked:
            raise Unfit(
                f"unpacks to {unpacked_bytes:,} bytes or more, but --limit unpacked allows "
                f"{self.unpacked:,}"
            )
        if unpacked_bytes > SMALL and unpacked_bytes > self.ratio * packed_bytes:
            ratio = unpacked_bytes // max(packed_bytes, 1)
            raise Unfit(
                f"unpacks to {ratio:,} times its size or more, but --limit "
                f"ratio allows {self.ratio:,}"
            )

    def spell_too_large(self, member_bytes: int) -> str:
        """Return why a file of ``member_bytes`` in an archive is not read."""
        return (
            f"has {member_bytes:,} bytes or more, but a quarter of --limit memory is "
            f"{self.member_bytes:,}"
        )


#: What counts only where two documents are to be exact copies: letter case and indentation of
#: source code; sender, recipients, subject and date of a message; and whatever else stands in the
#: parts of a document beside its text, known to be form or not.
LAYOUT, HEADERS = "letter case and indentation", "sender and recipients and subject and date"
UNREAD = "unread parts"
EXACT_KINDS = frozenset((LAYOUT, HEADERS, UNREAD))


class Left:
    """What a reader leaves out of the text of a document, and a digest of its bytes.

    Two documents of one text are one and the same only if these digests are equal too.
    """

    def __init__(self) -> None:
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
        """The kinds, in the order in which they were added."""
        return tuple(self._kinds)

    @property
    def digest(self) -> str:
        """The digest of all of it in hex; empty if some of its bytes are not known."""
        return self._hash.hexdigest() if self._kinds and self._known else ""


class DocumentText(NamedTuple):
    """The text of the document itself, with a line feed at the end of lines.

    declared: what it declares, by the names of ``arrow.DECLARED``.
    warnings: what was left out that a person should know of, and why.
    left: everything that was left out; None if that is nothing.
    """

    text: str
    declared: dict[str, Any] = {}  # noqa: RUF012
    warnings: tuple[str, ...] = ()
    left: Left | None = None


class TextPart(NamedTuple):
    """The same for the caller: the text as UTF-8, what was left out as kinds and digest."""

    data: bytes
    declared: dict[str, Any]
    warnings: tuple[str, ...]
    left: tuple[str, ...] = ()
    left_digest: str = ""


class MemberPart(NamedTuple):
    """A document in the document.

    name: what to append to the name of the document, such as ``!/b/c.txt``, ``#17``, ``/a.pdf``.
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


class StillWorking(NamedTuple):
    """A sign that long work is still in progress, to reset the time limit."""


#: What the reader of a format yields, one part after the other.
DocumentPart: TypeAlias = DocumentText | MemberPart | Unread | StillWorking
Received: TypeAlias = TextPart | MemberPart | Unread

#: Kinds of the answers of a child: the last one, for success or what went wrong; and a text, which
#: the other parts follow.
DONE, FAILED, MADE = 0, 1, 2
_KINDS: tuple[type[Any], ...] = (TextPart, MemberPart, Unread, StillWorking)


class Answer(NamedTuple):
    """What a child answers to a question: ``DONE``, ``FAILED`` and the reason, or a part."""

    kind: int
    content: bytes


def make_text_part_within_limit(document: DocumentText, limit_text: int) -> TextPart:
    """Return a text for the caller; Unfit if it has more bytes than ``limit_text``."""
    text, left = document.text.encode("utf-8", "replace"), document.left or Left()
    if len(text) > limit_text:
        raise Unfit(
            f"has {len(text):,} bytes of text, more than --limit text allows ({limit_text:,})"
        )
    return TextPart(
        data=text,
        declared=document.declared,
        warnings=document.warnings,
        left=left.kinds,
        left_digest=left.digest,
    )


def encode_part(part: Received | StillWorking) -> Answer:
    """Return a part as an answer: a line of JSON, and the bytes."""
    values = part._asdict()
    data: bytes = values.pop("data", b"")
    kind = MADE + _KINDS.index(type(part))
    return Answer(kind, json.dumps(values).encode() + b"\n" + data)


def decode_part(answer: Answer) -> Received | StillWorking:
    """Return the part that an answer holds."""
    line, _, data = answer.content.partition(b"\n")
    part, values = _KINDS[answer.kind - MADE], parse_json(line)
    values = {name: tuple(it) if isinstance(it, list) else it for name, it in values.items()}
    received: Received | StillWorking = part(
        **values | ({"data": data} if "data" in part._fields else {})
    )
    return received
