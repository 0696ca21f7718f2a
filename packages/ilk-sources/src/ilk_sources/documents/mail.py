"""A message: its subject and text, and its attachments as separate documents; and mailboxes.

If a message has its text both as plain text and as HTML, the plain text counts. In a mailbox, a
message begins, after a blank line, with a line ``From `` that has a sender and a time; such a line
in a text has a ``>`` before it.

Source: RFC 5322 (messages), RFC 2046 (multipart), RFC 3676, section 4.3 (signatures), RFC 4155,
appendix A (mailboxes).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from email import message_from_binary_file
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from itertools import takewhile
from typing import Any, BinaryIO

from ilk import Limits
from ilk.companions import (
    HEADERS,
    add_embedded_and_typed_to,
    add_markup_beside_text_to,
)
from ilk.plugins import DocumentPart, DocumentText, Left, MemberPart, Unfit, decode
from ilk_sources.documents.markup import html_text

_DEEPEST = 50

_QUOTED = re.compile(r"[>|]")
_INTRODUCED = re.compile(
    r".{0,300}(?:wrote|writes|schrieb|\u00e9crit|escribi\u00f3|scrisse)\s?:\s*"
)
_BEGINS = re.compile(r"(?:On|Am|Le|El|Il|Em|Op)\s")
_FORWARDED = re.compile(r"-{2,}\s?(?:Original Message|Forwarded message|Urspr.ngliche).{0,60}-{2,}")
#: Lines of base64, up to the one that ends it.
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/]*+[ \t]*+(?:\r?\n|\Z))*+(?:[A-Za-z0-9+/]*+={1,2}[ \t]*+(?:\r?\n|\Z))?"
)

#: A line of base64 as programs write it; where one follows, damage does not end the text.
_FULL_LINE = re.compile(r"^[A-Za-z0-9+/]{60,76}\r?$", re.MULTILINE)

_SIGNATURE = re.compile(r"-- ?")

#: Headers without which a message is another one.
_ADDRESSED = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Subject", "Date")


def read_mail(file: BinaryIO, _: Limits, *, replies: str = "keep") -> Iterator[DocumentPart]:
    """Yield the text, and the attachments; ``replies`` says whether quotations stay."""
    message = message_from_binary_file(file)
    texts: list[str] = []
    members: list[MemberPart] = []
    is_web_page = "Snapshot-Content-Location" in message  # A web page with its images.
    left = Left()
    _sort_parts_of_message(message, texts, members=members, left_out=left, depth=0)
    body = "\n".join(texts)
    if replies == "drop" and (kept := drop_quotations_and_signature(body)) != body:
        left.add("quotations", body.encode("utf-8", "replace"))
        body = kept
    if is_web_page:
        for member in members:
            left.add("pictures", member.data)
    subject = _header_in_one_line(message, "Subject")
    text = f"{subject}\n\n{body}" if subject and not is_web_page else body
    if not is_web_page:
        header_lines = (
            f"{name}: {' '.join(_header_in_one_line(message, name).split())}" for name in _ADDRESSED
        )
        left.add(HEADERS, "\n".join(header_lines).encode("utf-8", "replace"))
    yield DocumentText(text, _parse_declarations(message), left=left)
    if not is_web_page:
        yield from members


def drop_quotations_and_signature(text: str) -> str:
    """Return the writer's own text: without quotations, their introductions, and the signature."""
    own_lines: list[str] = []
    for line in text.splitlines():
        if _SIGNATURE.fullmatch(line) or _FORWARDED.fullmatch(line.strip()):
            break
        if not _QUOTED.match(line.lstrip()):
            own_lines.append(line)
            continue
        while own_lines and not own_lines[-1].strip():
            own_lines.pop()
        if own_lines and _INTRODUCED.fullmatch(own_lines[-1]):
            # An introduction that ends with "wrote:" begins at most two lines up.
            above = takewhile(str.strip, reversed(own_lines[-3:]))
            lines = next((at for at, line in enumerate(above, 1) if _BEGINS.match(line)), 1)
            del own_lines[-lines:]
    return "\n".join(own_lines).strip()


