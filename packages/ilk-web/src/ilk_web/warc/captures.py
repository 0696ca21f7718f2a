"""Captures: pages, or anything else, that were fetched once."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ilk.companions import Decoded, Pages, Unreadable, decode_page_unless_binary
from ilk_web.pages import PageDeclarations, parse_declarations
from ilk_web.warc import digests, messages
from ilk_web.warc.crawl import RevisitKey
from ilk_web.warc.cutting import LARGEST, ArchiveRecord
from ilk_web.warc.heads import Head

#: The kinds of records that are captures: a response, a resource without a protocol, a revisit, and
#: a text converted from a response.
KINDS = frozenset({"response", "resource", "revisit", "conversion"})

_PAGES = ("text/html", "application/xhtml+xml")
_PAGE_BEGINS = (b"<!doctype html", b"<html")
_PAGE_HEAD = 1024

#: Types that are never text.
_NO_TEXT = ("audio/", "font/", "image/", "video/")


class Capture(NamedTuple):
    """The content of a record.

    date: as written in the record.
    digest: of the payload, from the record, or computed if the record has none or is cut off.
    text: as UTF-8; None if it has no text, or the text cannot be extracted.
    replaced: whether U+FFFD replaces some of its bytes.
    problems: what is wrong with it, one reason each.
    page: what it declares, if its text is extracted as from a page.
    """

    url: str
    date: str
    content_type: str
    status: int | None
    digest: str
    text: bytes | None = None
    replaced: bool = False
    problems: tuple[str, ...] = ()
    page: PageDeclarations = PageDeclarations()

    @property
    def id(self) -> str:
        """Its address and the time when it was fetched."""
        return f"{self.url} {self.date}"

    @property
    def time(self) -> datetime | None:
        """When it was fetched; None if that is incomplete."""
        try:
            time = datetime.fromisoformat(self.date)
        except ValueError:
            return None
        return time if time.tzinfo else None


class _Content(NamedTuple):
    """The payload of a record.

    content_type: its type, perhaps with parameters. status: the code of the answer, if it is one.
    payload: decoded, as before it was sent.
    spellings: forms that a digest may be of: the payload as received, and without its chunks.
    """

    content_type: str
    status: int | None
    payload: bytes
    spellings: tuple[bytes, ...]
    problems: tuple[str, ...]

    @property
    def media_type(self) -> str:
        return self.content_type.partition(";")[0].strip().lower()


def extract_capture(record: ArchiveRecord, pages: Pages) -> Capture:
    """Return the capture in a record, with its text; a revisit has no text of its own."""
    head = record.head
    url = head.first_value_or_empty("warc-target-uri").strip("<>")
    date, digest = (
        head.first_value_or_empty("warc-date"),
        head.first_value_or_empty("warc-payload-digest"),
    )
    if record.body is None:
        size = head.length - record.missing
        reason = f"has {size:,} bytes, but at most {LARGEST:,} are read of a record"
        return Capture(
            url=url,
            date=date,
            content_type=head.first_value_or_empty("content-type"),
            status=None,
            digest=digest,
            problems=(reason,),
        )
    content = _decode_payload(head, record.body)
    if head.kind == "revisit":
        return Capture(
            url=url,
            date=date,
            content_type=content.content_type,
            status=content.status,
            digest=digest,
        )
    if record.missing:
        digest = ""  # It is of the whole payload.
    problems, text, page = list(content.problems), None, PageDeclarations()
    if digest and digests.matches_digest_if_readable(digest, content.spellings) is False:
        problems.append(f"its payload does not match its digest {digest[:80]}")
    try:
        decoded = _decode_text_or_none(content)
        if decoded is not None and _is_extracted_as_page(content, pages):
            page = parse_declarations(decoded.utf8)
            decoded = decoded._replace(utf8=pages.extract_text(decoded.utf8).data)
        text = decoded
    except Unreadable as error:
        problems.append(str(error))
    return Capture(
        url=url,
        date=date,
        content_type=content.content_type,
        status=content.status,
        digest=digest or digests.spell_sha1(content.spellings[-1]),
        text=text and text.utf8,
        replaced=bool(text and text.replaced),
        problems=tuple(problems),
        page=page,
    )


def is_html(capture: Capture) -> bool:
    """Return whether a capture is a page, by its type."""
    return capture.content_type.partition(";")[0].strip().lower() in _PAGES


def keys_of_revisited_original(head: Head) -> list[RevisitKey]:
    """Return the keys that find the original of a revisit, the most reliable first."""
    url, date = (
        head.first_value_or_empty("warc-refers-to-target-uri"),
        head.first_value_or_empty("warc-refers-to-date"),
    )
    digest = head.first_value_or_empty("warc-payload-digest")
    return _complete_keys(
        head.first_value_or_empty("warc-refers-to"), url.strip("<>"), date, digest
    )


def keys_of_capture(head: Head, capture: Capture) -> list[RevisitKey]:
    """Return the keys that revisits may use to find a capture."""
    return _complete_keys(
        head.first_value_or_empty("warc-record-id"), capture.url, capture.date, capture.digest
    )


def _complete_keys(id: str, url: str, date: str, digest: str) -> list[RevisitKey]:
    keys = [("id", id), ("url", url, date), ("digest", digest)]
    return [key for key in keys if all(key)]


def _decode_payload(head: Head, body: bytes) -> _Content:
    """Return the payload, decoded, as before it was sent."""
    if not (
        head.first_value_or_empty("content-type").startswith("application/http")
        or body.startswith(b"HTTP/")
    ):
        return _Content(
            content_type=head.first_value_or_empty("content-type"),
            status=None,
            payload=body,
            spellings=(body,),
            problems=(),
        )
    first, payload = messages.split_at_first_blank_line(body)
    fields = messages.parse_first_fields(first)
    spellings: tuple[bytes, ...] = (payload,)
    problems: tuple[str, ...] = ()
    if "chunked" in fields.get("transfer-encoding", "").lower():
        try:
            payload = messages.join_chunks_if_any(payload)
        except messages.Broken as broken:
            payload, problems = broken.rest, (str(broken),)
        spellings = (*spellings, payload)
    try:
        payload = messages.decode_body_unless_decoded(payload, fields.get("content-encoding", ""))
    except messages.Broken as broken:
        payload, problems = broken.rest, (*problems, str(broken))
    content_type = fields.get("content-type", "")
    return _Content(
        content_type=content_type,
        status=messages.parse_http_status_or_none(first),
        payload=payload,
        spellings=spellings,
        problems=problems,
    )


def _decode_text_or_none(content: _Content) -> Decoded | None:
    """Return the text of a payload; None if it is not text.

    Raises:
        Unreadable: its type says that it is text, but it is not.
    """
    if content.media_type.startswith(_NO_TEXT):
        return None
    text = decode_page_unless_binary(content.payload, content.content_type)
    if text is None and content.media_type.startswith("text/"):
        raise Unreadable(f"is not text, though its type is {content.media_type[:80]}")
    return text


def _is_extracted_as_page(content: _Content, pages: Pages) -> bool:
    """Return whether to extract the text of a payload as from a page."""
    if not pages.extracts_from(".html"):
        return False
    begin = content.payload[:_PAGE_HEAD].lstrip().lower()
    return content.media_type in _PAGES or (
        not content.media_type and begin.startswith(_PAGE_BEGINS)
    )
