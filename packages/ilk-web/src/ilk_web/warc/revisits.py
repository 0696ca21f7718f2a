"""Captures as revisit records: what they are of is named, and their payload is left out.

WARC 1.1, section 6.7: a revisit with the profile ``identical-payload-digest`` has the head of its
own answer, the digest of the payload, and the address, the date and the id of the record that has
the payload.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from ilk_web.warc import digests, heads, messages
from ilk_web.warc.heads import Head

#: The profile of a revisit of the same payload.
PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

#: The kinds of records that have a payload, which a revisit may leave out.
_WITH_PAYLOAD = ("response", "resource")

#: The end of the head of a record.
_BLANK = re.compile(rb"\r?\n\r?\n")

#: Fields that a revisit has anew.
_ANEW = re.compile(
    rb"^(?:WARC-(?:Type|Profile|Refers-To[A-Za-z-]*|(?:Block|Payload)-Digest|Truncated)"
    rb"|Content-Length)[ \t]*:.*\n(?:[ \t].*\n)*",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)


class Payload(NamedTuple):
    """What is known of a record that has a payload.

    sha256: the digest of the payload, without the chunks in which it was sent.
    stated_digest: the digest as the record states it, or else as recorders write it.
    """

    sha256: bytes
    stated_digest: str
    url: str
    date: str
    id: str


def payload_of_record_or_none(record: bytes) -> Payload | None:
    """Return what is known of the payload of a record; None if it has none of its own."""
    head, body = _split_record(record)
    if head.kind not in _WITH_PAYLOAD or head.first_value_or_empty("warc-segment-number"):
        return None
    _, payload = _split_http_head_and_payload(head, body)
    return Payload(
        sha256=hashlib.sha256(payload).digest(),
        stated_digest=head.first_value_or_empty("warc-payload-digest")
        or digests.spell_sha1(payload),
        url=head.first_value_or_empty("warc-target-uri"),
        date=head.first_value_or_empty("warc-date"),
        id=head.first_value_or_empty("warc-record-id"),
    )


def make_revisit(record: bytes, original: Payload) -> bytes:
    """Return a capture as a revisit of a record with the same payload, without what ends it."""
    head, body = _split_record(record)
    answer, _ = _split_http_head_and_payload(head, body)
    fields = _ANEW.sub(b"", record[: len(record) - len(body)].partition(b"\n")[2]).rstrip(b"\r\n")
    new = {
        "WARC-Profile": PROFILE,
        "WARC-Refers-To": original.id,
        "WARC-Refers-To-Target-URI": original.url,
        "WARC-Refers-To-Date": original.date,
        "WARC-Payload-Digest": original.stated_digest,
        "WARC-Block-Digest": digests.spell_sha1(answer),
        "Content-Length": str(len(answer)),
    }
    lines = [f"{name}: {value}".encode() for name, value in new.items() if value]
    first = [b"WARC/1.1", b"WARC-Type: revisit", fields]
    return b"\r\n".join([*first, *lines, b"", answer])


def _split_record(record: bytes) -> tuple[Head, bytes]:
    """Return the head of a record, and what follows it."""
    end = _BLANK.search(record, 0, heads.LONGEST)
    place = len(record) if end is None else end.end()
    return heads.parse_warc_head(record[:place]), record[place:]


def _split_http_head_and_payload(head: Head, body: bytes) -> messages.SplitMessage:
    """Return the head of an answer, with the line that ends it, and its payload without chunks.

    Without an answer, all of it is payload.
    """
    if not (
        head.first_value_or_empty("content-type").startswith("application/http")
        or body.startswith(b"HTTP/")
    ):
        # A revisit of a record without an answer, or of one that is a revisit, has no more.
        is_revisit = head.kind == "revisit"
        return messages.SplitMessage(*((body, b"") if is_revisit else (b"", body)))
    first, payload = messages.split_at_first_blank_line(body)
    answer = body[: len(body) - len(payload)]
    if "chunked" in messages.parse_first_fields(first).get("transfer-encoding", "").lower():
        try:
            payload = messages.join_chunks_if_any(payload)
        except messages.Broken as broken:
            payload = broken.rest
    return messages.SplitMessage(answer, payload)
