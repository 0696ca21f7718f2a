"""What is known of a page, or of anything else, that was fetched once."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ilk.readers.encodings.charsets import decode_page
from ilk.readers.encodings.decoding import Decoded
from ilk.readers.files.content import Unreadable
from ilk.readers.pages.declared import Declared, declared
from ilk.readers.pages.extraction import Pages
from ilk.readers.warc import digests, messages
from ilk.readers.warc.cutting import LARGEST, Record
from ilk.readers.warc.heads import Head

#: The kinds of records that are captures: an answer, what has no protocol of its own, what is as it
#: was before, and a text that was made of an answer.
KINDS = frozenset({"response", "resource", "revisit", "conversion"})

_PAGES = ("text/html", "application/xhtml+xml")
_PAGE_BEGINS = (b"<!doctype html", b"<html")
_PAGE_HEAD = 1024

#: Types whose bytes are never a text.
_NO_TEXT = ("audio/", "font/", "image/", "video/")


class Capture(NamedTuple):
    """What a record holds.

    date: as the record spells it.
    digest: of the payload, as the record tells it, or made where it tells none.
    text: as UTF-8; None where there is none, or it cannot be made.
    replaced: whether U+FFFD stands for some of its bytes.
    problems: what is wrong with it, a reason each.
    page: what it says of itself, if it is a page of which text is made.
    """

    url: str
    date: str
    content_type: str
    status: int | None
    digest: str
    text: bytes | None
    replaced: bool
    problems: tuple[str, ...]
    page: Declared = Declared()

    @property
    def id(self) -> str:
        """Its address and the time when it was fetched."""
        return f"{self.url} {self.date}"

    @property
    def time(self) -> datetime | None:
        """When it was fetched; None where that is not told in full."""
        try:
            found = datetime.fromisoformat(self.date)
        except ValueError:
            return None
        return found if found.tzinfo else None


class _Content(NamedTuple):
    """The payload of a record.

    media: its type. status: the code of the answer, if it is one.
    payload: as it was before it was sent.
    spellings: what a digest may be of: the payload as it came, and without its chunks.
    """

    media: str
    status: int | None
    payload: bytes
    spellings: tuple[bytes, ...]
    problems: tuple[str, ...]


def captured(record: Record, pages: Pages) -> Capture:
    """What a record holds; a revisit has no text of its own."""
    head = record.head
    url = head.get("warc-target-uri").strip("<>")
    date, told = head.get("warc-date"), head.get("warc-payload-digest")
    if record.body is None:
        reason = f"has {head.length:,} bytes, and at most {LARGEST:,} are read of a record"
        kind = head.get("content-type")
        return Capture(url, date, kind, None, told, None, False, (reason,))
    content = _content(head, record.body)
    if head.kind == "revisit":
        return Capture(url, date, content.media, content.status, told, None, False, ())
    problems = content.problems
    if told and digests.agrees(told, content.spellings) is False:
        problems = (*problems, f"its payload is not that of its digest {told[:80]}")
    text, page = None, Declared()
    try:
        plain = _text(content)
        if plain is not None and _is_page(content, pages):
            page = declared(plain.utf8)
            plain = plain._replace(utf8=pages.text(plain.utf8))
        text = plain
    except Unreadable as error:
        problems = (*problems, str(error))
    return Capture(
        url,
        date,
        content.media,
        content.status,
        told or digests.made(content.spellings[-1]),
        text and text.utf8,
        bool(text and text.replaced),
        problems,
        page,
    )


def refers(head: Head) -> list[tuple[str, ...]]:
    """By what it may be known what a revisit is a copy of; the surest comes first."""
    url, date = head.get("warc-refers-to-target-uri"), head.get("warc-refers-to-date")
    found = [("id", head.get("warc-refers-to")), ("url", url.strip("<>"), date)]
    found.append(("digest", head.get("warc-payload-digest")))
    return [key for key in found if all(key)]


def known_by(head: Head, capture: Capture) -> list[tuple[str, ...]]:
    """By what a capture may be known to revisits."""
    found = [("id", head.get("warc-record-id")), ("url", capture.url, capture.date)]
    found.append(("digest", capture.digest))
    return [key for key in found if all(key)]


def _content(head: Head, body: bytes) -> _Content:
    """The payload, as it was before it was sent."""
    if not (head.get("content-type").startswith("application/http") or body.startswith(b"HTTP/")):
        return _Content(head.get("content-type"), None, body, (body,), ())
    first, payload = messages.split(body)
    fields = messages.fields(first)
    spellings: tuple[bytes, ...] = (payload,)
    problems: tuple[str, ...] = ()
    try:
        if "chunked" in fields.get("transfer-encoding", "").lower():
            payload = messages.unchunked(payload)
    except messages.Broken as broken:
        payload, problems = broken.rest, (str(broken),)
    spellings = (*spellings, payload)
    try:
        payload = messages.decoded(payload, fields.get("content-encoding", ""))
    except messages.Broken as broken:
        payload, problems = broken.rest, (*problems, str(broken))
    media = fields.get("content-type", "")
    return _Content(media, messages.status(first), payload, spellings, problems)


def _text(content: _Content) -> Decoded | None:
    """The text that a payload is; None if it is none.

    Raises:
        Unreadable: it should be one.
    """
    media = _media(content)
    if media.startswith(_NO_TEXT):
        return None
    text = decode_page(content.payload, content.media)
    if text is None and media.startswith("text/"):
        raise Unreadable(f"is no text, though its type is {media[:80]}")
    return text


def _is_page(content: _Content, pages: Pages) -> bool:
    """Whether a payload is a page of which text is made."""
    media = _media(content)
    begin = content.payload[:_PAGE_HEAD].lstrip().lower()
    found = media in _PAGES or (not media and begin.startswith(_PAGE_BEGINS))
    return found and pages.reads(".html")


def _media(content: _Content) -> str:
    return content.media.partition(";")[0].strip().lower()
