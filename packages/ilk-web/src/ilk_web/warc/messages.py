"""A recorded HTTP response: its fields, and its decoded body.

Recorders write what they received, what a browser made of it, or something between. So a body that
does not have the chunks or the encoding that its fields name is used as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple

from ilk_web.warc import heads
from ilk_web.warc.cutting import LARGEST
from ilk_web.warc.frames import MAGIC

_LINE = 1 << 14


class Broken(Exception):
    """A body that does not match its fields; ``rest`` is what could be decoded."""

    def __init__(self, reason: str, rest: bytes) -> None:
        """Take both."""
        super().__init__(reason)
        self.rest = rest


class SplitMessage(NamedTuple):
    """The head of a message, and what follows it."""

    head: bytes
    body: bytes


def split_at_first_blank_line(block: bytes) -> SplitMessage:
    """Return the head of a response without its blank line, and what follows that."""
    for blank in (b"\r\n\r\n", b"\n\n"):
        head, separator, body = block.partition(blank)
        if separator:
            return SplitMessage(head, body)
    return SplitMessage(block, b"")


def parse_http_status_or_none(head: bytes) -> int | None:
    """Return the status code in the first line of a response; None without one."""
    words = head[:_LINE].split(b"\n", 1)[0].split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() and len(words[1]) == 3 else None


def parse_first_fields(head: bytes) -> dict[str, str]:
    """Return the fields of a response; of two with the same name, the first."""
    return {name: values[0] for name, values in heads.parse_fields(head[: heads.LONGEST]).items()}


def join_chunks_if_any(body: bytes) -> bytes:
    """Return a body without its chunks, or as it is if it has none (RFC 9112, section 7.1).

    Raises:
        Broken: the chunks end, or are invalid, before the last one.
    """
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\n", at, at + _LINE)
        size = _parse_hexadecimal_or_none(body[at:end].split(b";")[0].strip()) if end >= 0 else None
        if size is None:
            if not pieces:
                return body
            raise Broken("its chunks are cut off", b"".join(pieces))
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[end + 1 : end + 1 + size])
        at = end + 1 + size
        if at > len(body):
            raise Broken("its chunks are longer than it is", b"".join(pieces))
        at += len(body[at : at + 2]) - len(body[at : at + 2].lstrip(b"\r\n"))


def _parse_hexadecimal_or_none(digits: bytes) -> int | None:
    try:
        return int(digits, 16) if digits.isalnum() and len(digits) <= 16 else None
    except ValueError:
        return None


def decode_body_unless_decoded(
    body: bytes, content_encoding: str, max_bytes: int = LARGEST
) -> bytes:
    """Return a body without the encodings that its field names, decoding the last one first.

    Raises:
        Broken: one is unknown, cannot be decoded, or yields more than ``max_bytes``.
    """
    for name in reversed([name.strip().lower() for name in content_encoding.split(",")]):
        if name in ("", "identity", "none", "utf-8"):
            continue
        if name not in _DECODERS:
            raise Broken(f"its content encoding {name[:40]!r} is unknown", body)
        magic = _BEGINS.get(name)
        if not body or (magic is not None and not body.startswith(magic)):
            continue  # The recorder has decoded it already.
        try:
            content = _DECODERS[name](body, max_bytes + 1)
        except Exception as error:  # Every decoder has its own errors.
            raise Broken(
                f"its content encoding {name} cannot be decoded ({error})", body
            ) from error
        if len(content) > max_bytes:
            raise Broken(f"it has more than {max_bytes:,} bytes once its {name} is decoded", b"")
        body = content
    return body


def _inflate(body: bytes, max_bytes: int, wbits: int = zlib.MAX_WBITS) -> bytes:
    return zlib.decompressobj(wbits).decompress(body, max_bytes)


def _inflate_with_or_without_header(body: bytes, max_bytes: int) -> bytes:
    """Inflate with the header that the standard requires, or without it, as some servers send."""
    try:
        return _inflate(body, max_bytes)
    except zlib.error:
        return _inflate(body, max_bytes, -zlib.MAX_WBITS)


def _decompress_zstandard(body: bytes, max_bytes: int) -> bytes:
    content: bytes = import_module("fastwarc.stream_io").ZstdReader(BytesIO(body)).read(max_bytes)
    return content


def _decompress_brotli(body: bytes, max_bytes: int) -> bytes:
    decoder: Any = import_module("brotli").Decompressor()
    content: bytes = decoder.process(body, output_buffer_limit=max_bytes)
    return content


#: Decoders of encodings, up to a number of bytes.
_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": partial(_inflate, wbits=zlib.MAX_WBITS | 16),
    "x-gzip": partial(_inflate, wbits=zlib.MAX_WBITS | 16),
    "deflate": _inflate_with_or_without_header,
    "br": _decompress_brotli,
    "zstd": _decompress_zstandard,
}
_BEGINS = {"gzip": MAGIC[".gz"], "x-gzip": MAGIC[".gz"], "zstd": MAGIC[".zst"]}