def _sort_parts_of_message(
    message: Message, texts: list[str], *, members: list[MemberPart], left_out: Left, depth: int
) -> None:
    """Add the text of a part to ``texts``, attachments to ``members``, the rest to ``left_out``.

    Raises:
        Unfit: the parts are nested too deeply.
    """
    if depth > _DEEPEST:
        raise Unfit(f"has parts nested more than {_DEEPEST} deep")
    kind = message.get_content_type()
    # The name of an attachment is used as part of a name, never as a path.
    name = re.sub(r"[/\\\0-\x1f]", "_", _decode_header(message.get_filename()))
    if kind == "message/rfc822":
        for one in message.get_payload():
            members.append(MemberPart("/" + (name or "message.eml"), bytes(one), "mail"))  # type: ignore[arg-type]
    elif message.is_multipart() and kind.startswith("message/"):
        left_out.add("other parts", _content_bytes(message))
    elif message.is_multipart():
        parts = [one for one in message.get_payload() if isinstance(one, Message)]
        if kind == "multipart/alternative":
            plain = (one for one in parts if one.get_content_type() == "text/plain")
            best = [one for one in plain if _decode_payload_with_plain_footer(one).strip()][
                :1
            ] or parts[-1:]
            for one in parts:
                if one not in best and _decode_payload_with_plain_footer(
                    one
                ) != _decode_payload_with_plain_footer(best[0]):
                    left_out.add("other forms of the text", _content_bytes(one))
            parts = best
        for beside in (message.preamble, message.epilogue):
            if beside and beside.strip():
                left_out.add("text before or after the parts", beside.encode("utf-8", "replace"))
        for one in parts:
            _sort_parts_of_message(one, texts, members=members, left_out=left_out, depth=depth + 1)
    elif name or message.get_content_disposition() == "attachment":
        content = message.get_payload(decode=True)
        if isinstance(content, bytes):
            members.append(MemberPart("/" + (name or "attachment"), content))
    elif kind in ("text/plain", "text/html"):
        text = _decode_payload_with_plain_footer(message)
        if kind == "text/html":
            add_embedded_and_typed_to(left_out, text, text_areas=False)
            add_markup_beside_text_to(left_out, text)
            text = html_text(text)
        texts.append(text)
    else:
        left_out.add(
            "pictures" if kind.startswith("image/") else "other parts", _content_bytes(message)
        )


def _content_bytes(message: Message) -> bytes:
    """Return the bytes of a part; of a part with parts, all of theirs."""
    content = message.get_payload(decode=True)
    return content if isinstance(content, bytes) else b"".join(map(bytes, message.get_payload()))


def _decode_payload_with_plain_footer(message: Message) -> str:
    content = message.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    if str(message.get("Content-Transfer-Encoding", "")).strip().lower() == "base64":
        # Lists append their footers to the text of a message, whatever its encoding is.
        payload = message.get_payload()
        whole = payload if isinstance(payload, str) else ""
        cut = _BASE64.match(whole)
        footer = whole[cut.end() :].strip() if cut else ""
        if cut and footer and not _FULL_LINE.search(footer):
            encoded = Message()
            encoded["Content-Transfer-Encoding"] = "base64"
            encoded.set_payload(cut[0])
            body = encoded.get_payload(decode=True)
            content = (body if isinstance(body, bytes) else b"") + b"\n"
            content += footer.encode("utf-8", "surrogateescape")
    try:
        return content.decode(message.get_content_charset() or "utf-8").replace("\r\n", "\n")
    except (LookupError, UnicodeDecodeError):
        unicode_text = decode(content)
        # A part that is called a text is shown as one, whatever its bytes are.
        text = unicode_text.utf8.decode() if unicode_text else content.decode("utf-8", "replace")
        return text.replace("\r\n", "\n")


def _decode_header(header: Any) -> str:
    try:
        return str(make_header(decode_header(header or "")))
    except (LookupError, ValueError, HeaderParseError):
        return str(header or "")


def _header_in_one_line(message: Message, name: str) -> str:
    return " ".join(_decode_header(message[name]).split())


def _parse_declarations(message: Message) -> dict[str, Any]:
    declarations = {
        "title": _header_in_one_line(message, "Subject"),
        "author": _header_in_one_line(message, "From"),
        "link": _header_in_one_line(message, "Snapshot-Content-Location"),
        "language": _header_in_one_line(message, "Content-Language"),
    }
    with contextlib.suppress(TypeError, ValueError):
        declarations["date"] = parsedate_to_datetime(str(message["Date"])).date().isoformat()
    return {name: value for name, value in declarations.items() if value}


_SENT = re.compile(rb"From .{0,200}\d\d:\d\d.{0,40}\d{4}")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_mbox(file: BinaryIO, _: Limits) -> Iterator[DocumentPart]:
    """Yield the messages, by their numbers from 0."""
    lines: list[bytes] = []
    number, blank = 0, True
    for line in file:
        if blank and _SENT.match(line):
            if lines:
                yield _make_mailbox_member(number, lines)
                number, lines = number + 1, []
            blank = False
            continue
        lines.append(line)
        blank = not line.strip()
    if lines:
        yield _make_mailbox_member(number, lines)


def _make_mailbox_member(number: int, lines: list[bytes]) -> MemberPart:
    return MemberPart(f"#{number}", _ESCAPED.sub(rb"\1", b"".join(lines)), "mail")
